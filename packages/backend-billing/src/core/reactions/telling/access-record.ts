/**
 * What an entity's access was when the application was last told of it: the record of the kind
 * `access`, under the entity's id. What is told next is the difference to it.
 */
import type { RecordWrite, StoredRecord, SubscriptionFacts } from "../../mirror/store.js";
import type { StateOptions, SubscriptionState } from "../../subscriptions/state.js";
import { type AccessEvent, accessEvents, statesByGroup } from "../access.js";

interface KnownGroup {
  /** None where nothing was left of the group. */
  readonly state?: SubscriptionState;
  /** From what it was learnt; the key of what is told next follows from it. */
  readonly key: string;
}

/** The data of the record. */
export interface KnownAccess {
  /** From what a group that is not named here has its key. */
  readonly key: string;
  readonly groups: { readonly [group: string]: KnownGroup };
}

export const accessWrite = (
  entityId: string,
  over: StoredRecord | undefined,
  access: KnownAccess,
): RecordWrite => ({
  kind: "access",
  id: entityId,
  expect: over?.revision ?? 0,
  next: { ref: null, due: null, data: { ...access } },
});

/** What an entity has. */
export const accessFrom = (
  facts: SubscriptionFacts,
  options: StateOptions,
  key: string,
): KnownAccess => ({
  key,
  groups: Object.fromEntries(
    [...statesByGroup(facts, options)].map(([group, state]) => [group, { state, key }]),
  ),
});

/** One thing that has become of an entity's access. */
export interface AccessStep {
  readonly event: AccessEvent;
  /** The same until it is told. */
  readonly key: string;
  /** Undefined where the entity had nothing of the group. */
  readonly before: SubscriptionState | undefined;
  readonly after: SubscriptionState | undefined;
}

/** What became of it since, in the order in which it is told. */
export function accessSteps(known: KnownAccess, now: KnownAccess): readonly AccessStep[] {
  const states = ({ groups }: KnownAccess) =>
    new Map(
      Object.entries(groups).flatMap(([group, { state }]) =>
        state === undefined ? [] : [[group, state] as const],
      ),
    );
  return accessEvents(states(known), states(now)).map((event) => ({
    event,
    key: `${known.groups[event.group]?.key ?? known.key}.${event.name}.${event.group}`,
    before: known.groups[event.group]?.state,
    after: now.groups[event.group]?.state,
  }));
}

/** What is known once these steps were taken. */
export function accessAfter(
  known: KnownAccess,
  now: KnownAccess,
  steps: readonly AccessStep[],
): KnownAccess {
  const groups = { ...known.groups };
  for (const { event } of steps) {
    // A group that is gone keeps a key: it may come again, and the record's own was used for it.
    groups[event.group] = now.groups[event.group] ?? { key: now.key };
  }
  return { ...known, groups };
}
