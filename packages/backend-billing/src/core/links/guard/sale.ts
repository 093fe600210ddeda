/** What is to be sold, to whom, and what was known when the call began. */
import { claimId } from "../../customers/claim/claim.js";
import type { Reach } from "../../customers/setup.js";
import type { SubscriptionFacts } from "../../mirror/store.js";
import type { IfSubscribed } from "../../runtime/config.js";
import { records } from "../../runtime/records/records.js";
import type { Opening } from "../session.js";
import type { Trial } from "./trial.js";

export interface Sale extends Opening {
  readonly entityId: string;
  /** The groups of everything in the cart. */
  readonly groups: ReadonlySet<string>;
  readonly trial: Trial | undefined;
  readonly ifSubscribed: Exclude<IfSubscribed, "allow">;
  readonly reach: Reach;
  /** What the mirror knew of the entity's subscriptions when the call began. */
  readonly facts: SubscriptionFacts;
}

/** The record of the entity's checkout. */
export const guardOf = ({ entityId, reach }: Pick<Sale, "entityId" | "reach">) =>
  records.guard(claimId({ entityId, account: reach.stripeAccount ?? null }));
