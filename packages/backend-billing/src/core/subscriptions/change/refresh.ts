/** Reads an entity's subscriptions from Stripe, with what their states follow from. */
import type { ResourceName } from "../../catalogue/catalogue.js";
import { customerIdOf } from "../../customers/setup.js";
import { storeSnapshots } from "../../events/answers.js";
import { refreshCustomer } from "../../events/refresh.js";
import { snapshotsOfPage } from "../../mirror/snapshot.js";
import { provider } from "../../runtime/errors.js";
import type { Runtime } from "../../runtime/runtime.js";
import { checkPlace } from "../../stripe/account.js";
import { type Subscribed, subscriptionStates } from "../state.js";
import { checkOf } from "./args.js";

/** Reads the subscriptions of an entity from Stripe and answers them, newest first. */
export async function refresh(
  runtime: Runtime,
  { entityId }: { readonly entityId: string },
): Promise<readonly Subscribed[]> {
  checkOf({ entityId });
  await checkPlace(runtime);
  await readSubscriptions(runtime, await customerIdOf(runtime, entityId));
  const facts = await runtime.store.subscribed(entityId);
  return subscriptionStates(facts, { entityId, catalogue: runtime.config.catalogue });
}

/** Brings a customer's subscriptions to the mirror, with what their states follow from. */
export async function readSubscriptions(runtime: Runtime, customer: string): Promise<void> {
  const { invoices, subscriptionSchedules } = runtime.stripe();
  const newest = { customer, limit: 100 };
  await readPage(runtime, "invoices", () => invoices.list(newest));
  await readPage(runtime, "subscription_schedules", () => subscriptionSchedules.list(newest));
  await refreshCustomer(runtime, customer, { awaited: true }).catch(provider);
}

/** Stores the newest of a customer's objects of a resource. */
async function readPage(
  runtime: Runtime,
  resource: ResourceName,
  list: () => Promise<{ readonly data: readonly { readonly id: string }[] }>,
): Promise<void> {
  if (!runtime.resources.includes(resource)) return;
  const startedAt = runtime.now();
  const page = await list().catch(provider);
  await storeSnapshots(runtime, snapshotsOfPage(runtime, resource, page, startedAt));
}
