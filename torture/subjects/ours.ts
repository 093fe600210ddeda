/** What the library's two platforms have in common. */
import type { Ability, Installed } from "../harness/subject.js";

/** What both can do. */
export const OURS: readonly Ability[] = [
  "backfill",
  "repair",
  "setup",
  "shared emails",
  "several subscriptions",
  "checkout",
  "endpoint",
  "several secrets",
  "connect",
  "thin events",
];

/** What `sync({ webhook: true })` answered, as the harness wants it. */
export function installedBy(
  webhook: { readonly id: string; readonly secret?: string } | undefined,
): Installed {
  if (!webhook?.secret) throw new Error("There is no new endpoint");
  return { secrets: [webhook.secret], endpoint: webhook.id };
}
