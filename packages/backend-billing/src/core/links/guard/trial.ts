/** A trial is given once for each entity and group, unless the application says otherwise. */
import type { SubscriptionFacts } from "../../mirror/store.js";
import type { AnyCatalogue } from "../../plans/catalogue.js";
import type { Guard } from "../../runtime/records/records.js";
import { groupsOf } from "../../subscriptions/group.js";
import type { WholeParams } from "../session.js";
import { overlaps } from "./groups.js";

export interface Trial {
  readonly days: number;
  /** `once`: for each entity and group. */
  readonly given: "once" | "always";
}

/** The parameters with a trial, or without one if it was used. */
export function withTrial(
  { params, trial }: { readonly params: WholeParams; readonly trial: Trial | undefined },
  isUsed: boolean,
): WholeParams {
  if (trial === undefined || (trial.given === "once" && isUsed)) return params;
  const { subscription_data: data } = params;
  return { ...params, subscription_data: { ...data, trial_period_days: trial.days } };
}

/**
 * Whether a trial was used in one of these groups: the guard remembers it, or the mirror has a
 * subscription that began with one.
 */
export function hadTrial(
  { trials }: Pick<Guard, "trials">,
  { subscriptions, products }: SubscriptionFacts,
  groups: ReadonlySet<string>,
  catalogue: AnyCatalogue | undefined,
): boolean {
  const hasBegun = subscriptions.some(
    (each) => each.trial_start !== null && overlaps(groupsOf(each, products, catalogue), groups),
  );
  return hasBegun || trials.some((group) => groups.has(group));
}
