/**
 * Writes the application's name into the metadata of customers that were linked before it had one.
 * It may be interrupted and run again: a customer that carries the name is passed over, by what the
 * mirror's row says.
 */
import Stripe from "stripe";
import { APP_KEY } from "../catalogue/carrier.js";
import { BillingError, provider } from "../runtime/errors.js";
import type { Runtime } from "../runtime/runtime.js";
import { checkPlace } from "../stripe/account.js";
import { inTurn } from "../stripe/pacer.js";
import type { Target } from "./claim/claim.js";
import { forgetCustomer, retrieve, seen, store } from "./claim/record.js";
import { customerPages, markOf } from "./marks.js";

/** What was done, and what was not. */
export interface StampReport {
  /** Customers that carry the name now and did not before. */
  readonly stamped: number;
  /** Linked customers that carry another application's name. They are not touched. */
  readonly theirs: readonly string[];
  /** Customers whose change Stripe refused, with its reason. */
  readonly refused: readonly { readonly customer: string; readonly reason: string }[];
}

/**
 * Stamps every linked customer that carries no application's name. `onStamped` is called after
 * each, with the number so far. What Stripe refuses for one customer is reported and the others go
 * on; anything else is thrown.
 */
export async function stampCustomers(
  runtime: Runtime,
  onStamped: (stamped: number) => void = () => {},
): Promise<StampReport> {
  const { app } = runtime;
  if (app === undefined || !runtime.resources.includes("customers")) {
    throw new BillingError(
      "invalid_config",
      "Customers cannot be given the application's name. Set `app`, or BILLING_APP for the command, and mirror `customers`.",
    );
  }
  await checkPlace(runtime);
  let stamped = 0;
  const theirs: string[] = [];
  const refused: { customer: string; reason: string }[] = [];
  for await (const page of customerPages(runtime.store)) {
    for (const { entityId, customerId: customer, stripe } of page) {
      if (entityId === null) continue;
      const mark = markOf(stripe.metadata, app);
      if (mark === "ours") continue;
      try {
        const became =
          mark === "theirs"
            ? mark
            : await stamp(runtime, app, { entityId, account: null }, customer);
        if (became === "theirs") theirs.push(customer);
        if (became === "stamped") onStamped(++stamped);
      } catch (error) {
        if (!(error instanceof Stripe.errors.StripeError)) throw error;
        if (!(error instanceof Stripe.errors.StripeInvalidRequestError)) provider(error);
        refused.push({ customer, reason: error.message });
      }
    }
  }
  return { stamped, theirs, refused };
}

/** Looks at Stripe first: another name may have been written there since. */
async function stamp(
  runtime: Runtime,
  app: string,
  target: Target,
  id: string,
): Promise<"stamped" | "ours" | "theirs" | "gone"> {
  const customer = await inTurn(runtime, "GET customers", () => retrieve(runtime, target, id));
  if (customer === undefined) {
    await forgetCustomer(runtime, id);
    return "gone";
  }
  const mark = markOf(customer.metadata, app);
  if (mark === "theirs") return "theirs";
  // Also where Stripe has the name already: the answer brings it to the mirror, which lacks it.
  const snapshot = await inTurn(runtime, "POST customers", async () => {
    const startedAt = runtime.now();
    const params = { metadata: { [APP_KEY]: app } };
    const updated = await runtime.stripe().customers.update(id, params);
    return seen(runtime, target, updated, startedAt);
  });
  await store(runtime, snapshot);
  return mark === "ours" ? "ours" : "stamped";
}
