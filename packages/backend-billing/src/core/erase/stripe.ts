/** Ends billing at Stripe, and with it the customer or at least what links it to the entity. */
import type Stripe from "stripe";
import { APP_KEY, ENTITY_KEY } from "../catalogue/carrier.js";
import { claimId } from "../customers/claim/claim.js";
import { forgetCustomer, seen, store } from "../customers/claim/record.js";
import { storedAnswer } from "../events/answers.js";
import { changeRecord } from "../mirror/changes.js";
import { formerRequest } from "../mirror/former.js";
import { plain, stripeStatus } from "../mirror/snapshot.js";
import type { RecordRequest } from "../mirror/store.js";
import { changeName } from "../reactions/telling/handlers.js";
import { commit } from "../runtime/commit/commit.js";
import { hears } from "../runtime/commit/listening.js";
import { removal } from "../runtime/records/record.js";
import type { Runtime } from "../runtime/runtime.js";
import { paced } from "../stripe/pacer.js";
import { partsOfSchedule, partsOfSubscription, WITH_PARTS } from "../subscriptions/change/parts.js";

const PAGE = 100;

/**
 * Each of its steps may have been done before. A page may be handed out as long as the customer is
 * linked, so of one that is kept billing ends once more after that.
 */
export async function leaveStripe(
  runtime: Runtime,
  entityId: string,
  customer: string,
  become: "delete" | "keep",
): Promise<void> {
  const isThere = await endBilling(runtime, customer);
  if (become === "delete") return remove(runtime, customer);
  if (isThere) await strip(runtime, customer);
  await unlink(runtime, entityId, customer);
  if (isThere) await endBilling(runtime, customer);
}

/** False if the customer is gone at Stripe. */
async function endBilling(runtime: Runtime, customer: string): Promise<boolean> {
  const stripe = runtime.stripe();
  const found = await unlessMissing(() =>
    paced(runtime, "GET customers/{id}", () => stripe.customers.retrieve(customer)),
  );
  if (found === undefined || found.deleted) return false;
  const { subscriptions, subscriptionSchedules: schedules, checkout } = stripe;
  const of = { customer, limit: PAGE };
  // A page that is open could be paid, and what is planned could begin.
  await each(
    runtime,
    "checkout/sessions",
    checkout.sessions.list({ ...of, status: "open" }),
    (page) =>
      storedAnswer(
        runtime,
        () => checkout.sessions.expire(page.id),
        (answer) => [{ resource: "checkout_sessions", content: plain(answer) }],
      ),
  );
  await each(runtime, "subscription_schedules", schedules.list(of), async ({ id, status }) => {
    if (status !== "not_started") return;
    await storedAnswer(runtime, () => schedules.cancel(id), partsOfSchedule);
  });
  await each(runtime, "subscriptions", subscriptions.list(of), ({ id, status }) =>
    storedAnswer(
      runtime,
      () => subscriptions.cancel(id, { ...endedWith(status), ...WITH_PARTS }),
      partsOfSubscription,
    ),
  );
  return true;
}

/** What was used is invoiced; nothing is paid back. The first invoice of one that never began is not. */
const endedWith = (status: string): Stripe.SubscriptionCancelParams =>
  status === "incomplete" ? {} : { invoice_now: true, prorate: false };

/** Does something with each of a list. What is over by then is as it should be. */
async function each<T>(
  runtime: Runtime,
  endpoint: string,
  list: Stripe.ApiListPromise<T>,
  end: (one: T) => Promise<unknown>,
): Promise<void> {
  const all = await list.autoPagingToArray({ limit: 10_000 });
  for (const one of all) {
    await paced(runtime, `POST ${endpoint}/{id}`, () => unlessMissing(() => end(one)));
  }
}

async function unlessMissing<T>(call: () => Promise<T>): Promise<T | undefined> {
  try {
    return await call();
  } catch (error) {
    if (stripeStatus(error) !== 404) throw error;
    return undefined;
  }
}

async function remove(runtime: Runtime, customer: string): Promise<void> {
  const target = { entityId: "", account: null };
  const startedAt = runtime.now();
  const answer = await unlessMissing(() =>
    paced(runtime, "DELETE customers/{id}", () => runtime.stripe().customers.del(customer)),
  );
  if (answer !== undefined) await store(runtime, seen(runtime, target, answer, startedAt));
  else if (runtime.resources.includes("customers")) await readGone(runtime, customer);
  await forgetCustomer(runtime, customer);
}

/** It was deleted before, and that may not be known here. */
async function readGone(runtime: Runtime, customer: string): Promise<void> {
  const version = await runtime.store.version("customers", customer);
  if (version?.state !== "live") return;
  const startedAt = runtime.now();
  const found = await unlessMissing(() => runtime.stripe().customers.retrieve(customer));
  const target = { entityId: "", account: null };
  if (found?.deleted) await store(runtime, seen(runtime, target, found, startedAt));
}

/** Without these nothing leads from the customer to the entity. */
async function strip(runtime: Runtime, customer: string): Promise<void> {
  const metadata = { [ENTITY_KEY]: "", [APP_KEY]: "" };
  await paced(runtime, "POST customers/{id}", () =>
    storedAnswer(
      runtime,
      () => runtime.stripe().customers.update(customer, { metadata }),
      (answer) => [{ resource: "customers", content: plain(answer) }],
    ),
  );
}

/** The customer that stays at Stripe is the entity's no more: that is told as if it were gone. */
async function unlink(runtime: Runtime, entityId: string, id: string): Promise<void> {
  const claim = await runtime.store.record("claim", claimId({ entityId, account: null }));
  if (claim?.ref !== id) return;
  const isMirrored = runtime.resources.includes("customers");
  const row = isMirrored ? await runtime.store.row("customers", id) : undefined;
  const at = runtime.now();
  const requests: RecordRequest[] = [formerRequest(id, entityId, at)];
  if (row !== undefined && (await hears(runtime, "customer.deleted", changeName("customers")))) {
    const gone = {
      resource: "customers",
      id,
      before: row.stripe,
      after: null,
      at,
      entityId,
    } as const;
    requests.push(changeRecord({ ...gone, key: crypto.randomUUID() }, at));
  }
  const done = { source: "call", units: [{ requests }], records: [removal(claim)] } as const;
  const { committed } = await commit(runtime, done);
  if (!committed) throw new Error("The claim of an entity changed while it was erased.");
}
