/** Who writes along. A plan per seat costs what the members are: its quantity follows them. */
import { and, asc, eq } from "drizzle-orm";
import type { Entity, Member } from "../../ui/types.ts";
import { refuse } from "./auth.ts";
import { db, store } from "./billing.ts";
import { members } from "./schema.ts";

export function membersOf({ id }: Entity): Promise<Member[]> {
  const shown = { id: members.id, email: members.email };
  return db.select(shown).from(members).where(eq(members.entityId, id)).orderBy(asc(members.email));
}

/**
 * Whoever else asks for this limit in a transaction waits until this one ends, so that the plan's room
 * is never passed. However many are invited, Stripe is told once, and only if this commits.
 */
export async function invite({ id: entityId }: Entity, emails: string[]): Promise<void> {
  await db.transaction(async (tx) => {
    const room = await store.in(tx).limit(entityId, "members");
    const invited = emails.map((email) => ({ entityId, email }));
    await tx.insert(members).values(invited).onConflictDoNothing();
    const count = await tx.$count(members, eq(members.entityId, entityId));
    if (count > room) refuse(409, `Your plan has no room for more than ${room} members.`);
    await store.in(tx).seatsChanged({ entityId });
  });
}

export async function remove({ id: entityId }: Entity, memberId: string): Promise<void> {
  await db.transaction(async (tx) => {
    await tx.delete(members).where(and(eq(members.entityId, entityId), eq(members.id, memberId)));
    await store.in(tx).seatsChanged({ entityId });
  });
}
