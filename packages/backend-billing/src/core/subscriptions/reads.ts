/**
 * What applications read of subscriptions, over whatever can answer the facts. It asks nothing of
 * Stripe and has no clock.
 */

import type { LocalReads } from "../mirror/store.js";
import type { AnyCatalogue } from "../plans/catalogue.js";
import { argsOf, checkText, optionsOf, shown } from "../runtime/arguments.js";
import { checkEntityId } from "../runtime/commit/seats.js";
import { BillingError } from "../runtime/errors.js";
import { DEFAULT_GROUP } from "./group.js";
import {
  type Status,
  type Subscribed,
  type SubscriptionState,
  subscriptionState,
  subscriptionStates,
} from "./state.js";

/** Which of an entity's subscriptions is meant. */
export interface InGroup {
  /** The group of a plan, or the one that a product's metadata name `billing_group`. Default `"main"`. */
  readonly group?: string | undefined;
}

/** Which subscriptions are listed. */
export interface SubscriptionsBy {
  readonly status: Status;
  /** How many of a page, 1 to 100. Default 50. */
  readonly limit?: number | undefined;
  /** Where the page before ended. */
  readonly cursor?: string | null | undefined;
}

/** A page of subscriptions. */
export interface SubscribedPage<P = string | null> {
  readonly page: readonly Subscribed<P>[];
  /** For the next page; null after the last one. */
  readonly cursor: string | null;
}

/** The reads of subscriptions. */
export interface SubscriptionReads<P = string | null> {
  /** What an entity has of a group: one state, whatever became of it. */
  subscriptionOf(entityId: string, options?: InGroup): Promise<SubscriptionState<P>>;
  /** All subscriptions of an entity, of all groups, ended ones too, newest first. */
  subscriptionsOf(entityId: string): Promise<readonly Subscribed<P>[]>;
  /** The entities' subscriptions that have a status, a page at a time. */
  subscriptionsBy(by: SubscriptionsBy): Promise<SubscribedPage<P>>;
}

export function subscriptionReads(
  local: Pick<LocalReads, "subscribed" | "subscribedBy">,
  catalogue: AnyCatalogue | undefined,
): SubscriptionReads {
  return {
    async subscriptionOf(entityId, options) {
      checkEntityId(entityId);
      const { group = DEFAULT_GROUP } = optionsOf("options", options) ?? {};
      return subscriptionState(await local.subscribed(entityId), { entityId, group, catalogue });
    },
    async subscriptionsOf(entityId) {
      checkEntityId(entityId);
      return subscriptionStates(await local.subscribed(entityId), { entityId, catalogue });
    },
    async subscriptionsBy(by) {
      const { status, limit = 50, cursor } = argsOf("subscriptionsBy", by);
      checkText("status", status);
      if (cursor !== undefined && cursor !== null) checkText("cursor", cursor);
      checkLimit(limit);
      const { facts, owners, next } = await local.subscribedBy(status, cursor ?? "", limit);
      const page = facts.subscriptions.flatMap((subscription) => {
        const entityId = owners.get(subscription.customer);
        if (entityId === undefined) return [];
        return subscriptionStates(
          { ...facts, subscriptions: [subscription] },
          { entityId, catalogue },
        );
      });
      return { page, cursor: next };
    },
  };
}

/** The most that one read answers. */
const MOST = 100;

/** Refuses what is no number of things to answer. */
export function checkLimit(limit: unknown): void {
  if (Number.isInteger(limit) && Number(limit) >= 1 && Number(limit) <= MOST) return;
  const message = `\`limit\` must be a whole number from 1 to ${MOST}, not ${shown(limit)}.`;
  throw new BillingError("invalid_argument", message);
}
