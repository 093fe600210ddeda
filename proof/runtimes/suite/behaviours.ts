/** What the library does, one behaviour after the other, on whatever runtime this is. */
import type { App } from "./app.js";
import { check, codeOf, same, until } from "./check.js";

export interface Behaviour {
  readonly area: string;
  readonly name: string;
  run(app: App): Promise<void>;
}

const all: Behaviour[] = [];
const area =
  (of: string) =>
  (name: string, run: (app: App) => Promise<void>): void =>
    void all.push({ area: of, name, run });

const back = { successUrl: "https://app.example/done", cancelUrl: "https://app.example/plans" };
const text = (value: unknown): string => (typeof value === "string" ? value : "");

/** Subscribes an entity through its checkout page, and waits for the webhooks. */
async function subscribed(app: App, entityId: string, lookupKey = "pro:monthly"): Promise<string> {
  const page = await app.checkout({ entityId, lookupKey, ...back });
  check(page.kind === "checkout", `the page is of the kind ${page.kind}`);
  const { outcome } = await app.control("pay", {
    session: page.sessionId,
    email: "ada@example.com",
  });
  same(outcome, "paid", "the page was paid");
  const state = await until(`${entityId} is active`, async () => {
    const found = await app.store.subscriptionOf(entityId);
    return found.status === "active" && found;
  });
  return state.subscriptionId;
}

const customersOf = async (app: App, entityId: string): Promise<number> => {
  const { data } = await app.ask("customers?limit=100");
  const carriers = data as readonly { readonly metadata: { readonly [key: string]: string } }[];
  return carriers.filter(({ metadata }) => Object.values(metadata).includes(entityId)).length;
};

const migrating = area("migrate");
migrating("the tables are made", async ({ store }) => {
  check((await store.migrate()).applied.length > 0, "nothing was applied");
});
migrating("a second time does nothing", async ({ store }) => {
  same((await store.migrate()).applied, [], "applied");
});
migrating("two at once are safe", async ({ store }) => {
  const both = await Promise.all([store.migrate(), store.migrate()]);
  same(
    both.flatMap(({ applied }) => applied),
    [],
    "applied",
  );
});

const syncing = area("sync");
syncing("the first listing fills the tables", async ({ sync, store }) => {
  await sync();
  check((await store.plans()).length > 0, "no plan is there");
});
syncing("plans have their prices", async ({ store }) => {
  const amounts = (await store.plans()).flatMap(({ prices }) =>
    prices.map((price) => price.unit_amount),
  );
  check(amounts.includes(2000), `the amounts are ${amounts.join(", ")}`);
});
syncing("the portal is set up", async ({ sync }) => void (await sync({ portal: true })));
syncing("runs are reported", async ({ billing }) => {
  same((await billing.runs(1))[0]?.state, "done", "the last run");
});

const settingUp = area("setup");
settingUp("an entity has its customer", async (app) => {
  const { customerId } = await app.setup({ entityId: "user_1", email: "ada@example.com" });
  same((await app.store.customerOf("user_1"))?.customerId, customerId, "the customer");
});
settingUp("the same again is the same", async (app) => {
  const [one, two] = [
    await app.setup({ entityId: "user_1" }),
    await app.setup({ entityId: "user_1" }),
  ];
  same(one, two, "the customer");
});
settingUp("twenty at once make one", async (app) => {
  const made = await Promise.all(
    Array.from({ length: 20 }, () => app.setup({ entityId: "user_2" })),
  );
  same(new Set(made.map(({ customerId }) => customerId)).size, 1, "customers answered");
  same(await customersOf(app, "user_2"), 1, "customers at Stripe");
});
settingUp("what cannot be an id is refused", async (app) => {
  same(await codeOf(app.setup({ entityId: "" })), "invalid_argument", "the code");
});

const reading = area("gates");
reading("the default plan applies", async ({ store }) => {
  same(await store.planOf("user_1"), "free", "the plan");
});
reading("a feature is off", async ({ store }) =>
  same(await store.can("user_1", "sso"), false, "sso"),
);
reading("a limit is the plan's", async ({ store }) =>
  same(await store.limit("user_1", "projects"), 1, "projects"),
);
reading("no subscription is `none`", async ({ store }) =>
  same((await store.subscriptionOf("user_1")).status, "none", "the status"),
);

const checkingOut = area("checkout");
checkingOut("a page is handed out", async (app) => {
  const page = await app.checkout({ entityId: "user_3", lookupKey: "pro:monthly", ...back });
  same(page.kind, "checkout", "the kind");
  check("url" in page && page.url.startsWith("http"), "it has an address");
});
checkingOut("the same page is handed out again", async (app) => {
  const page = await app.checkout({ entityId: "user_3", lookupKey: "pro:monthly", ...back });
  same(page.kind, "open", "the kind");
});
checkingOut("a price that is not sold is refused", async (app) => {
  const code = await codeOf(app.checkout({ entityId: "user_3", lookupKey: "no:such", ...back }));
  check(code !== "none", "it was not refused");
});
checkingOut("a page that was paid gives access", async (app) => {
  await subscribed(app, "user_4");
  same(await app.store.can("user_4", "sso"), true, "sso");
  same(await app.store.limit("user_4", "projects"), 100, "projects");
});
checkingOut("who is subscribed is sent to the portal", async (app) => {
  const page = await app.checkout({ entityId: "user_4", lookupKey: "pro:yearly", ...back });
  check(page.kind === "change" || page.kind === "manage", `the kind is ${page.kind}`);
});
checkingOut("five people at once are each subscribed once", async (app) => {
  const many = Array.from({ length: 5 }, (_, index) => `crowd_${index}`);
  const ids = await Promise.all(many.map((entityId) => subscribed(app, entityId)));
  same(new Set(ids).size, 5, "subscriptions");
});
checkingOut("a payment is a purchase", async (app) => {
  const referenceId = "order_1";
  const page = await app.billing.pay({
    entityId: "user_4",
    lookupKey: "poster",
    referenceId,
    ...back,
  });
  await app.control("pay", { session: page.sessionId, email: "ada@example.com" });
  await until(
    "the purchase is paid",
    async () => (await app.store.purchaseBy({ referenceId }))?.state === "paid",
  );
});
checkingOut("a page to leave a card", async (app) => {
  const page = await app.billing.savePaymentMethod({
    entityId: "user_4",
    params: { currency: "usd" },
    ...back,
  });
  check("url" in page && page.url.startsWith("http"), "it has an address");
});
checkingOut("a link to the portal", async (app) => {
  const { url } = await app.portal({
    entityId: "user_4",
    returnUrl: "https://app.example/billing",
  });
  check(url.startsWith("http"), "it has an address");
});

const webhook = area("webhook");
const post = (app: App, body: string, headers: { readonly [name: string]: string } = {}) =>
  fetch(`${app.parts.settings.baseUrl}/stripe/webhook`, {
    method: "POST",
    body,
    headers: { ...headers },
  });
webhook("without a signature it is refused", async (app) =>
  same((await post(app, "{}")).status, 400, "the status"),
);
webhook("with a wrong signature it is refused", async (app) => {
  const headers = { "stripe-signature": `t=${Math.floor(Date.now() / 1000)},v1=${"0".repeat(64)}` };
  same((await post(app, "{}", headers)).status, 400, "the status");
});
webhook("a megabyte without a signature is refused", async (app) => {
  check((await post(app, "x".repeat(1_000_000))).status >= 400, "it was taken");
});
webhook("an event that comes again is taken and changes nothing", async (app) => {
  const [before] = await app.rows("SELECT count(*) FROM started");
  const { deliveries } = await app.control("deliveries?type=customer.subscription.created");
  const [first] = deliveries as readonly { readonly event: string }[];
  await app.control("deliveries/resend", { event: first?.event });
  await app.control("settle", {});
  same((await app.rows("SELECT count(*) FROM started"))[0], before, "what was told");
});
webhook("another path is not found", async (app) => {
  const response = await fetch(`${app.parts.settings.baseUrl}/stripe/elsewhere`);
  same(response.status, 404, "the status");
});
webhook("another method is refused", async (app) => {
  const response = await fetch(`${app.parts.settings.baseUrl}/stripe/webhook`);
  check(response.status === 404 || response.status === 405, `the status is ${response.status}`);
});

const returning = area("return");
returning("a person who has paid comes back, and the tables know it", async (app) => {
  const entityId = "user_5";
  const page = await app.checkout({ entityId, lookupKey: "pro:monthly", ...back });
  await app.control("faults", { fault: "lost" });
  const paid = await app.control("pay", { session: page.sessionId, email: "bo@example.com" });
  const response = await fetch(text(paid.return_url), { redirect: "manual" });
  same(response.status, 303, "the status");
  check(text(response.headers.get("location")).startsWith(back.successUrl), "where it leads");
  same((await app.store.subscriptionOf(entityId)).status, "active", "the subscription");
  await fetch(`${app.parts.settings.stripe}/_double/faults`, { method: "DELETE" });
});
returning("a link that was not made here is refused", async (app) => {
  const response = await fetch(
    `${app.parts.settings.baseUrl}/stripe/return/success?to=https://evil.example`,
    {
      redirect: "manual",
    },
  );
  check(!text(response.headers.get("location")).includes("evil"), "it leads elsewhere");
});

const changing = area("change");
changing("a preview says what it costs", async (app) => {
  const shown = await app.billing.preview({ entityId: "user_4", lookupKey: "pro:yearly" });
  check(shown.dueNow > 0, `${shown.dueNow} is due`);
});
changing("a change is in the tables at once", async (app) => {
  const { quote } = await app.billing.preview({ entityId: "user_4", lookupKey: "pro:yearly" });
  const { state } = await app.billing.change({
    entityId: "user_4",
    lookupKey: "pro:yearly",
    quote,
  });
  same(state, "changed", "the state");
  same((await app.store.subscriptionOf("user_4")).lookupKey, "pro:yearly", "the price");
});
changing("a cancellation waits for the period's end", async (app) => {
  const { status, endsAt } = await app.billing.cancel({ entityId: "user_4" });
  same([status, typeof endsAt], ["active", "number"], "the subscription");
});
changing("it can be taken back", async (app) =>
  same((await app.billing.resume({ entityId: "user_4" })).endsAt, null, "its end"),
);
changing("a refresh reads Stripe", async (app) =>
  same((await app.billing.refresh({ entityId: "user_4" })).length, 1, "subscriptions"),
);

const telling = area("reactions");
telling("a start is told once, in a transaction", async (app) => {
  await until(
    "it is told",
    async () => (await app.rows("SELECT FROM started WHERE entity = 'user_4'")).length === 1,
  );
});
telling("a handler that throws is called again, and writes once", async (app) => {
  app.failFor("user_6", 1);
  await subscribed(app, "user_6");
  await until("it is told", async () => {
    await app.billing.tick();
    return (await app.rows("SELECT FROM started WHERE entity = 'user_6'")).length === 1;
  });
});

const using = area("usage");
using("an amount is taken", async ({ store }) => {
  const taken = await store.consume({
    entityId: "meter_1",
    feature: "credits",
    key: "one",
    amount: 4,
  });
  same(taken, { allowed: true, balance: 6 }, "the answer");
});
using("the same key counts once", async ({ store }) => {
  const taken = await store.consume({
    entityId: "meter_1",
    feature: "credits",
    key: "one",
    amount: 4,
  });
  same(taken.balance, 6, "what is left");
});
using("too much is refused", async ({ store }) => {
  const taken = await store.consume({
    entityId: "meter_1",
    feature: "credits",
    key: "two",
    amount: 7,
  });
  same(taken, { allowed: false, balance: 6, reason: "limit_reached" }, "the answer");
});
using("what is held is taken, and the rest given back", async ({ store }) => {
  const held = await store.reserve({
    entityId: "meter_1",
    feature: "credits",
    key: "work",
    amount: 5,
  });
  check(held.allowed, "nothing was held");
  same(held.balance, 1, "what is left meanwhile");
  same(
    (await store.finish({ reservationId: held.reservationId, amount: 2 })).balance,
    4,
    "what is left",
  );
});
using("what is given adds up", async ({ store }) => {
  const { balance } = await store.grant({
    entityId: "meter_1",
    feature: "credits",
    key: "gift",
    amount: 6,
  });
  same(balance, 10, "what is left");
  const { credits } = await store.usageOf("meter_1");
  same([credits.granted, credits.used, credits.remaining], [16, 6, 10], "the balance");
});
using("thirty at once take no more than there is", async ({ store }) => {
  const takings = Array.from({ length: 30 }, (_, index) =>
    store.consume({ entityId: "meter_2", feature: "credits", key: `race_${index}` }),
  );
  const allowed = (await Promise.all(takings)).filter((each) => each.allowed).length;
  same(allowed, 10, "takings");
});
using("what is rolled back was not taken", async ({ store, pool }) => {
  const client = await pool.connect();
  await client.query("BEGIN");
  await store
    .in(client)
    .consume({ entityId: "meter_3", feature: "credits", key: "one", amount: 4 });
  await client.query("ROLLBACK");
  client.release();
  same((await store.usageOf("meter_3")).credits.used, 0, "what is used");
});

const ticking = area("tick");
ticking("it does what is due and says so", async ({ billing }) => {
  await until("nothing is left", async () => !(await billing.tick({ budget: 5_000 })).more);
});
ticking("what no webhook told is caught up with", async (app) => {
  const { customerId } = await app.setup({ entityId: "user_7" });
  await app.control("faults", { fault: "lost" });
  await app.ask(`customers/${customerId}`, { name: "Grace" });
  await app.control("settle", {});
  await fetch(`${app.parts.settings.stripe}/_double/faults`, { method: "DELETE" });
  await until("the name is there", async () => {
    await app.billing.tick();
    await app.billing.reconcile();
    return (await app.store.customerOf("user_7"))?.stripe.name === "Grace";
  });
});

const keeping = area("upkeep");
keeping("a comparison finds nothing", async ({ billing }) => {
  const { state, resources } = await billing.verify();
  const drifts = Object.values(resources).flatMap(({ drift }) => drift ?? []);
  const differing = drifts.map(({ missing, different, ghost }) => missing + different + ghost);
  same([state, differing.reduce((sum, each) => sum + each, 0)], ["done", 0], "the comparison");
});
keeping("revenue is added up", async ({ store }) => {
  const [first] = await store.revenue();
  check((first?.monthly ?? 0) > 0, "nothing comes in");
});

const variants = area("variant A");
variants("a link by `subscribe`", async ({ parts, config }) => {
  const { stripe } = parts.postgres.createStripe(config);
  const page = await stripe.subscribe(
    {},
    {
      entityId: "user_8",
      mode: "subscription",
      lookupKey: "pro:monthly",
      success_url: back.successUrl,
      cancel_url: back.cancelUrl,
    },
  );
  same(page.kind, "checkout", "the kind");
  await stripe.close();
});

const ending = area("close");
ending("after the end calls are refused", async (app) => {
  await app.billing.close();
  same(await codeOf(app.setup({ entityId: "user_9" })), "store_error", "the code");
});
ending("webhooks are answered with 500, so that Stripe sends them again", async (app) => {
  const headers = { "stripe-signature": `t=1,v1=${"0".repeat(64)}` };
  check((await post(app, "{}", headers)).status >= 400, "it was taken");
});
ending("the pool ends", async ({ pool }) => pool.end());

export const behaviours: readonly Behaviour[] = all;
