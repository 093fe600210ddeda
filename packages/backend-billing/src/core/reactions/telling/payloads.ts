/** What the named events of a change carry. It reads what it needs, and writes nothing. */
import type { ResourceName, StripeObject } from "../../catalogue/catalogue.js";
import { subscriptionOfInvoice } from "../../mirror/reads/subscribed.js";
import type { PurchaseFacts, SubscriptionFacts } from "../../mirror/store.js";
import type { AnyCatalogue } from "../../plans/catalogue.js";
import { type Purchase, purchaseFrom } from "../../purchases/purchase.js";
import { DEFAULT_GROUP } from "../../subscriptions/group.js";
import { subscriptionState, subscriptionStates } from "../../subscriptions/state.js";
import type { EventName } from "../event.js";
import { type ChangeFacts, namedEvents } from "../named.js";
import { isCollectedBy } from "../payments.js";
import { subscriptionStep } from "../step.js";
import type { ReactionReads } from "./context.js";

/** A change of a row that belongs to an entity. */
export interface OwnedStep {
  readonly resource: ResourceName;
  readonly id: string;
  readonly before: object | null;
  readonly after: object | null;
  readonly entityId: string;
  /** It may be gone. */
  readonly customerId: string;
}

interface Context {
  readonly reads: Pick<ReactionReads, "purchased" | "processing">;
  readonly resources: readonly ResourceName[];
  readonly catalogue?: AnyCatalogue | undefined;
  readonly names: ReadonlySet<string>;
}

/** An event that follows from a change. */
export interface Followed {
  readonly name: EventName;
  /** The group whose state it is told with. */
  readonly group: string;
  /** What it has beside what all events have. */
  readonly carries: object;
}

/** The events of a change that the application has handlers for, in the order in which they are told. */
export async function eventsOf(
  context: Context,
  step: OwnedStep,
  facts: SubscriptionFacts,
): Promise<readonly Followed[]> {
  const { resource, before, after, entityId } = step;
  // A payment intent is looked up by what it pays before it is known what has become of it.
  const paid = resource === "payment_intents" ? await purchasePaidBy(context, step, step.id) : null;
  const namesBy = (facts: ChangeFacts) =>
    namedEvents(resource, before, after, facts).filter((name) => context.names.has(name));
  const found = namesBy({ purchase: paid });
  const isProcessing =
    found.includes("invoice.payment_failed") &&
    isCollectedBy(after, await context.reads.processing(step.customerId));
  const names = isProcessing ? namesBy({ isProcessing }) : found;
  if (names.length === 0) return [];
  const all = (group: string, carries: object | ((name: EventName) => object)) =>
    names.map((name) => ({
      name,
      group,
      carries: typeof carries === "function" ? carries(name) : carries,
    }));
  const options = { entityId, catalogue: context.catalogue };
  switch (resource) {
    case "subscriptions": {
      const states = subscriptionStep(facts, step as never, options);
      const { group } = states.after;
      const none = subscriptionState({ ...facts, subscriptions: [] }, { ...options, group });
      return all(group, (name) =>
        name === "subscription.started" ? { ...states, before: states.before ?? none } : states,
      );
    }
    case "invoices": {
      const id = subscriptionOfInvoice(after);
      const states = subscriptionStates(facts, options);
      const group = states.find(({ subscriptionId }) => subscriptionId === id)?.group;
      return all(group ?? DEFAULT_GROUP, { before, after });
    }
    case "checkout_sessions": {
      const [own] = await context.reads.purchased({ sessionId: step.id });
      const isIt = ({ session }: PurchaseFacts) => session.id === step.id;
      const found = own ?? (await purchaseWhere(context, step, isIt));
      const as = (session: object | null): Purchase | null =>
        session === null
          ? null
          : purchaseFrom({
              ...(found ?? { intent: null, charges: [], data: null }),
              entityId,
              session: session as StripeObject<"checkout_sessions">,
            });
      return all(DEFAULT_GROUP, { before: as(before), after: as(after) });
    }
    case "payment_intents": {
      const as = (intent: object | null) =>
        paid &&
        intent &&
        purchaseFrom({ ...paid, intent: intent as StripeObject<"payment_intents"> });
      return all(DEFAULT_GROUP, { before: as(before), after: as(after) });
    }
    case "refunds":
    case "disputes": {
      const { payment_intent: intent } = after as { payment_intent?: string | null };
      const found = await purchasePaidBy(context, step, intent);
      return all(DEFAULT_GROUP, { after, purchase: found && purchaseFrom(found) });
    }
    default:
      return all(DEFAULT_GROUP, { customerId: step.id });
  }
}

/** How many purchases of a customer are looked through, the newest. */
const LOOKED_THROUGH = 100;

/** The purchase that a payment intent pays. */
const purchasePaidBy = (
  context: Context,
  step: OwnedStep,
  intent: string | null | undefined,
): Promise<PurchaseFacts | null> =>
  intent
    ? purchaseWhere(context, step, ({ session }) => session.payment_intent === intent)
    : Promise.resolve(null);

/** By the customer: what it bought is told of the entity though the customer is gone. */
async function purchaseWhere(
  { reads, resources }: Context,
  { entityId: owner, customerId }: OwnedStep,
  isIt: (purchase: PurchaseFacts) => boolean,
): Promise<PurchaseFacts | null> {
  if (!resources.includes("checkout_sessions")) return null;
  const all = await reads.purchased({ customerId, owner, limit: LOOKED_THROUGH });
  return all.find(isIt) ?? null;
}
