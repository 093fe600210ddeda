/** Every public call of both variants, with arguments that no caller should pass. */
import { BillingError } from "../../packages/backend-billing/src/index.js";
import type { Dice } from "./dice.js";
import { Broken, type Family, shown } from "./family.js";
import { ENTITIES, type Shop } from "./shop.js";
import { isPolluted, odd, PATHS } from "./values.js";

type Call = (...args: never[]) => Promise<unknown>;
interface Target {
  readonly name: string;
  readonly call: Call;
  /** Arguments that it would take. */
  readonly args: readonly unknown[];
}

/** Most are local: a call that reaches Stripe costs ten times as much. */
const LOCAL_TIMES = 3;

export function callFamily(shop: Shop): Family {
  const local = localTargets(shop);
  const targets = [...Array.from({ length: LOCAL_TIMES }, () => local).flat(), ...remote(shop)];
  return {
    name: "calls",
    share: 270_000,
    batch: 1_000,
    width: 8,
    attack: async (dice) => {
      const { name, call, args } = dice.pick(targets);
      const given = spoiled(dice, args);
      try {
        await (call as (...all: unknown[]) => Promise<unknown>)(...given);
        return "answered";
      } catch (error) {
        return codeOf(error, name, given);
      }
    },
    check: async () => {
      if (isPolluted()) throw new Broken("broken", "Object.prototype has come to have members");
      const strange = shop.double.requests.recent().find(({ url }) => isStrange(url));
      if (strange === undefined) return;
      shop.double.requests.clear();
      throw new Broken("broken", `Stripe was asked for ${strange.method} ${shown(strange.url)}`);
    },
  };
}

/** An error must be the library's, with a code. */
function codeOf(error: unknown, name: string, given: readonly unknown[]): string {
  if (error instanceof BillingError) {
    if (error.code !== "store_error" && error.code !== "unstorable") return error.code;
  }
  const { name: kind = "", message = "" } = (error ?? {}) as Error;
  const words = `${kind} ${(error as BillingError).code ?? ""} ${message.slice(0, 150)}`;
  throw new Broken("crash", `${name}(${given.map((each) => shown(each)).join(", ")}): ${words}`);
}

/** Whether a path has what no id of Stripe's has. */
function isStrange(url: string): boolean {
  const [path = ""] = url.split("?");
  return !path
    .split("/")
    .slice(1)
    .every((part) => part !== "." && part !== ".." && !/%(2f|5c|3f|23|25|0|1)/i.test(part));
}

/** The arguments, with something wrong in them. */
function spoiled(dice: Dice, args: readonly unknown[]): unknown[] {
  const given = args.map((each) => structuredClone(each));
  const at = dice.below(given.length || 1);
  const one = given[at];
  if (dice.oneIn(6) || typeof one !== "object" || one === null)
    given[at] = dice.oneIn(3) ? dice.pick([null, undefined]) : odd(dice);
  else {
    const fields = one as { [field: string]: unknown };
    const times = 1 + dice.below(2);
    for (let n = 0; n < times; n++) spoilField(dice, fields);
  }
  return given;
}

function spoilField(dice: Dice, fields: { [field: string]: unknown }): void {
  const names = Object.keys(fields);
  switch (dice.below(8)) {
    case 0:
      delete fields[dice.pick(names)];
      return;
    case 1:
      fields[dice.pick(EXTRA)] = odd(dice);
      return;
    case 2:
      fields[dice.pick(names)] = dice.pick(PATHS);
      return;
    default:
      fields[dice.pick(names)] = odd(dice);
  }
}

const EXTRA = ["customer", "entityId", "params", "quantity", "group", "limit", "metadata", "mode"];

function localTargets({ a, b }: Shop): Target[] {
  const [entityId] = ENTITIES;
  const use = { entityId, feature: "credits", amount: 1, key: "request_1" };
  const { store } = b;
  const of = (name: keyof typeof store, ...args: unknown[]): Target => ({
    name: `store.${name}`,
    call: store[name] as Call,
    args,
  });
  return [
    of("subscriptionOf", entityId, { group: "main" }),
    of("subscriptionsOf", entityId),
    of("subscriptionsBy", { status: "active", limit: 10, cursor: null }),
    of("planOf", entityId, { group: "main" }),
    of("can", entityId, "sso"),
    of("limit", entityId, "projects"),
    of("usageOf", entityId),
    of("purchasesOf", entityId, { limit: 10 }),
    of("purchaseBy", { referenceId: "order_1" }),
    of("purchaseBy", { sessionId: "cs_test_1" }),
    of("customerOf", entityId),
    of("invoicesOf", entityId, { limit: 10 }),
    of("refundsOf", entityId, { limit: 10 }),
    of("paymentMethodsOf", entityId, { limit: 10 }),
    of("activeSubscriptionsOf", entityId),
    of("priceBy", { lookupKey: "attacked:pro:monthly" }),
    of("consume", use),
    of("track", use),
    of("reserve", { ...use, expiresAt: Date.now() + 60_000 }),
    of("finish", { reservationId: "r_1", amount: 1 }),
    of("release", { reservationId: "r_1" }),
    of("grant", { ...use, amount: 5, expiresAt: null }),
    of("erase", { entityId: "org_9", customer: "keep" }),
    { name: "billing.runs", call: b.billing.runs as Call, args: [5] },
    { name: "stripe.runs", call: a.stripe.runs as Call, args: [5] },
  ];
}

function remote({ a, b, double }: Shop): Target[] {
  const [entityId] = ENTITIES;
  const { stripe } = a;
  const { billing } = b;
  const [success_url, cancel_url] = ["https://shop.example/thanks", "/"];
  const [successUrl, cancelUrl] = [success_url, cancel_url];
  const lookupKey = "pro:monthly";
  const priceId = double.objects("price")[0]?.id ?? "";
  const customerId = double.objects("customer")[0]?.id ?? "";
  const changing = { entityId, group: "main", quantity: 2, at: "period_end", proration: "none" };
  const event = {
    id: "evt_1",
    object: "event",
    type: "customer.updated",
    created: 1,
    livemode: false,
  };
  const link = { entityId, success_url, cancel_url };
  const linkB = { entityId, successUrl, cancelUrl };
  const metadata = { color: "blue" };
  return [
    { name: "setup", call: b.setup as Call, args: [{ entityId, email: "a@b.example", metadata }] },
    { name: "adopt", call: billing.adopt as Call, args: [{ entityId: "new_1", customerId }] },
    { name: "change", call: billing.change as Call, args: [changing] },
    { name: "change", call: billing.change as Call, args: [{ entityId, lookupKey, quote: "q.s" }] },
    { name: "preview", call: billing.preview as Call, args: [changing] },
    { name: "cancel", call: billing.cancel as Call, args: [{ entityId: "org_3", at: "now" }] },
    { name: "resume", call: billing.resume as Call, args: [{ entityId: "org_3", group: "main" }] },
    { name: "refresh", call: billing.refresh as Call, args: [{ entityId }] },
    { name: "seatsChanged", call: billing.seatsChanged as Call, args: [{ entityId }] },
    {
      name: "ingest",
      call: billing.ingest as Call,
      args: [{ ...event, data: { object: { id: "cus_1" } } }],
    },
    {
      name: "checkout",
      call: billing.checkout as Call,
      args: [
        {
          ...linkB,
          lookupKey,
          quantity: 1,
          trialDays: 3,
          ifSubscribed: "portal",
          params: { locale: "en" },
        },
      ],
    },
    {
      name: "checkout",
      call: b.checkout as Call,
      args: [{ ...linkB, priceId, createStripeCustomerIfMissing: false }],
    },
    {
      name: "pay",
      call: billing.pay as Call,
      args: [{ ...linkB, lookupKey: "more", quantity: 1, referenceId: "order_2" }],
    },
    {
      name: "savePaymentMethod",
      call: billing.savePaymentMethod as Call,
      args: [{ ...linkB, params: { currency: "usd" } }],
    },
    { name: "portal", call: billing.portal as Call, args: [{ entityId, returnUrl: success_url }] },
    {
      name: "subscribe",
      call: stripe.subscribe as Call,
      args: [{}, { ...link, priceId, mode: "subscription", metadata }, {}],
    },
    {
      name: "stripe.pay",
      call: stripe.pay as Call,
      args: [{}, { ...link, mode: "payment", line_items: [{ price: priceId, quantity: 1 }] }, {}],
    },
    {
      name: "stripe.savePaymentMethod",
      call: stripe.savePaymentMethod as Call,
      args: [{}, { ...link, mode: "setup", currency: "usd" }, {}],
    },
    {
      name: "stripe.portal",
      call: stripe.portal as Call,
      args: [{}, { entityId, returnUrl: success_url }, {}],
    },
  ];
}
