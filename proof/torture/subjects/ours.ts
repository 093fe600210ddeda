/** What the library's two platforms have in common. */
import type { RunReport } from "../../../packages/backend-billing/src/core/runtime/reports.js";
import { sleep } from "../harness/patience.js";
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
  "one account",
  "thin events",
];

/** What a catch-up may take, with the job that begins it. */
const PATIENCE = 60_000;

/** Begins a catch-up as the schedule does; answers whether it came to its end. */
export async function caughtUp(
  runs: () => Promise<readonly RunReport[]>,
  begin: () => Promise<unknown>,
): Promise<boolean> {
  const before = new Set((await runs()).map(({ runId }) => runId));
  await begin();
  for (const end = Date.now() + PATIENCE; Date.now() < end; await sleep(50)) {
    const mine = (await runs()).find(
      ({ kind, runId }) => kind === "catch-up" && !before.has(runId),
    );
    if (mine !== undefined && mine.state !== "running") return mine.state === "done";
  }
  return false;
}

/** What `sync({ webhook: true })` answered, as the harness wants it. */
export function installedBy(
  webhook: { readonly id: string; readonly secret?: string } | undefined,
): Installed {
  if (!webhook?.secret) throw new Error("There is no new endpoint");
  return { secrets: [webhook.secret], endpoint: webhook.id };
}
