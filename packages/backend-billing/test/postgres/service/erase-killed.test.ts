// An entity leaves, and the process that erases it ends at any step: before it, or once it is done and
// nothing was heard of it. Another one goes on. In the double's time.
import Stripe from "stripe";
import { expect, it } from "vitest";
import { defineCatalogue } from "../../../src/catalogue/index.js";
import { setup } from "../../../src/core/customers/setup.js";
import { erase, eraseDue } from "../../../src/core/erase/erase.js";
import { createRuntime, type Runtime } from "../../../src/core/runtime/runtime.js";
import { outboxOn } from "../../../src/postgres/usage/outbox.js";
import { driftIn, found, waiting } from "./erase-kit.js";
import { type App, applications, NOW } from "./kit.js";

const open = applications();
const catalogue = defineCatalogue({ features: { letters: "credits" } });
const SECRET = "enchantress";

interface Worker {
  readonly core: Runtime;
  /** How many steps it took: commits, requests, and removals of usage. */
  steps(): number;
}

/** A worker that ends at this step. */
function worker(app: App, last = Number.POSITIVE_INFINITY, isDone = false): Worker {
  let steps = 0;
  const gone = () => new Error("This process has ended");
  const step = async <T>(work: () => Promise<T>): Promise<T> => {
    steps++;
    if (steps > last || (steps === last && !isDone)) throw gone();
    const answer = await work();
    if (steps >= last) throw gone();
    return answer;
  };
  const { store } = app.b;
  const outbox = outboxOn(app.pool, { schema: app.schema });
  const httpClient = Stripe.createFetchHttpClient((...args: Parameters<typeof fetch>) =>
    step(() => fetch(...args)),
  );
  const options = { ...app.double.stripeConfig, httpClient, maxNetworkRetries: 0 };
  const core = createRuntime(
    { ...app.config, stripe_options: options },
    {
      store: { ...store, commit: (batch) => step(() => store.commit(batch)) },
      outbox: { ...outbox, forget: (entityId) => step(() => outbox.forget(entityId)) },
      baseUrl: () => app.url,
      wake: () => {},
      now: app.double.clock.now,
    },
  );
  return { core, steps: () => steps };
}

/** A customer with a subscription, a payment, a page that is open, and usage. */
async function live(app: App, entityId: string, price: string): Promise<void> {
  const metadata = { secret: SECRET };
  const made = await setup(app.core, {
    entityId,
    email: `${entityId}@${SECRET}.example`,
    metadata,
  });
  const { customerId: customer } = made;
  const { id: card } = await app.stripe.paymentMethods.attach("pm_card_visa", { customer });
  const items = [{ price }];
  await app.stripe.subscriptions.create({
    customer,
    default_payment_method: card,
    items,
    metadata,
  });
  await app.stripe.checkout.sessions.create({
    mode: "subscription",
    customer,
    line_items: [{ price, quantity: 1 }],
    success_url: `${app.url}/${SECRET}`,
    metadata,
  });
  await app.b.store.grant({ entityId, feature: "letters", amount: 5, key: SECRET });
}

/** Asks for an erasure, which this worker begins, and others end. */
async function eraseBy(app: App, entityId: string, first: Worker, become: "delete" | "keep") {
  await erase(app.core, { entityId, customer: become });
  await app.double.clock.advance({ seconds: 2 });
  await eraseDue(first.core).catch(() => {});
  for (let tries = 0; (await waiting(app)).length > 0; tries++) {
    expect(tries, "It is never erased").toBeLessThan(5);
    await app.double.clock.advance({ minutes: 6 });
    await eraseDue(worker(app).core);
  }
}

/** Entities are erased by workers each of which ends at another step: at every one, or at every seventh. */
async function eraseWithEnds(become: "delete" | "keep", every: number): Promise<void> {
  const config = { catalogue, rate: false as const };
  const app = await open({ endpoint: false, stripe: { now: NOW }, config });
  const { id: price } = await app.stripe.prices.create({
    currency: "usd",
    unit_amount: 1_000,
    recurring: { interval: "year" },
    product_data: { name: "Engine" },
  });
  await live(app, "entity-0", price);
  await app.b.sync();
  const whole = worker(app);
  await eraseBy(app, "entity-0", whole, become);
  const steps = whole.steps();
  expect(steps).toBeGreaterThan(10);
  const ends = Array.from({ length: 2 * steps }, (_, index) => index + 1).filter(
    (end) => end % every === 0,
  );
  for (const end of ends) await live(app, `entity-${end}`, price);
  await app.b.sync();
  expect(await found(app, [SECRET, "entity-"])).not.toEqual([]);
  for (const end of ends) {
    const dying = worker(app, Math.ceil(end / 2), end % 2 === 0);
    await eraseBy(app, `entity-${end}`, dying, become);
  }
  expect(app.log).toContain("An entity could not be erased yet; trying again");
  expect(app.double.objects("customer")).toHaveLength(become === "keep" ? ends.length + 1 : 0);
  const left = app.double.objects("subscription").filter(({ status }) => status !== "canceled");
  expect(left).toEqual([]);
  const pages = app.double.objects("checkout.session");
  expect(new Set(pages.map(({ status }) => status))).toEqual(new Set(["expired"]));
  await app.b.billing.reconcile();
  expect(driftIn(await app.b.billing.verify())).toEqual([]);
  expect(await found(app, [SECRET, "entity-"])).toEqual([]);
}

it.each(["delete", "keep"] as const)(
  "a process may end at any step of an erasure, with a customer to %s",
  { tags: ["long"] },
  (become) => eraseWithEnds(become, 1),
);

it.each(["delete", "keep"] as const)(
  "a process may end at every seventh step of an erasure, with a customer to %s",
  { tags: ["slow"] },
  (become) => eraseWithEnds(become, 7),
);
