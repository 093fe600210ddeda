/**
 * Stripe's side of a history: the double without its socket, what is sold there, and what people do
 * on its pages and in the dashboard. It knows at any time which subscriptions are live, and notes
 * when somebody comes to pay two of one group.
 */
import Stripe from "stripe";
import { renderEvent } from "../../packages/stripe-double/src/api/render.js";
import { createDashboard } from "../../packages/stripe-double/src/dashboard.js";
import { createEngine } from "../../packages/stripe-double/src/engine.js";
import type { Incoming, Outgoing } from "../../packages/stripe-double/src/http/handle.js";
import type { Answer, OrderName } from "./history.js";

type Group = "main" | "extra";

/** The prices of the shop, with the groups of their products and their amounts. */
const PRICES = { basic: "main", pro: "main", addon: "extra" } as const;
const AMOUNTS = { basic: 1_000, pro: 2_000, addon: 500 } as const;
type PriceName = keyof typeof PRICES;

export interface Order {
  /** The first is the price that the call names, others are added lines. */
  readonly prices: readonly PriceName[];
  readonly quantity: number;
  readonly trialDays?: number;
}

export const orders: { readonly [name in OrderName]: Order } = {
  basic: { prices: ["basic"], quantity: 1 },
  pro: { prices: ["pro"], quantity: 1 },
  seats: { prices: ["basic"], quantity: 3 },
  trial: { prices: ["basic"], quantity: 1, trialDays: 14 },
  addon: { prices: ["addon"], quantity: 1 },
  both: { prices: ["pro", "addon"], quantity: 1 },
};

export const groupsOf = (order: OrderName): readonly Group[] => [
  ...new Set(orders[order].prices.map((price) => PRICES[price])),
];

/** A subscription: from when and until when it is live, and since when it is more than an attempt. */
export interface Sold {
  readonly id: string;
  readonly by: "page" | "dashboard";
  readonly groups: readonly Group[];
  readonly from: number;
  paidFrom: number;
  until: number;
}

/** What the faults of the double call it. */
const FAULTS = {
  limited: "rate_limited",
  "lost before": "cut_before",
  "lost after": "cut_after",
  "failed before": "error_before",
  "failed after": "error_after",
} as const satisfies { [answer in Exclude<Answer, "good">]: string };

export interface Shop {
  readonly secretKey: string;
  /** A request of the API, as of now. */
  answer(incoming: Incoming, fault: Answer): Promise<Outgoing>;
  priceOf(name: PriceName): string;
  /** Whether the page of this session can be paid now. */
  isOpen(session: string): boolean;
  /** Whether its page sells this: each order has another total, and a trial is free at first. */
  sells(session: string, order: OrderName): boolean;
  /** When it was expired. */
  closedAt(session: string): number;
  /** Whether an invoice of this subscription can be paid now. */
  hasOpenInvoice(subscription: string): boolean;
  /** When an invoice of this subscription was last voided. */
  voidedAt(subscription: string): number;
  /** A person pays a page, or tries to; answers the subscription that is paid so. */
  pay(session: string, card: "good" | "declined"): Sold | undefined;
  /** A person pays the open invoices of a subscription; answers it, if there were any. */
  payInvoices(subscription: string): Promise<Sold | undefined>;
  /** Somebody subscribes the customer in the dashboard, if there is one. */
  subscribe(order: OrderName): Promise<Sold | undefined>;
  end(sold: Sold): Promise<void>;
  /** Those of a group that were live at any moment from the first to the second. */
  liveIn(group: Group, from: number, to: number): readonly Sold[];
  /** Two live subscriptions of a group, paid through pages. */
  readonly doubles: readonly string[];
  /** A page was paid beside a subscription that was made in the dashboard. */
  readonly besideDashboard: number;
}

export interface ShopOptions {
  readonly start: number;
  now(): number;
  /** Hears of every event, as its webhook would have it. */
  onEvent(body: object): void;
  log(line: string): void;
}

export async function openShop({ start, now, onEvent, log }: ShopOptions): Promise<Shop> {
  const engine = createEngine(
    { apiVersion: Stripe.API_VERSION },
    {
      start,
      url: () => "http://stripe-double",
      handlerFor: () => undefined,
      sleep: async () => {},
    },
  );
  const { world, clock } = engine;
  const dashboard = createDashboard(world);
  const secretKey = engine.keys.test;
  const sold: Sold[] = [];
  const closed = new Map<string, number>();
  const doubles: string[] = [];
  let besideDashboard = 0;
  /** Who makes subscriptions now: people on pages, unless the dashboard is at work. */
  let by: Sold["by"] = "page";
  const arrive = () => clock.stepTo(now());

  async function answer(incoming: Incoming, fault: Answer): Promise<Outgoing> {
    arrive();
    if (fault === "good") return engine.answer(incoming);
    const id = engine.faults.add({ fault: FAULTS[fault], times: 1 });
    const outgoing = await engine.answer(incoming);
    engine.faults.remove(id);
    return outgoing;
  }

  /** A request of the dashboard's own, which never fails. */
  async function post<T>(path: string, params: { [name: string]: string }): Promise<T> {
    const outgoing = await answer(
      {
        method: path.startsWith("DELETE") ? "DELETE" : "POST",
        url: `/v1/${path.replace("DELETE ", "")}`,
        headers: { authorization: `Bearer ${secretKey}` },
        body: new URLSearchParams(params).toString(),
      },
      "good",
    );
    if (outgoing.status !== 200) throw new Error(outgoing.body);
    return JSON.parse(outgoing.body) as T;
  }

  const isPaid = (each: Sold, group: Group) =>
    each.groups.includes(group) && each.paidFrom <= now() && each.until > now();

  /** A subscription begins: paid, in trial, or waiting for its first payment. */
  function begin(id: string, groups: readonly Group[]): Sold {
    const added: Sold = { id, by, groups, from: now(), paidFrom: Infinity, until: Infinity };
    log(`${id} begins, by ${by}, of ${groups.join(" and ")}`);
    sold.push(added);
    return added;
  }

  /** From here on it is more than an attempt. */
  function pay(paid: Sold): void {
    paid.paidFrom = now();
    for (const group of paid.groups) {
      const others = sold.filter((each) => each !== paid && isPaid(each, group));
      if (paid.by === "page" && others.some((each) => each.by === "page")) {
        doubles.push(`${[...others, paid].map((each) => each.id).join(" and ")} are both live`);
      } else if (others.length > 0) besideDashboard++;
    }
  }

  function watch({ id, status, items }: Stripe.Subscription): void {
    const known =
      sold.find((each) => each.id === id) ??
      begin(id, groupsIn(items.data.map(({ price }) => price.id)));
    if (status === "canceled" || status === "incomplete_expired") {
      if (known.until === Infinity) log(`${id} has ended`);
      known.until = Math.min(known.until, now());
    } else if (status !== "incomplete" && known.paidFrom === Infinity) pay(known);
  }

  const prices = new Map<string, string>();
  for (const [name, group] of Object.entries(PRICES)) {
    const product = await post<{ id: string }>("products", {
      name,
      ...(group === "main" ? {} : { "metadata[billing_group]": group }),
    });
    const { id } = await post<{ id: string }>("prices", {
      product: product.id,
      currency: "usd",
      unit_amount: String(AMOUNTS[name as PriceName]),
      "recurring[interval]": "month",
    });
    prices.set(name, id);
  }
  dashboard.savePortalSettings();
  world.onEvent((event) => {
    const subscription = event.object as Stripe.Subscription;
    if (subscription.object === "subscription") watch(subscription);
    if (event.type === "checkout.session.expired") closed.set(subscription.id, now());
    if (event.type === "invoice.voided") {
      const { parent } = event.object as Stripe.Invoice;
      const of = parent?.subscription_details?.subscription;
      if (typeof of === "string") closed.set(of, now());
    }
    onEvent(renderEvent(world, event, engine.version));
  });

  const priceOf = (name: PriceName) => prices.get(name)!;
  const groupsIn = (ids: readonly string[]) => [
    ...new Set(
      Object.entries(PRICES).flatMap(([name, group]) =>
        ids.includes(prices.get(name)!) ? [group] : [],
      ),
    ),
  ];

  const openInvoices = (subscription: string) =>
    [...world.objects.invoice.values()].filter(
      ({ status, parent }) =>
        status === "open" && parent?.subscription_details?.subscription === subscription,
    );

  return {
    secretKey,
    answer,
    priceOf,
    isOpen(session) {
      arrive();
      return world.objects["checkout.session"].get(session)?.status === "open";
    },
    sells(session, name) {
      const { prices: names, quantity, trialDays } = orders[name];
      const [first, ...others] = names.map((price) => AMOUNTS[price]);
      const total = others.reduce((sum, amount) => sum + amount, (first ?? 0) * quantity);
      const shown = world.find("checkout.session", session).amount_total;
      return shown === total || (trialDays !== undefined && shown === 0);
    },
    closedAt: (session) => closed.get(session) ?? Infinity,
    pay(session, card) {
      arrive();
      const number = card === "good" ? "4242424242424242" : "4000000000000002";
      const outcome = dashboard.payCheckout(session, { card: number, email: "ada@example.com" });
      log(`a person pays ${session}: ${outcome}`);
      const { subscription } = world.find("checkout.session", session);
      return outcome === "paid" ? sold.find(({ id }) => id === subscription) : undefined;
    },
    hasOpenInvoice(subscription) {
      arrive();
      return openInvoices(subscription).length > 0;
    },
    voidedAt: (subscription) => closed.get(subscription) ?? -Infinity,
    async payInvoices(subscription) {
      arrive();
      const open = openInvoices(subscription);
      for (const { id } of open) await post(`invoices/${id}/pay`, { paid_out_of_band: "true" });
      log(`a person pays ${open.length} invoices of ${subscription}`);
      return open.length > 0 ? sold.find(({ id }) => id === subscription) : undefined;
    },
    async subscribe(order) {
      arrive();
      const [customer] = world.objects.customer.values();
      if (customer === undefined) return undefined;
      by = "dashboard";
      const { id } = await post<{ id: string }>("subscriptions", {
        customer: customer.id,
        collection_method: "send_invoice",
        days_until_due: "30",
        ...Object.fromEntries(
          orders[order].prices.map((price, index) => [`items[${index}][price]`, priceOf(price)]),
        ),
      });
      by = "page";
      return sold.find((each) => each.id === id);
    },
    async end(ended) {
      if (ended.until > now()) await post(`DELETE subscriptions/${ended.id}`, {});
    },
    liveIn: (group, from, to) =>
      sold.filter((each) => each.groups.includes(group) && each.from <= to && each.until > from),
    doubles,
    get besideDashboard() {
      return besideDashboard;
    },
  };
}
