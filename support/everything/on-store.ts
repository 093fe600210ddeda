/** The core itself over a store of a process, with its webhooks and without timers. */
import Stripe from "stripe";
import type { ResourceName } from "../../packages/backend-billing/src/core/catalogue/catalogue.js";
import { handleRequest } from "../../packages/backend-billing/src/core/http.js";
import type { Store } from "../../packages/backend-billing/src/core/mirror/store.js";
import { createRuntime } from "../../packages/backend-billing/src/core/runtime/runtime.js";
import { runReport } from "../../packages/backend-billing/src/core/sync/run/report.js";
import { reconcile, sync, verify } from "../../packages/backend-billing/src/core/sync/sync.js";
import { openScheduled } from "../../packages/backend-billing/src/core/sync/work/scheduled.js";
import { workUntilDone } from "../../packages/backend-billing/src/core/sync/work/wait.js";
import { createPatientDouble } from "../patient-double.js";
import { shownIn } from "./equality.js";
import { CONFIG, type MirrorApp, NOW, type OpenOptions } from "./platform.js";

const ORIGIN = "https://app.example";
const ROWS = 500;

export async function openOnStore(
  store: Store,
  { endpoint, seed }: OpenOptions,
): Promise<Omit<MirrorApp, "spoil">> {
  const double = await createPatientDouble({ seed, now: NOW });
  const secrets: string[] = [];
  const config = {
    ...CONFIG,
    secret_key: double.secretKey,
    webhook_secret: secrets,
    stripe_options: double.stripeConfig,
  };
  const runtime = createRuntime(config, { store, baseUrl: () => ORIGIN, wake: () => {} });
  double.answer(ORIGIN, (request) => handleRequest(runtime, request));
  if (endpoint) {
    const { webhook } = await sync(runtime, { data: false, webhook: true });
    secrets.push(webhook?.secret ?? "");
  }
  return {
    double,
    stripe: new Stripe(double.secretKey, { ...double.stripeConfig, maxNetworkRetries: 0 }),
    sync: () => sync(runtime),
    reconcile: () => reconcile(runtime),
    verify: () => verify(runtime),
    scheduled: async (job) => {
      const runId = await openScheduled(runtime, job);
      await workUntilDone(runtime, runId);
      const report = await runReport(runtime, runId);
      if (report?.state !== "done") throw new Error(`It ended so: ${JSON.stringify(report)}`);
    },
    settle: () => double.settle({ store, resources: CONFIG.resources }),
    contents: (resource) => contentsOf(store, resource),
    close: () => double.close(),
  };
}

/** What a store holds, by id, without the rows that stand for nothing. */
export async function contentsOf(
  store: Pick<Store, "rows">,
  resource: ResourceName,
): Promise<Map<string, object>> {
  const all = new Map<string, object>();
  for (let after = ""; ; ) {
    const rows = await store.rows(resource, after, ROWS);
    for (const row of rows) {
      if (row.stripe !== null) all.set(row.stripe.id, shownIn(resource, row, row.stripe));
    }
    const last = rows.at(-1);
    if (last === undefined) return all;
    after = last._id;
  }
}
