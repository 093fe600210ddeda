/** What the tests of sync share: applications without a webhook endpoint, and equality with Stripe. */
import { expectMirrored } from "../../../../../support/everything/equality.js";
import { contentsOf } from "../../../../../support/everything/on-store.js";
import { listedAtOnce } from "../../../../../support/listed-at-once.js";
import type { ResourceName } from "../../../src/core/catalogue/catalogue.js";
import { localOf } from "../../../src/core/runtime/local.js";
import { runReport } from "../../../src/core/sync/run/report.js";
import { openScheduled } from "../../../src/core/sync/work/scheduled.js";
import { workUntilDone } from "../../../src/core/sync/work/wait.js";
import type { PostgresConfig } from "../../../src/postgres/index.js";
import { type App, type AppOptions, applications, NOW } from "../service/kit.js";

export { fillShop } from "../../../../../support/everything/account.js";
export { atStripe } from "../../../../../support/everything/equality.js";
export { type App, billingError, eventually, NOW } from "../service/kit.js";

/** Fast, and not paced: the double has no limits unless a test gives it some. */
const CONFIG: Partial<PostgresConfig> = {
  rate: false,
  resources: listedAtOnce, // all-resources.test.ts is about the rest
  timing: { pageLease: 5_000, verifyDelay: 20 },
};

/** Applications that hear of nothing unless they ask, at a Stripe whose time stands still. */
export function quietApplications(): (options?: AppOptions) => Promise<App> {
  const open = applications();
  return ({ stripe, config, ...rest } = {}) =>
    open({
      endpoint: false,
      ...rest,
      stripe: { now: NOW, ...stripe },
      config: { ...CONFIG, ...config },
    });
}

/** That the mirror is what Stripe has, object by object and field by field. */
export async function expectEqual(
  app: App,
  some: readonly ResourceName[] = listedAtOnce,
): Promise<void> {
  await expectMirrored(app.double, some, (resource) => contentsOf(app.b.store, resource));
}

/** What a scheduler does, and what its workers do after that. */
export async function scheduled(app: App, wanted: "catch-up" | "reconcile") {
  const runtime = real(app);
  const runId = await openScheduled(runtime, wanted);
  await workUntilDone(runtime, runId);
  return runReport(runtime, runId);
}

/** The application's runtime, with the time of this machine. */
export const real = (app: App) => ({
  ...app.core,
  local: localOf(app.config), // as a process of its own
  now: Date.now,
  sleep: (milliseconds: number) =>
    new Promise<void>((resolve) => setTimeout(resolve, milliseconds)),
});

/** The requests that the double got, without those of the account's own name. */
export const pageRequests = ({ double }: App): number =>
  double.requests.count() - double.requests.count("GET /v1/account");
