// A double of Stripe, the SDK, and the named events that follow from what an act does to all rows.
import Stripe from "stripe";
import type { ResourceName } from "../../../../src/core/catalogue/catalogue.js";
import { resources } from "../../../../src/core/catalogue/resources.js";
import { plain } from "../../../../src/core/mirror/snapshot.js";
import type { PurchaseFacts } from "../../../../src/core/mirror/store.js";
import { type ChangeFacts, namedEvents } from "../../../../src/core/reactions/named.js";
import { createStripeDouble, type StripeDouble } from "../../../../src/testing/index.js";

const NOW = "2026-01-15T10:00:00Z";

const LOOKED_AT = [
  "subscriptions",
  "invoices",
  "checkout_sessions",
  "payment_intents",
  "refunds",
  "disputes",
  "customers",
] as const satisfies readonly ResourceName[];

type Contents = ReadonlyMap<string, object>;
/** The contents of all rows, by resource and id, as Stripe answers a retrieval. */
export type Rows = ReadonlyMap<ResourceName, Contents>;

export interface World {
  readonly double: StripeDouble;
  readonly stripe: Stripe;
  /** Two prices of one product each, by the month, and one that is paid once. */
  readonly basic: string;
  readonly pro: string;
  readonly once: string;
  rows(): Promise<Rows>;
  /** What is told of an act, with all that it does by the time it is over. */
  told(act: () => unknown): Promise<readonly string[]>;
  /** A customer with this card on file, which is charged by default. */
  payer(card?: string): Promise<string>;
  useCard(customer: string, card: string): Promise<void>;
}

export async function openWorld(): Promise<World> {
  const double = await createStripeDouble({ seed: 5, now: NOW });
  const stripe = new Stripe(double.secretKey, { ...double.stripeConfig, maxNetworkRetries: 0 });
  const price = async (name: string, unit_amount: number, recurring?: { interval: "month" }) => {
    const terms = { currency: "usd", unit_amount, ...(recurring ? { recurring } : {}) };
    return (await stripe.prices.create({ product_data: { name }, ...terms })).id;
  };

  async function rows(): Promise<Rows> {
    const all = new Map<ResourceName, Contents>();
    for (const resource of LOOKED_AT) all.set(resource, await contentsOf(resource));
    return all;
  }

  async function contentsOf(resource: ResourceName): Promise<Contents> {
    const { lists, retrieve } = resources[resource];
    const contents = new Map<string, object>();
    for (const list of lists) {
      const all = list(stripe, { limit: 100 }) as unknown as AsyncIterable<{ id: string }>;
      for await (const { id } of all) {
        contents.set(id, plain(await retrieve(stripe, id)));
      }
    }
    return contents;
  }

  /** What a mirror knows beside the row. */
  async function factsOf(resource: ResourceName, id: string, now: Rows): Promise<ChangeFacts> {
    if (resource === "payment_intents") return { purchase: purchaseOf(id, now) };
    if (resource !== "invoices") return {};
    const payments = await stripe.invoicePayments.list({ invoice: id });
    const isProcessing = payments.data.some(({ payment }) => {
      const intent = now.get("payment_intents")?.get(String(payment.payment_intent));
      return (intent as { status?: string } | undefined)?.status === "processing";
    });
    return { isProcessing };
  }

  async function told(act: () => unknown): Promise<readonly string[]> {
    const before = await rows();
    await act();
    const after = await rows();
    const names: string[] = [];
    for (const resource of LOOKED_AT) {
      const [was, is] = [before.get(resource), after.get(resource)];
      for (const id of new Set([...(was?.keys() ?? []), ...(is?.keys() ?? [])])) {
        const facts = await factsOf(resource, id, after);
        names.push(...namedEvents(resource, was?.get(id) ?? null, is?.get(id) ?? null, facts));
      }
    }
    return names;
  }

  async function useCard(customer: string, card: string): Promise<void> {
    const { id } = await stripe.paymentMethods.attach(card, { customer });
    const invoice_settings = { default_payment_method: id };
    await stripe.customers.update(customer, { invoice_settings });
  }

  return {
    double,
    stripe,
    basic: await price("Basic", 1_000, { interval: "month" }),
    pro: await price("Pro", 3_000, { interval: "month" }),
    once: await price("Poster", 2_000),
    rows,
    told,
    useCard,
    async payer(card) {
      const { id } = await stripe.customers.create({ email: "ada@example.com" });
      if (card !== undefined) await useCard(id, card);
      return id;
    },
  };
}

function purchaseOf(intent: string, now: Rows): PurchaseFacts | null {
  const sessions = [
    ...(now.get("checkout_sessions")?.values() ?? []),
  ] as PurchaseFacts["session"][];
  const session = sessions.find(({ payment_intent: paidBy }) => paidBy === intent);
  const content = now.get("payment_intents")?.get(intent) as PurchaseFacts["intent"];
  return session === undefined
    ? null
    : { entityId: "user_1", session, intent: content ?? null, charges: [], data: null };
}
