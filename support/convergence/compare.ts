/** Where the tables differ from what Stripe would answer now, in words. */
import type { ResourceName } from "../../packages/backend-billing/src/core/catalogue/catalogue.js";
import { resources } from "../../packages/backend-billing/src/core/catalogue/resources.js";
import { same } from "../../packages/backend-billing/src/core/mirror/content/same.js";
import type { Store } from "../../packages/backend-billing/src/core/mirror/store.js";
import { summary } from "./fake-stripe.js";
import type { Content, Model } from "./model.js";

export async function differences(store: Store, model: Model): Promise<string[]> {
  const found: string[] = [];
  const now = Number.MAX_SAFE_INTEGER;
  for (const resource of new Set(model.objects.map((object) => object.resource))) {
    const rows = await allRows(store, resource);
    for (const { id } of model.objects.filter((object) => object.resource === resource)) {
      const expected = model.at(id, now) ?? null;
      const actual = rows.get(id) ?? null;
      rows.delete(id);
      if (!same(expected, actual)) {
        found.push(`${id}: Stripe has ${summary(expected)}, the mirror has ${summary(actual)}`);
      }
      if ((await store.version(resource, id))?.stale) found.push(`${id}: nobody asks about it`);
    }
    for (const id of rows.keys()) found.push(`${id}: the mirror has it and Stripe has not`);
  }
  found.push(...(await emptyRows(store, model, now)));
  for (const { id } of await store.records("refresh", "", 10)) {
    found.push(`${id}: nobody refreshes its subscriptions`);
  }
  return found;
}

async function allRows(store: Store, resource: ResourceName): Promise<Map<string, Content>> {
  const { idField } = resources[resource];
  const found = new Map<string, Content>();
  for (const row of await store.rows(resource, "", 100)) {
    if (row.stripe === null) continue;
    const id = String((row as unknown as Record<string, unknown>)[idField]);
    found.set(id, row.stripe as unknown as Content);
  }
  return found;
}

/** A customer has a row of nulls exactly as long as it has no subscription. */
async function emptyRows(store: Store, model: Model, now: number): Promise<string[]> {
  if (!model.objects.some(({ kind }) => kind === "subscription")) return [];
  if (!model.objects.some(({ kind }) => kind === "customer")) return [];
  const rows = await store.rows("subscriptions", "", 100);
  const owners = rows.filter(({ stripe }) => stripe === null).map(({ customerId }) => customerId);
  const subscriptions = model.objects.filter(({ kind }) => kind === "subscription");
  const expected = model.objects
    .filter(({ kind, id }) => kind === "customer" && model.at(id, now))
    .map(({ id }) => id)
    .filter((id) => !subscriptions.some((each) => model.at(each.id, now)?.customer === id));
  return same([...owners].sort(), expected.sort())
    ? []
    : [`rows of nulls: ${owners.join() || "none"} instead of ${expected.join() || "none"}`];
}
