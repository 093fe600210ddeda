/**
 * Links to Stripe's pages: checkout for a subscription or a payment, and the billing portal. What
 * Stripe's calls take is passed through, except what the library decides itself.
 */
import type Stripe from "stripe";
import { forLiveCustomer } from "../customers/live-customer.js";
import { checkSetup, customerIdOf, type Reach, setup } from "../customers/setup.js";
import { factsOf } from "../runtime/error-facts.js";
import { BillingError, provider } from "../runtime/errors.js";
import { records } from "../runtime/records/records.js";
import type { Runtime } from "../runtime/runtime.js";
import { observed } from "../runtime/telemetry.js";
import { checkQuantity, linesFor, soldPrices } from "./offers.js";
import { checkTarget, type ReturnTo, returnLink } from "./return.js";

/** Decided by the library: passing one is a mistake. */
type Owned = "customer" | "customer_email" | "ui_mode" | "return_url";
const OWNED: readonly Owned[] = ["customer", "customer_email", "ui_mode", "return_url"];

type SessionParams = Omit<Stripe.Checkout.SessionCreateParams, Owned | "mode">;

/** What `subscribe` takes: Stripe's own parameters pass through. */
export interface SubscribeParams extends Omit<SessionParams, "line_items"> {
  readonly entityId: string;
  readonly priceId: string;
  readonly mode: "subscription";
  /** How many, such as seats. Default 1; never sent for a metered price, which has none. */
  readonly quantity?: number | undefined;
  readonly success_url: string;
  readonly cancel_url: string;
  /** An entry of the same price replaces the line of `priceId`; others are added to it. */
  readonly line_items?: SessionParams["line_items"];
}

/** What `pay` takes: Stripe's own parameters pass through. */
export interface PayParams extends Omit<SessionParams, "client_reference_id"> {
  /** The application's own id of what is bought, such as an order's. */
  readonly referenceId?: string | undefined;
  readonly entityId: string;
  readonly mode: "payment";
  readonly line_items: NonNullable<SessionParams["line_items"]>;
  readonly success_url: string;
  readonly cancel_url: string;
}

/** What `portal` takes. */
export interface PortalParams
  extends Omit<Stripe.BillingPortal.SessionCreateParams, "customer" | "return_url"> {
  readonly entityId: string;
  readonly returnUrl: string;
}

/** What `checkout` takes. */
export interface CheckoutArgs {
  readonly entityId: string;
  readonly priceId: string;
  /** How many, such as seats. Default 1; never sent for a metered price, which has none. */
  readonly quantity?: number | undefined;
  readonly successUrl: string;
  readonly cancelUrl: string;
  readonly createStripeCustomerIfMissing?: boolean;
}

/** What `portal` of variant B takes. */
export type PortalArgs = Pick<PortalParams, "entityId" | "returnUrl">;

/** All that the calls of variant B take: they pass nothing through, so the rest is a mistake. */
const CHECKOUT: { readonly [name in keyof CheckoutArgs]-?: true } = {
  entityId: true,
  priceId: true,
  quantity: true,
  successUrl: true,
  cancelUrl: true,
  createStripeCustomerIfMissing: true,
};
const PORTAL: { readonly [name in keyof PortalArgs]-?: true } = { entityId: true, returnUrl: true };

/** The address of one of Stripe's pages, to send the browser to. */
export interface Link {
  readonly url: string;
}

/** A function that makes a link, with its span and its log line. */
function observedLink<A extends readonly unknown[]>(
  link: "checkout" | "payment" | "portal",
  make: (runtime: Runtime, ...args: A) => Promise<Link>,
): (runtime: Runtime, ...args: A) => Promise<Link> {
  return (runtime, ...args) =>
    observed(runtime.telemetry, "link", async (annotate) => {
      annotate?.({ link });
      try {
        return await make(runtime, ...args);
      } catch (error) {
        runtime.log?.warn({ link, ...factsOf(error) }, "A link was not made");
        throw error;
      }
    });
}

export const subscribe = observedLink("checkout", subscribeLink);
export const pay = observedLink("payment", payLink);
export const checkout = observedLink("checkout", checkoutLink);
export const portal = observedLink("portal", portalLink);
/** The portal of variant B, which passes nothing through. */
export const plainPortal = observedLink("portal", async (runtime: Runtime, args: PortalArgs) => {
  checkKnown("portal", args, PORTAL);
  return portalLink(runtime, args);
});

async function subscribeLink(
  runtime: Runtime,
  params: SubscribeParams,
  options?: Stripe.RequestOptions,
): Promise<Link> {
  const { entityId, priceId, mode, quantity, line_items: given, ...rest } = params;
  checkMode(mode, "subscription");
  checkOwned(rest, OWNED);
  checkGiven(runtime, params, ["priceId"], ["success_url", "cancel_url"]);
  checkQuantity(quantity);
  checkSetup({ entityId });
  const prices = [priceId, ...pricesIn(given, rest.optional_items)];
  const sold = await soldPrices(runtime, prices, reachOf(options));
  const session = { ...rest, mode, line_items: linesFor(priceId, sold, quantity, given) };
  return openSession(runtime, customerFor(runtime, entityId, options), session, options);
}

async function payLink(
  runtime: Runtime,
  params: PayParams,
  options?: Stripe.RequestOptions,
): Promise<Link> {
  const { entityId, referenceId, mode, ...rest } = params;
  checkMode(mode, "payment");
  checkOwned(rest, [...OWNED, "client_reference_id"]);
  checkGiven(runtime, params, ["line_items"], ["success_url", "cancel_url"]);
  checkReference(referenceId);
  checkSetup({ entityId });
  const prices = pricesIn(rest.line_items, rest.optional_items);
  await soldPrices(runtime, prices, reachOf(options));
  return openSession(
    runtime,
    customerFor(runtime, entityId, options),
    {
      ...rest,
      mode,
      ...(referenceId === undefined ? {} : referring(rest, referenceId)),
    },
    options,
  );
}

/** Puts the reference on the session and on the payment. */
function referring({ metadata, payment_intent_data: intent }: SessionParams, referenceId: string) {
  return {
    client_reference_id: referenceId,
    metadata: { ...metadata, referenceId },
    payment_intent_data: { ...intent, metadata: { ...intent?.metadata, referenceId } },
  };
}

function checkReference(referenceId: unknown): void {
  if (referenceId === undefined || (typeof referenceId === "string" && referenceId !== "")) return;
  throw new BillingError(
    "invalid_argument",
    "`referenceId` must be a string that is not empty, such as the id of an order. Leave it out if there is none.",
  );
}

async function checkoutLink(runtime: Runtime, args: CheckoutArgs): Promise<Link> {
  const { entityId, priceId, successUrl, cancelUrl, createStripeCustomerIfMissing = true } = args;
  checkKnown("checkout", args, CHECKOUT);
  checkGiven(runtime, args, ["priceId"], ["successUrl", "cancelUrl"]);
  checkQuantity(args.quantity);
  checkSetup({ entityId });
  const existing = () => customerIdOf(runtime, entityId);
  if (!createStripeCustomerIfMissing) await existing(); // before Stripe is asked for the price
  const find = createStripeCustomerIfMissing ? customerFor(runtime, entityId) : existing;
  const sold = await soldPrices(runtime, [priceId]);
  return openSession(runtime, find, {
    // mutant "variant B sells once": "subscription" -> "payment"
    mode: "subscription",
    line_items: linesFor(priceId, sold, args.quantity),
    success_url: successUrl,
    cancel_url: cancelUrl,
  });
}

/** A function that finds or creates the entity's customer. */
function customerFor(
  runtime: Runtime,
  entityId: string,
  options?: Stripe.RequestOptions,
): () => Promise<string> {
  return async () => (await setup(runtime, { entityId }, reachOf(options))).customerId;
}

async function openSession(
  runtime: Runtime,
  find: () => Promise<string>,
  params: Stripe.Checkout.SessionCreateParams & { success_url: string },
  options?: Stripe.RequestOptions,
): Promise<Link> {
  return forLiveCustomer(runtime, options, find, (customer, at) => {
    const to = { kind: "checkout", target: params.success_url, customerId: customer } as const;
    return openPage(runtime, to, at, (success_url) =>
      runtime.stripe().checkout.sessions.create({ ...params, customer, success_url }, at),
    );
  });
}

async function portalLink(
  runtime: Runtime,
  params: PortalParams,
  options?: Stripe.RequestOptions,
): Promise<Link> {
  const { entityId, returnUrl, ...rest } = params;
  checkOwned(rest, ["customer", "return_url"]);
  checkGiven(runtime, params, [], ["returnUrl"]);
  const find = () => customerIdOf(runtime, entityId, reachOf(options));
  // The remembered configuration is of the key's own account.
  const saved = options?.stripeAccount ? undefined : await records.portal.read(runtime);
  const configuration = saved?.data?.configurationId;
  return forLiveCustomer(runtime, options, find, (customer, at) => {
    const to = { kind: "portal", target: returnUrl, customerId: customer } as const;
    return openPage(runtime, to, at, (return_url) =>
      runtime.stripe().billingPortal.sessions.create(
        {
          ...(configuration === undefined ? {} : { configuration }),
          ...rest,
          customer,
          return_url,
        },
        at,
      ),
    );
  });
}

/** Of the request options, `stripeAccount` reaches every call and the rest only the session's. */
function reachOf({ stripeAccount }: Stripe.RequestOptions = {}): Reach {
  return stripeAccount === undefined ? {} : { stripeAccount };
}

/** Opens one of Stripe's pages, from which people come back through our return route. */
async function openPage(
  runtime: Runtime,
  to: Omit<ReturnTo, "account">,
  options: Stripe.RequestOptions | undefined,
  create: (backUrl: string) => Promise<{ readonly url: string | null }>,
): Promise<Link> {
  const back = { ...to, account: options?.stripeAccount ?? null };
  const opened = await create(await returnLink(runtime, back)).catch(async (error: unknown) => {
    // A repeated call must say what the first one said, and its link may be from the day before.
    const { rawType } = error as Partial<Stripe.errors.StripeError>;
    if (!options?.idempotencyKey || rawType !== "idempotency_error") return provider(error);
    return create(await returnLink(runtime, back, 1)).catch(provider);
  });
  if (opened.url) {
    // The link is not logged: it grants access to anyone who has it.
    runtime.log?.info({ object: to.customerId, link: to.kind }, "A link was made");
    return { url: opened.url };
  }
  throw new BillingError(
    "provider_error",
    "Stripe answered a session without a link. Leave out parameters that make it anything but a hosted page.",
  );
}

/** The ids of the prices in these lines; one that a line makes on the spot has none. */
function pricesIn(...lists: readonly (readonly { readonly price?: string }[] | undefined)[]) {
  return lists.flatMap((lines) => (lines ?? []).flatMap(({ price }) => price ?? []));
}

function checkMode(mode: string, wanted: string): void {
  if (mode !== wanted) {
    throw new BillingError("invalid_argument", `\`mode\` must be "${wanted}" here, not "${mode}".`);
  }
}

function checkKnown(name: string, args: object, known: object): void {
  const unknown = Object.keys(args).find((key) => !Object.hasOwn(known, key));
  if (unknown === undefined) return;
  throw new BillingError(
    "invalid_argument",
    `\`${name}\` takes no \`${unknown}\`; it takes ${Object.keys(known).join(", ")}. Variant A passes on what Stripe takes.`,
  );
}

function checkOwned(params: object, owned: readonly string[]): void {
  const taken = owned.find((name) => Object.hasOwn(params, name));
  if (taken !== undefined) {
    throw new BillingError(
      "invalid_argument",
      `\`${taken}\` is decided by the library and cannot be passed: the customer follows from \`entityId\`.`,
    );
  }
}

/** Everything that can be refused is refused before a customer is made. */
function checkGiven<P extends object>(
  runtime: Runtime,
  params: P,
  needed: readonly (keyof P & string)[],
  targets: readonly (keyof P & string)[],
): void {
  const absent = [...needed, ...targets].find((name) => !params[name]);
  if (absent !== undefined) {
    throw new BillingError("invalid_argument", `\`${absent}\` is missing.`);
  }
  runtime.baseUrl(); // throws if it is not configured: without it no return link can be made
  for (const name of targets) checkTarget(runtime, name, String(params[name]));
}
