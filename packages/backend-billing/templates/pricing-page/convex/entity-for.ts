/**
 * Who may act for which entity: the one function to fill in. It answers the id of the entity that the
 * person who asks pays for, such as their own id or that of their organisation, and null for one who
 * is not signed in.
 *
 *   const identity = await ctx.auth.getUserIdentity();
 *   return identity?.subject ?? null;
 */
import type { QueryCtx } from "../app/convex/_generated/server.js";

export async function entityFor(_ctx: QueryCtx): Promise<string | null> {
  return null;
}
