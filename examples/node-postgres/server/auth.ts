/**
 * Who is asking, and what is theirs. A password and a cookie, so that the example needs nothing
 * else; a real app has better-auth or the like here, and calls `setup` where this one does.
 */
import { randomBytes, scrypt, timingSafeEqual } from "node:crypto";
import { promisify } from "node:util";
import { eq } from "drizzle-orm";
import type { Context } from "hono";
import { deleteCookie, getCookie, setCookie } from "hono/cookie";
import { createMiddleware } from "hono/factory";
import { HTTPException } from "hono/http-exception";
import type { Entity, Letter, Me } from "../../ui/types.ts";
import { baseUrl, db, setup } from "./billing.ts";
import { organisations, sessions, users } from "./schema.ts";

const COOKIE = "session";
const derive = promisify<string, string, number, Buffer>(scrypt);

export const refuse = (status: 400 | 401 | 404 | 409, message: string): never => {
  throw new HTTPException(status, { message });
};

type Form = Record<string, unknown>;

/** What the page sent; nothing, if it is not JSON. */
export async function formOf(c: Context): Promise<Form> {
  return Object(await c.req.json().catch(() => undefined));
}

/** A field of a form, as trimmed text. */
export function field(form: Form, name: string, least = 1): string {
  const value = typeof form[name] === "string" ? form[name].trim() : "";
  if (value.length < least) refuse(400, `Give a ${name} of at least ${least} characters.`);
  return value;
}

/** The addresses that somebody typed or pasted, each once. */
export function emailsIn(form: Form): string[] {
  const found = field(form, "emails", 3)
    .toLowerCase()
    .match(/[^\s,;]+@[^\s,;]+/g);
  return [...new Set(found ?? refuse(400, "Give the email of whom you invite."))];
}

/** A letter that is to be sent. */
export function letterIn(form: Form): Letter {
  const readers = Number(form.readers);
  if (!Number.isSafeInteger(readers) || readers < 1) refuse(400, "Give a whole number of readers.");
  return { id: field(form, "id"), readers };
}

export async function signUp(c: Context): Promise<void> {
  const form = await formOf(c);
  const [name, email] = [field(form, "name"), field(form, "email", 3).toLowerCase()];
  const salt = randomBytes(16).toString("hex");
  const hash = (await derive(field(form, "password", 8), salt, 32)).toString("hex");
  const [user] = await db
    .insert(users)
    .values({ name, email, password: `${salt}:${hash}` })
    .onConflictDoNothing()
    .returning();
  if (!user) return refuse(409, "There is an account with this email already. Sign in instead.");
  await createCustomer(user.id, email);
  await startSession(c, user.id);
}

export async function signIn(c: Context): Promise<void> {
  const form = await formOf(c);
  const email = field(form, "email").toLowerCase();
  const [user] = await db.select().from(users).where(eq(users.email, email));
  const [salt = "", hash = ""] = user?.password.split(":") ?? [];
  const given = await derive(field(form, "password"), salt, 32);
  if (!user || !timingSafeEqual(given, Buffer.from(hash, "hex"))) {
    return refuse(401, "No account has this email and password.");
  }
  await startSession(c, user.id);
}

export async function signOut(c: Context): Promise<void> {
  const token = deleteCookie(c, COOKIE);
  if (token) await db.delete(sessions).where(eq(sessions.token, token));
}

async function startSession(c: Context, userId: string): Promise<void> {
  const token = randomBytes(32).toString("hex");
  await db.insert(sessions).values({ token, userId });
  const secure = baseUrl.startsWith("https:");
  setCookie(c, COOKIE, token, { httpOnly: true, sameSite: "Lax", secure, path: "/" });
}

export async function createOrganisation(owner: Entity, name: string): Promise<Entity> {
  const [made] = await db.insert(organisations).values({ name, ownerId: owner.id }).returning();
  if (!made) throw new Error("The organisation was not stored.");
  await createCustomer(made.id);
  return { id: made.id, kind: "organisation", name };
}

/** Nobody is turned away because Stripe is down: the first checkout makes up for it. */
async function createCustomer(entityId: string, email?: string): Promise<void> {
  await setup({ entityId, email }).catch((error) => console.error("No customer yet:", error));
}

/** Whoever is signed in, and their organisations: all that they may act for. */
export async function whoAsks(c: Context): Promise<Me | null> {
  const token = getCookie(c, COOKIE);
  if (!token) return null;
  const [user] = await db
    .select({ id: users.id, name: users.name })
    .from(sessions)
    .innerJoin(users, eq(users.id, sessions.userId))
    .where(eq(sessions.token, token));
  if (!user) return null;
  const owned = await db.select().from(organisations).where(eq(organisations.ownerId, user.id));
  const theirs = owned.map(({ id, name }) => ({ id, kind: "organisation" as const, name }));
  return { user: { ...user, kind: "user" }, organisations: theirs };
}

/** Lets only those through who may act for the entity in the address. */
export const ownersOnly = createMiddleware<{ Variables: { entity: Entity } }>(async (c, next) => {
  const me = (await whoAsks(c)) ?? refuse(401, "Sign in first.");
  const entity = [me.user, ...me.organisations].find(({ id }) => id === c.req.param("entityId"));
  c.set("entity", entity ?? refuse(404, "There is no such account, or it is not yours."));
  await next();
});
