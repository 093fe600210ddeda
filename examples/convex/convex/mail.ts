/** Mails: stored with what they tell of, and sent after that. A mail is a line in the log here. */
import { v } from "convex/values";
import { internal } from "./_generated/api";
import { internalAction, internalMutation, type MutationCtx } from "./_generated/server";

const MINUTE = 60_000;

/** The key is that of the event which the mail tells of. */
export async function storeMail(
  ctx: MutationCtx,
  mail: { key: string; entityId: string; subject: string },
): Promise<void> {
  await ctx.db.insert("mails", { ...mail, dueAt: Date.now() });
  await ctx.scheduler.runAfter(0, internal.mail.send, {});
}

/**
 * Sends what is due. A cron calls it too: Convex does not run an action again that failed. A real
 * mailer is given the key as its idempotency key, for what is sent again because it failed after that.
 */
export const send = internalAction({
  args: {},
  returns: v.null(),
  handler: async (ctx): Promise<null> => {
    for (;;) {
      const mail = await ctx.runMutation(internal.mail.take, {});
      if (mail === null) return null;
      console.log(`A mail to ${mail.entityId}: ${mail.subject} (${mail.key})`);
      await ctx.runMutation(internal.mail.sent, { id: mail.id });
    }
  },
});

const taken = v.object({
  id: v.id("mails"),
  key: v.string(),
  entityId: v.string(),
  subject: v.string(),
});

/** The next mail, for a minute: two that send at once never have the same one. */
export const take = internalMutation({
  args: {},
  returns: v.union(taken, v.null()),
  handler: async (ctx) => {
    const mail = await ctx.db
      .query("mails")
      .withIndex("by_due", (q) => q.gte("dueAt", 0).lte("dueAt", Date.now()))
      .first();
    if (!mail) return null;
    await ctx.db.patch("mails", mail._id, { dueAt: Date.now() + MINUTE });
    const { _id: id, key, entityId, subject } = mail;
    return { id, key, entityId, subject };
  },
});

export const sent = internalMutation({
  args: { id: v.id("mails") },
  returns: v.null(),
  handler: async (ctx, { id }) => {
    await ctx.db.patch("mails", id, { dueAt: null });
    return null;
  },
});
