/** What an entity gains and loses, over all of its subscriptions. Pure, and without a clock. */
import type { SubscriptionFacts } from "../mirror/store.js";
import { groupsOf } from "../subscriptions/group.js";
import {
  type StateOptions,
  type SubscriptionState,
  subscriptionState,
} from "../subscriptions/state.js";

/** By group; a group that is not in it gives no access. */
export type AccessByGroup = ReadonlyMap<string, { readonly access: boolean }>;

export interface AccessEvent {
  readonly name: "access.granted" | "access.lost";
  readonly group: string;
}

/** What an entity has of each group in which it ever subscribed, by the names of the groups. */
export function statesByGroup(
  facts: SubscriptionFacts,
  options: StateOptions,
): ReadonlyMap<string, SubscriptionState> {
  const groups = facts.subscriptions.flatMap((each) => [
    ...groupsOf(each, facts.products, options.catalogue),
  ]);
  const names = [...new Set(groups)].sort();
  return new Map(
    names.map((group) => [group, subscriptionState(facts, { ...options, group })] as const),
  );
}

/**
 * The groups to which access came, then those from which it went, each by name: what moves from one
 * group to another is never told to have nothing.
 */
export function accessEvents(before: AccessByGroup, after: AccessByGroup): readonly AccessEvent[] {
  const missingIn = (there: AccessByGroup, here: AccessByGroup) =>
    [...there.keys()]
      .filter((group) => there.get(group)?.access === true && here.get(group)?.access !== true)
      .sort();
  return [
    ...missingIn(after, before).map((group) => ({ name: "access.granted", group }) as const),
    ...missingIn(before, after).map((group) => ({ name: "access.lost", group }) as const),
  ];
}
