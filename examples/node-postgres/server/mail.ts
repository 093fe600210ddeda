/** Sends what reactions.ts has stored. A mail is a line on the terminal here. */
import { eq, isNull, or } from "drizzle-orm";
import { db } from "./billing.ts";
import { mails, organisations, users } from "./schema.ts";

/**
 * A real mailer is given the mail's key as its idempotency key: if this process dies before it has
 * committed, the mail is sent again.
 */
const send = (email: string, subject: string) => console.log(`A mail to ${email}: ${subject}`);

/** Any number of processes may call it at once. */
export async function sendMails(): Promise<void> {
  await db.transaction(async (tx) => {
    const unsent = await tx
      .select({ key: mails.key, subject: mails.subject, email: users.email })
      .from(mails)
      .leftJoin(organisations, eq(organisations.id, mails.entityId))
      .innerJoin(users, or(eq(users.id, mails.entityId), eq(users.id, organisations.ownerId)))
      .where(isNull(mails.sentAt))
      .limit(20)
      .for("update", { of: mails, skipLocked: true });
    for (const { key, subject, email } of unsent) {
      send(email, subject);
      await tx.update(mails).set({ sentAt: new Date() }).where(eq(mails.key, key));
    }
  });
}
