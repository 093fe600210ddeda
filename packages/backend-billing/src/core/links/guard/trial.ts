/** A trial is given once for each entity and group, unless the application says otherwise. */
import type { SubscriptionFacts } from "../../mirror/store.js";
import type { AnyCatalogue } from "../../plans/catalogue.js";
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

/** Whether the mirror has a subscription of one of these groups that began with a trial. */
export function hadTrial(
  { subscriptions, products }: SubscriptionFacts,
  groups: ReadonlySet<string>,
  catalogue: AnyCatalogue | undefined,
): boolean {
  return subscriptions.some(
    (each) => each.trial_start !== null && overlaps(groupsOf(each, products, catalogue), groups),
  );
}
