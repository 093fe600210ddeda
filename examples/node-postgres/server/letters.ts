/** Letters. Each takes a send for every reader, of those that the plan includes or that were bought. */
import type { Entity, Letter } from "../../ui/types.ts";
import { refuse } from "./auth.ts";
import { db, store } from "./billing.ts";
import { letters } from "./schema.ts";

/**
 * The letter and the sends that it takes are stored together, or neither is. A letter that comes again,
 * by a double click or because the answer was lost, is there already, and its key counts once.
 */
export async function send(entity: Entity, { id, readers }: Letter): Promise<void> {
  await db.transaction(async (tx) => {
    await tx.insert(letters).values({ id, entityId: entity.id, readers }).onConflictDoNothing();
    const use = { entityId: entity.id, feature: "sends", key: id, amount: readers } as const;
    const { allowed, balance } = await store.in(tx).consume(use);
    if (!allowed) refuse(409, `This takes ${readers} sends, and you have ${balance} left.`);
  });
}
