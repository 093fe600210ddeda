/** The double of Stripe, with what it can do for an application on this library. */
import Stripe from "stripe";
import {
  DoubleError,
  type FetchHandler,
  type StripeDoubleOptions,
  type StripeDouble as StripeItself,
  createStripeDouble as startDouble,
} from "stripe-double";
import type { AnyCatalogue } from "../core/plans/catalogue.js";
import { push } from "../push/push.js";
import { finishJobs, type SettledConvex } from "./convex.js";
import { type SettledLibrary, settleLibrary } from "./settle-library.js";

/** What a customer enters on the page of a checkout. */
export interface PaidCheckout {
  /** A test card. Default: one that pays. */
  readonly card?: string;
  readonly email?: string;
}

/** What the double begins with. */
export interface DoubleOptions extends StripeDoubleOptions {
  /** Plans in code, which are pushed before it is handed out. */
  readonly catalogue?: AnyCatalogue | undefined;
}

/** A running double. */
export interface StripeDouble extends StripeItself {
  /**
   * Resolves once every delivery that is due has been attempted. Given the application's `store`, it
   * also answers what these events left in doubt, such as the order of two changes within a second;
   * the library itself asks Stripe about it two seconds later. Given a backend of `convex-test`, it
   * waits until none of its jobs runs or is due soon, and for what these raise in turn.
   */
  settle(library?: SettledLibrary | SettledConvex): Promise<void>;
  /**
   * Pays a checkout, by the address that `checkout`, `subscribe` or `pay` answered. Throws, with the
   * reason, unless it is paid afterwards.
   */
  payCheckout(url: string, options?: PaidCheckout): Promise<void>;
  /**
   * Follows a customer back from a checkout or from the portal, by the address of that page: requests
   * the address that Stripe sends the browser to, and answers what the application says. That is the
   * handler of `answer` for its host, or else a server on this machine.
   */
  comeBack(url: string): Promise<Response>;
}

/**
 * Starts a Stripe of your own on loopback, for tests; its account has the API version of the
 * installed `stripe` package.
 *
 * @example
 * ```ts
 * import { createStripeDouble } from "backend-billing/testing";
 * import Stripe from "stripe";
 *
 * const double = await createStripeDouble({ seed: 7, now: "2026-03-01T00:00:00Z" });
 * const stripe = new Stripe(double.secretKey, double.stripeConfig);
 * await stripe.customers.create({ email: "ada@example.com" });
 * await double.settle(); // the webhook has been delivered, or has failed
 * await double.clock.advance({ days: 30 }); // renewals, retries and expiries happen
 * await double.close();
 * ```
 */
export async function createStripeDouble({
  catalogue,
  ...options
}: DoubleOptions = {}): Promise<StripeDouble> {
  const double = await startDouble({ apiVersion: Stripe.API_VERSION, ...options });
  if (catalogue !== undefined) {
    await push(new Stripe(double.secretKey, double.stripeConfig), catalogue);
  }
  const handlers = new Map<string, FetchHandler>();
  const { settle, answer } = double;
  return Object.assign(double, {
    async settle(library?: SettledLibrary | SettledConvex) {
      await settle();
      if (library === undefined) return;
      if ("store" in library) {
        await settleLibrary(library, double.secretKey, double.stripeConfig);
        await settle();
      } else while (await finishJobs(library)) await settle();
    },
    answer(origin: string, handler: FetchHandler) {
      answer(origin, handler);
      handlers.set(new URL(origin).origin, handler);
    },
    async payCheckout(url: string, entered?: PaidCheckout) {
      const outcome = double.dashboard.payCheckout(url, entered);
      if (outcome !== "paid") throw new DoubleError(`${url} was not paid: ${REASONS[outcome]}`);
    },
    async comeBack(url: string) {
      const target = addressAfter(double, url);
      const handler = handlers.get(new URL(target).origin);
      return handler ? handler(new Request(target)) : fetch(target, { redirect: "manual" });
    },
  });
}

const REASONS = {
  declined: "the card was declined.",
  closed: "it was completed before, or has expired.",
  processing: "the bank has not answered to the debit yet. Move the double's clock by a minute.",
  requires_action:
    'the bank asks for authentication. Answer with double.dashboard.authenticate(url, "succeed").',
} as const;

/** Where the browser goes from a page of Stripe. */
function addressAfter(double: StripeItself, url: string): string {
  const portal = double.objects("billing_portal.session").find((each) => each.url === url);
  const id = /\/c\/pay\/(cs_\w+)/.exec(url)?.[1];
  const checkout = double.objects("checkout.session").find((each) => each.id === id);
  const target =
    portal?.return_url ??
    (checkout?.status === "complete" ? checkout.success_url : checkout?.cancel_url);
  if (target) return target.replaceAll("{CHECKOUT_SESSION_ID}", id ?? "");
  throw new DoubleError(
    portal || checkout
      ? `The page ${url} leads nowhere: its session has no address to return to.`
      : `${url} is not the address of a checkout or of a portal session of this double.`,
  );
}
