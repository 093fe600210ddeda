// Short ways to say what a source saw. Contents are cut down to what a store looks at.

import {
  defaultResources,
  type ResourceName,
  type StripeObject,
} from "../../packages/backend-billing/src/core/catalogue/catalogue.js";
import { resources } from "../../packages/backend-billing/src/core/catalogue/resources.js";
import { eventInterval } from "../../packages/backend-billing/src/core/mirror/interval.js";
import type {
  Batch,
  Receipt,
  Snapshot,
  Unit,
} from "../../packages/backend-billing/src/core/mirror/store.js";

/** What a store mirrors in the conformance suite: also something that does not name its owner. */
export const CONFORMING: readonly ResourceName[] = [...defaultResources, "active_entitlements"];

type Content = { [field: string]: unknown };

export const NOW = 1_770_000_000_000;

export function content(resource: ResourceName, id: string, fields: Content = {}): Content {
  return { id, object: resources[resource].object, livemode: false, metadata: {}, ...fields };
}

/** An event at a second of Stripe's time. */
export function event(
  resource: ResourceName,
  id: string,
  at: number,
  fields: Content = {},
  extra: Partial<Snapshot> = {},
): Snapshot {
  return {
    resource,
    id,
    origin: "event",
    kind: "changed",
    usable: true,
    ...eventInterval(at),
    content: content(resource, id, fields) as unknown as StripeObject<ResourceName>,
    ...extra,
  };
}

export const created = (resource: ResourceName, id: string, at: number, fields: Content = {}) =>
  event(resource, id, at, fields, { kind: "created" });

export const deleted = (resource: ResourceName, id: string, at: number) =>
  event(resource, id, at, {}, { kind: "deleted", content: null });

/** A list page that was true from one second to another. */
export const page = (
  resource: ResourceName,
  id: string,
  lo: number,
  hi: number,
  fields: Content = {},
): Snapshot => event(resource, id, 0, fields, { origin: "page", lo, hi });

/** The answer to an ask. */
export const answer = (
  resource: ResourceName,
  id: string,
  askedAt: number,
  lo: number,
  hi: number,
  fields: Content = {},
  extra: Partial<Snapshot> = {},
): Snapshot => event(resource, id, 0, fields, { origin: "answer", lo, hi, askedAt, ...extra });

export const receipt = (eventId: string): Receipt => ({
  eventId,
  type: "product.updated",
  created: 100,
  objectId: null,
});

export const units = (...snapshots: readonly Snapshot[]): Unit[] =>
  snapshots.map((snapshot) => ({ snapshots: [snapshot] }));

export const batch = (...snapshots: readonly Snapshot[]): Batch => ({
  source: "event",
  now: NOW,
  units: units(...snapshots),
});
