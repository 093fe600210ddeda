/** Sends calls to a double, parameter by parameter, and says what of them it does not take. */
import Stripe from "stripe";
import { createStripeDouble } from "../../../packages/stripe-double/src/index.js";
import { at, first } from "../harness/read.js";
import type { Call, Parameter } from "./calls.js";
import { createRoutes, type Route } from "./routes.js";

/** Why a request is not taken: the double does not model it, or takes it for a mistake. */
export type Reason = "not modelled" | "refused";

export interface Gap {
  /** A parameter, an expansion, or the call as a whole. */
  readonly what: string;
  readonly reason: Reason;
}

export interface Probe {
  /** What the double does not take of a call; nothing if it takes all that is visible. */
  gapsOf(call: Call): Promise<Gap[]>;
  close(): Promise<void>;
}

/** Parameters of a checkout whose values matter: they are tried on a session that could be made. */
const CHECKOUT_VALUES =
  /^(automatic_tax|ui_mode|mode|payment_method_types|payment_method_collection)\b/;

export async function createProbe(): Promise<Probe> {
  const double = await createStripeDouble({ seed: 1, now: "2026-03-01T00:00:00Z" });
  const stripe = new Stripe(double.secretKey, { ...double.stripeConfig, maxNetworkRetries: 0 });
  const samples = await makeSamples(stripe);
  const routeOf = createRoutes();
  const answers = new Map<string, Promise<Reason | undefined>>();

  /** Why the double does not take a request; undefined if it does, whatever it answers then. */
  function tried({ method, path }: Route, version: string, form: Form = []) {
    const body = new URLSearchParams(form.map(([key, value]) => [key, value])).toString();
    const request = [method, path, version, body].join(" ");
    const answer = answers.get(request) ?? send(method, path, version, body);
    answers.set(request, answer);
    return answer;
  }

  async function send(method: string, path: string, version: string, body: string) {
    const query = method === "POST" || body === "" ? "" : `?${body}`;
    const answer = await fetch(`${double.url}${path}${query}`, {
      method,
      headers: {
        authorization: `Bearer ${double.secretKey}`,
        "content-type": "application/x-www-form-urlencoded",
        "stripe-version": version,
      },
      ...(method === "POST" ? { body } : {}),
    });
    return reasonOf(answer.status, await answer.text());
  }

  /** An expansion is tried on an object that is there, since a created one may not be. */
  async function triedExpansion(route: Route, version: string, { value }: Parameter) {
    const kind = samples.kinds.find(({ path }) => route.path.startsWith(path));
    if (value === undefined || kind === undefined) return undefined;
    const isOne = route.method === "POST" || route.path.endsWith("/x");
    const path = isOne ? `${kind.path}/${kind.id}` : route.path;
    return tried({ method: "GET", path }, version, [["expand[0]", value]]);
  }

  async function triedParameter(call: Call, route: Route, parameter: Parameter) {
    const { version } = call.application;
    const { key, value } = parameter;
    if (key.startsWith("expand")) return triedExpansion(route, version, parameter);
    const alone = await tried(route, version, [[key, value ?? "1"]]);
    if (alone !== undefined || value === undefined) return alone;
    if (call.method !== "checkout.sessions.create" || !CHECKOUT_VALUES.test(key)) return undefined;
    const mode = call.parameters.find(({ name }) => name === "mode")?.value ?? "subscription";
    const rest: Form = key === "mode" ? [] : [[key, value]];
    return tried(route, version, [...samples.checkout(mode), ...rest]);
  }

  return {
    async gapsOf(call) {
      const route = await routeOf(call.method);
      if (route === "local") return [];
      if (route === undefined) return [{ what: "not in this SDK", reason: "not modelled" }];
      const whole = await tried(route, call.application.version);
      if (whole !== undefined) return [{ what: "the whole call", reason: whole }];
      const gaps: Gap[] = [];
      for (const parameter of call.parameters) {
        const reason = await triedParameter(call, route, parameter);
        const { name, value } = parameter;
        const what = name.startsWith("expand") ? `expand ${value}` : name;
        if (reason !== undefined) gaps.push({ what, reason });
      }
      return gaps;
    },
    close: () => double.close(),
  };
}

type Form = readonly (readonly [key: string, value: string])[];

/** Another refusal is an answer: a parameter that is tried alone lacks what belongs to it. */
function reasonOf(status: number, body: string): Reason | undefined {
  if (status === 501) return "not modelled";
  if (status !== 400 && status !== 404) return undefined;
  const error = at(JSON.parse(body), "error");
  if (at(error, "code") === "parameter_unknown") return "refused";
  const isUnknown = /Unrecognized request URL|Invalid Stripe API version/;
  return isUnknown.test(String(at(error, "message"))) ? "refused" : undefined;
}

/** One object of each kind that applications expand, and what a checkout needs. */
async function makeSamples(stripe: Stripe) {
  const product = await stripe.products.create({ name: "Pro" });
  const amount = { product: product.id, currency: "usd", unit_amount: 1000 };
  const price = await stripe.prices.create({ ...amount, recurring: { interval: "month" } });
  const once = await stripe.prices.create(amount);
  const { id: customer } = await stripe.customers.create({ email: "ada@example.com" });
  const card = await stripe.paymentMethods.attach("pm_card_visa", { customer });
  await stripe.customers.update(customer, {
    invoice_settings: { default_payment_method: card.id },
  });
  const coupon = await stripe.coupons.create({ percent_off: 10, duration: "forever" });
  const subscription = await stripe.subscriptions.create({
    customer,
    items: [{ price: price.id }],
    default_payment_method: card.id,
    discounts: [{ coupon: coupon.id }],
  });
  const session = await stripe.checkout.sessions.create({
    mode: "subscription",
    customer,
    success_url: "https://app.example/back",
    line_items: [{ price: price.id, quantity: 1 }],
  });
  const invoice = first(await stripe.invoices.list({ customer }));
  const intent = first(await stripe.paymentIntents.list({ customer }));
  const charge = first(await stripe.charges.list({ customer }));
  return {
    kinds: [
      { path: "/v1/subscriptions", id: subscription.id },
      { path: "/v1/invoices", id: invoice.id },
      { path: "/v1/customers", id: customer },
      { path: "/v1/prices", id: price.id },
      { path: "/v1/products", id: product.id },
      { path: "/v1/payment_intents", id: intent.id },
      { path: "/v1/charges", id: charge.id },
      { path: "/v1/checkout/sessions", id: session.id },
      { path: "/v1/coupons", id: coupon.id },
      { path: "/v1/payment_methods", id: card.id },
    ],
    checkout: (mode: string): Form => [
      ["mode", mode],
      ["success_url", "https://app.example/back"],
      ["line_items[0][price]", mode === "payment" ? once.id : price.id],
      ["line_items[0][quantity]", "1"],
    ],
  };
}
