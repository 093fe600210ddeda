/**
 * Who is asking, and what is theirs. A password and a token, so that the example needs nothing else;
 * a real app has Convex Auth or the like here, and schedules `setup` where this one does.
 */
import { ConvexError, type Infer, v } from "convex/values";
import { api, internal } from "./_generated/api";
import type { Id } from "./_generated/dataModel";
import {
  type ActionCtx,
  action,
  internalMutation,
  internalQuery,
  type MutationCtx,
  mutation,
  type QueryCtx,
  query,
} from "./_generated/server";

const entity = v.object({
  id: v.string(),
  kind: v.union(v.literal("user"), v.literal("organisation")),
  name: v.string(),
});
const everything = v.object({ user: entity, organisations: v.array(entity) });
export type Entity = Infer<typeof entity>;
type Me = Infer<typeof everything>;

export const me = query({
  args: { token: v.string() },
  returns: v.union(everything, v.null()),
  handler: (ctx, { token }) => whoAsks(ctx, token),
});

/** Whoever is signed in, and their organisations: all that they may act for. */
async function whoAsks(ctx: QueryCtx, token: string): Promise<Me | null> {
  const session = await sessionWith(ctx, token);
  const user = session && (await ctx.db.get("users", session.userId));
  if (!user) return null;
  const owned = await ctx.db
    .query("organisations")
    .withIndex("by_owner", (q) => q.eq("ownerId", user._id))
    .take(100);
  return {
    user: { id: user._id, kind: "user", name: user.name },
    organisations: owned.map(({ _id, name }) => ({ id: _id, kind: "organisation", name })),
  };
}

/** What everybody gives who acts for an entity. */
export const asking = { token: v.string(), entityId: v.string() };

/** Lets only those through who may act for the entity. Every function that takes one begins with it. */
export async function requireEntity(
  ctx: QueryCtx | ActionCtx,
  { token, entityId }: { token: string; entityId: string },
): Promise<Entity> {
  const { user, organisations } = await requireMe(ctx, token);
  const found = [user, ...organisations].find(({ id }) => id === entityId);
  if (!found) throw new ConvexError("There is no such account, or it is not yours.");
  return found;
}

async function requireMe(ctx: QueryCtx | ActionCtx, token: string): Promise<Me> {
  const found =
    "db" in ctx ? await whoAsks(ctx, token) : await ctx.runQuery(api.auth.me, { token });
  if (!found) throw new ConvexError("Sign in first.");
  return found;
}

export const signUp = action({
  args: { name: v.string(), email: v.string(), password: v.string() },
  returns: v.string(),
  handler: async (ctx, form): Promise<string> => {
    const [name, email] = [field(form, "name", 1), field(form, "email", 3).toLowerCase()];
    const salt = randomHex(16);
    const password = `${salt}:${await derive(field(form, "password", 8), salt)}`;
    const token = randomHex(32);
    await ctx.runMutation(internal.auth.createUser, { name, email, password, token });
    return token;
  },
});

/** The user, the session and the order to create a Stripe customer: all of them, or none. */
export const createUser = internalMutation({
  args: { name: v.string(), email: v.string(), password: v.string(), token: v.string() },
  returns: v.null(),
  handler: async (ctx, { token, ...user }) => {
    if (await userWith(ctx, user.email)) {
      throw new ConvexError("There is an account with this email already. Sign in instead.");
    }
    const userId = await ctx.db.insert("users", user);
    await ctx.db.insert("sessions", { token, userId });
    await createCustomer(ctx, userId, user.email);
    return null;
  },
});

export const signIn = action({
  args: { email: v.string(), password: v.string() },
  returns: v.string(),
  handler: async (ctx, form): Promise<string> => {
    const email = form.email.trim().toLowerCase();
    const user = await ctx.runQuery(internal.auth.login, { email });
    const [salt = "", hash] = user?.password.split(":") ?? [];
    if ((await derive(form.password.trim(), salt)) !== hash || !user) {
      throw new ConvexError("No account has this email and password.");
    }
    const token = randomHex(32);
    await ctx.runMutation(internal.auth.startSession, { token, userId: user.userId });
    return token;
  },
});

export const login = internalQuery({
  args: { email: v.string() },
  returns: v.union(v.object({ userId: v.id("users"), password: v.string() }), v.null()),
  handler: async (ctx, { email }) => {
    const user = await userWith(ctx, email);
    return user && { userId: user._id, password: user.password };
  },
});

export const startSession = internalMutation({
  args: { token: v.string(), userId: v.id("users") },
  returns: v.null(),
  handler: async (ctx, session) => {
    await ctx.db.insert("sessions", session);
    return null;
  },
});

export const signOut = mutation({
  args: { token: v.string() },
  returns: v.null(),
  handler: async (ctx, { token }) => {
    const session = await sessionWith(ctx, token);
    if (session) await ctx.db.delete("sessions", session._id);
    return null;
  },
});

export const createOrganisation = mutation({
  args: { token: v.string(), name: v.string() },
  returns: v.string(),
  handler: async (ctx, { token, ...form }): Promise<string> => {
    const { user } = await requireMe(ctx, token);
    const name = field(form, "name", 1);
    const id = await ctx.db.insert("organisations", { name, ownerId: user.id as Id<"users"> });
    await createCustomer(ctx, id);
    return id;
  },
});

/** Nobody waits for Stripe here, and if it is down, the first checkout makes up for it. */
async function createCustomer(ctx: MutationCtx, entityId: string, email?: string): Promise<void> {
  await ctx.scheduler.runAfter(0, internal.stripe.setup, { entityId, email });
}

const userWith = (ctx: QueryCtx, email: string) =>
  ctx.db
    .query("users")
    .withIndex("by_email", (q) => q.eq("email", email))
    .unique();

const sessionWith = (ctx: QueryCtx, token: string) =>
  ctx.db
    .query("sessions")
    .withIndex("by_token", (q) => q.eq("token", token))
    .unique();

/** A field of a form, as trimmed text. */
function field<Name extends string>(form: Record<Name, string>, name: Name, least: number): string {
  const value = form[name].trim();
  if (value.length >= least) return value;
  throw new ConvexError(`Give a ${name} of at least ${least} characters.`);
}

const hex = (bytes: Uint8Array) =>
  Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
const randomHex = (length: number) => hex(crypto.getRandomValues(new Uint8Array(length)));

async function derive(password: string, salt: string): Promise<string> {
  const encode = (text: string) => new TextEncoder().encode(text);
  const key = await crypto.subtle.importKey("raw", encode(password), "PBKDF2", false, [
    "deriveBits",
  ]);
  const terms = { name: "PBKDF2", hash: "SHA-256", salt: encode(salt), iterations: 600_000 };
  return hex(new Uint8Array(await crypto.subtle.deriveBits(terms, key, 256)));
}
