/** `sync`: copies existing data, sets up the webhook endpoint and the portal, as asked. */
import { checkMode } from "../mode.js";
import type { Runtime } from "../runtime.js";
import { backfill, type RunReport } from "./backfill.js";
import { type PortalReport, syncPortal, syncWebhook, type WebhookReport } from "./endpoint.js";

export interface SyncArgs {
  /** Copies all existing Stripe objects into the tables. Default true. */
  readonly data?: boolean;
  /** Creates or updates the webhook endpoint at Stripe. Default false. */
  readonly webhook?: boolean;
  /** Creates the default billing portal configuration if there is none. Default false. */
  readonly portal?: boolean;
}

export interface SyncReport {
  readonly runId: string | null;
  /** `done` only when every resource was copied to its end. */
  readonly state: RunReport["state"];
  readonly resources: RunReport["resources"];
  readonly webhook?: WebhookReport;
  readonly portal?: PortalReport;
}

export async function sync(
  runtime: Runtime,
  { data = true, webhook = false, portal = false }: SyncArgs = {},
): Promise<SyncReport> {
  await checkMode(runtime);
  // The endpoint comes first: what changes during the copying is then told of.
  const endpoint = webhook ? await syncWebhook(runtime) : undefined;
  const settings = portal ? await syncPortal(runtime) : undefined;
  const run = data ? await backfill(runtime) : undefined;
  return {
    runId: run?.runId ?? null,
    state: run?.state ?? "done",
    resources: run?.resources ?? {},
    ...(endpoint === undefined ? {} : { webhook: endpoint }),
    ...(settings === undefined ? {} : { portal: settings }),
  };
}
