/**
 * What the app does when something has happened. What is written in `tx` happens exactly once: it
 * commits with the mark that the app was told. So a mail is stored here, and sent by mail.ts.
 */
import type { Reactions } from "backend-billing/postgres";
import { sql } from "drizzle-orm";
import type { NodePgDatabase } from "drizzle-orm/node-postgres";
import { mails, orders } from "./schema.ts";

type Tx = Parameters<Parameters<NodePgDatabase["transaction"]>[0]>[0];

export const on: Reactions<Tx> = {
  "subscription.started": async ({ key, entityId }, { tx }) => {
    await tx.insert(mails).values({ key, entityId, subject: "Your plan has begun" });
  },
  /** What was bought is theirs. `referenceId` is the order's id, which `pay` was given. */
  "purchase.paid": async ({ key, entityId, at, after }, { tx }) => {
    const [order] = await tx
      .update(orders)
      .set({ paidAt: new Date(at) })
      .where(sql`${orders.id}::text = ${after.referenceId}`)
      .returning();
    if (!order) return; // it was sold elsewhere, such as by a payment link
    await tx.insert(mails).values({ key, entityId, subject: `${order.name}: thank you` });
  },
};
