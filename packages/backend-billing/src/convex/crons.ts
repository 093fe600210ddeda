/** The cron jobs: what missed events is found every few minutes, and everything once a day. */
import type { Crons } from "convex/server";
import type { SyncReference } from "./calls/references.js";

/** What is used of the application's cron registry. */
export type CronsLike = Pick<Crons, "interval" | "cron">;

/** When each job runs; `false` for never. */
export interface CronOptions {
  /** Reads Stripe's events since the last time. Default every five minutes. */
  readonly catchUp?: { readonly minutes: number } | false;
  /** Lists everything and repairs what differs: a cron expression in UTC. Default daily at 03:37. */
  readonly reconcile?: string | false;
}

/** At an odd minute: most jobs run at whole hours. */
// mutant "a reconcile on 29 February on Convex": "37 3 * * *" -> "37 3 29 2 *"
const RECONCILE = "37 3 * * *";

/** An interval, and no time of day: its first run is at the first deployment, and copies everything. */
export function addConvexCrons(
  sync: SyncReference,
  crons: CronsLike,
  // mutant "a catch-up once a year on Convex": 5 -> 525_600
  { catchUp = { minutes: 5 }, reconcile = RECONCILE }: CronOptions = {},
): void {
  if (catchUp !== false) {
    crons.interval("backend-billing catch-up", catchUp, sync, { step: "catch-up" });
  }
  if (reconcile !== false) {
    crons.cron("backend-billing reconcile", reconcile, sync, { step: "reconcile" });
  }
}
