/**
 * The public calls of both variants, each with arguments that it would take. What is public and not
 * here has its reason in `ELSEWHERE`.
 */
import type { BossLike } from "../../packages/backend-billing/src/pg-boss/crons.js";
import { ENTITIES, type Shop } from "./shop.js";

type Call = (...args: never[]) => Promise<unknown>;
export interface Target {
  readonly name: string;
  readonly call: Call;
  /** Arguments that it would take. */
  readonly args: readonly unknown[];
}

/** Public, and not attacked by their arguments. */
const ELSEWHERE: ReadonlySet<string> = new Set([
  // Families of their own: routes, sockets.
  ...["fetch", "nodeHandler", "addHttpRoutes"],
  "close", // of which every run has one, at its end
  // The port that the library itself uses, whose callers are its own.
  ...["commit", "kept", "takeAsks", "postponeAsk", "record", "claimed", "recordsOf", "records"],
  ...["takeRecords", "version", "unconfirmed", "owned", "related", "pruneReceipts", "row", "rows"],
  ...["offers", "subscribed"],
  ...["held", "subscribedBy", "purchased"], // what other reads are made of
  "in", // what it answers is attacked
]);

const [ENTITY] = ENTITIES;
const SUCCESS = "https://shop.example/thanks";

/** Every call of an object, named after it. */
const callsOf = (prefix: string, from: object): string[] =>
  Object.entries(from).flatMap(([name, call]) =>
    typeof call === "function" && !ELSEWHERE.has(name) ? [`${prefix}${name}`] : [],
  );

/** Fails if a public call has been forgotten here. */
export function checkComplete(shop: Shop): void {
  const { a, b } = shop;
  const all = [
    ...callsOf("", a),
    ...callsOf("", b),
    ...callsOf("stripe.", a.stripe),
    ...callsOf("billing.", b.billing),
    ...callsOf("store.", b.store),
    ...callsOf("store.in.", b.store.in(shop.pool)),
  ];
  const targets = [...localTargets(shop), ...remoteTargets(shop), ...upkeepTargets(shop)];
  const known = new Set(targets.map(({ name }) => name));
  const missing = all.filter((name) => !known.has(name));
  if (missing.length > 0) throw new Error(`No attack calls ${[...new Set(missing)].join(", ")}`);
}

/** What asks nothing of Stripe: on the store, and in a transaction of the application. */
export function localTargets({ a, b, pool }: Shop): Target[] {
  const { store } = b;
  type Local = ReturnType<typeof store.in>;
  const use = { entityId: ENTITY, feature: "credits", amount: 1, key: "request_1" };
  const within =
    (name: keyof Local) =>
    async (...args: never[]): Promise<unknown> => {
      const client = await pool.connect();
      let isDone = false;
      try {
        await client.query("BEGIN");
        const answer = await (store.in(client)[name] as Call)(...args);
        isDone = true;
        return answer;
      } finally {
        await client.query(isDone ? "COMMIT" : "ROLLBACK");
        client.release();
      }
    };
  const of = (name: keyof Local, ...args: unknown[]): Target[] => [
    { name: `store.${name}`, call: store[name] as Call, args },
    { name: `store.in.${name}`, call: within(name), args },
  ];
  return [
    of("subscriptionOf", ENTITY, { group: "main" }),
    of("subscriptionsOf", ENTITY),
    of("subscriptionsBy", { status: "active", limit: 10, cursor: null }),
    of("planOf", ENTITY, { group: "main" }),
    of("can", ENTITY, "sso"),
    of("limit", ENTITY, "projects"),
    of("usageOf", ENTITY),
    of("purchasesOf", ENTITY, { limit: 10 }),
    of("purchaseBy", { referenceId: "order_1" }),
    of("purchaseBy", { sessionId: "cs_test_1" }),
    of("customerOf", ENTITY),
    of("invoicesOf", ENTITY, { limit: 10 }),
    of("refundsOf", ENTITY, { limit: 10 }),
    of("paymentMethodsOf", ENTITY, { limit: 10 }),
    of("activeSubscriptionsOf", ENTITY),
    of("priceBy", { lookupKey: "attacked:pro:monthly" }),
    of("plans"),
    of("revenue", Date.now()),
    of("consume", use),
    of("track", use),
    of("reserve", { ...use, expiresAt: Date.now() + 60_000 }),
    of("finish", { reservationId: "r_1", amount: 1 }),
    of("release", { reservationId: "r_1" }),
    of("grant", { ...use, amount: 5, expiresAt: null }),
    of("seatsChanged", { entityId: ENTITY }),
    of("erase", { entityId: "org_9", customer: "keep" }),
    { name: "billing.runs", call: b.billing.runs as Call, args: [5] },
    { name: "stripe.runs", call: a.stripe.runs as Call, args: [5] },
  ].flat();
}

/** What asks Stripe for a thing or two. */
export function remoteTargets({ a, b, double }: Shop): Target[] {
  const { stripe } = a;
  const { billing } = b;
  const lookupKey = "pro:monthly";
  const priceId = double.objects("price")[0]?.id ?? "";
  const customerId = double.objects("customer")[0]?.id ?? "";
  const changing = {
    ...{ entityId: ENTITY, group: "main", quantity: 2 },
    ...{ at: "period_end", proration: "none" },
  };
  const event = {
    ...{ id: "evt_1", object: "event", type: "customer.updated" },
    ...{ created: 1, livemode: false, data: { object: { id: "cus_1" } } },
  };
  const link = { entityId: ENTITY, success_url: SUCCESS, cancel_url: "/" };
  const linkB = { entityId: ENTITY, successUrl: SUCCESS, cancelUrl: "/" };
  const metadata = { color: "blue" };
  type Both = typeof billing & typeof stripe;
  const both = (name: keyof Both, ...args: unknown[]): Target[] => [
    { name: `billing.${name}`, call: (billing as Both)[name] as Call, args },
    { name: `stripe.${name}`, call: (stripe as Both)[name] as Call, args },
  ];
  const ofB = (name: keyof typeof billing, ...args: unknown[]): Target[] => [
    { name: `billing.${name}`, call: billing[name] as Call, args },
  ];
  const ofA = (name: keyof typeof stripe, ...args: unknown[]): Target[] => [
    { name: `stripe.${name}`, call: stripe[name] as Call, args },
  ];
  return [
    [
      { name: "setup", call: b.setup as Call, args: [{ entityId: ENTITY, email: "a@b.example" }] },
      { name: "setup", call: a.setup as Call, args: [{ entityId: ENTITY, metadata }] },
      {
        name: "checkout",
        call: b.checkout as Call,
        args: [{ ...linkB, priceId, createStripeCustomerIfMissing: false }],
      },
      { name: "portal", call: b.portal as Call, args: [{ entityId: ENTITY, returnUrl: SUCCESS }] },
    ],
    both("adopt", { entityId: "new_1", customerId }),
    both("change", changing),
    both("change", { entityId: ENTITY, lookupKey, quote: "q.s" }),
    both("preview", changing),
    both("cancel", { entityId: "org_3", at: "now" }),
    both("resume", { entityId: "org_3", group: "main" }),
    both("refresh", { entityId: ENTITY }),
    both("seatsChanged", { entityId: ENTITY }),
    both("ingest", event),
    ofB("checkout", {
      ...{ ...linkB, lookupKey, quantity: 1, trialDays: 3 },
      ...{ ifSubscribed: "portal", params: { locale: "en" } },
    }),
    ofB("pay", { ...linkB, lookupKey: "more", quantity: 1, referenceId: "order_2" }),
    ofB("savePaymentMethod", { ...linkB, params: { currency: "usd" } }),
    ofB("portal", { entityId: ENTITY, returnUrl: SUCCESS }),
    ofA("subscribe", {}, { ...link, priceId, mode: "subscription", metadata }, {}),
    ofA("pay", {}, { ...link, mode: "payment", line_items: [{ price: priceId, quantity: 1 }] }, {}),
    ofA("savePaymentMethod", {}, { ...link, mode: "setup", currency: "usd" }, {}),
    ofA("portal", {}, { entityId: ENTITY, returnUrl: SUCCESS }, {}),
  ].flat();
}

/** Takes every job, and runs none. */
const BOSS: BossLike = {
  createQueue: async () => {},
  work: async () => "worker",
  offWork: async () => {},
  schedule: async () => {},
  unschedule: async () => {},
  send: async () => null,
};
/** A call that reads everything at Stripe costs a hundred times what others do. */
const CHEAP_TIMES = 4;

/** What keeps the tables right. */
export function upkeepTargets({ a, b }: Shop): Target[] {
  const configuration = {
    ...{ default_return_url: SUCCESS, name: "Ours", metadata: { color: "blue" } },
    features: { invoice_history: { enabled: true }, subscription_cancel: { enabled: false } },
  };
  const cron = { catchUp: "*/5 * * * *", reconcile: false, workers: 2, pollingIntervalSeconds: 1 };
  const sync = { data: false, webhook: true, replace: false, portal: true };
  const pairs = [["billing", b.billing, b.sync] as const, ["stripe", a.stripe, a.sync] as const];
  return pairs.flatMap(([variant, client, syncIn]) => {
    const cheap: Target[] = [
      { name: `${variant}.tick`, call: client.tick as Call, args: [{ budget: 50 }] },
      {
        name: `${variant}.addCronJobs`,
        call: async (options) => (await client.addCronJobs(BOSS, options)).stop(),
        args: [cron],
      },
      {
        name: "sync",
        call: (portal) => syncIn({ data: false, portal }),
        args: [configuration],
      },
    ];
    return [
      ...Array.from({ length: CHEAP_TIMES }, () => cheap).flat(),
      { name: "sync", call: syncIn as Call, args: [sync] },
      { name: `${variant}.reconcile`, call: client.reconcile as Call, args: [{ maxMissing: 5 }] },
      { name: `${variant}.verify`, call: client.verify as Call, args: [{ sample: 1 }] },
      { name: "store.migrate", call: b.store.migrate as Call, args: [] },
    ];
  });
}
