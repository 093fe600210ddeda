/** Where the tables differ from what Stripe would answer now, in words. */
import type { ResourceName } from "../../packages/backend-billing/src/core/catalogue/catalogue.js";
import { resources } from "../../packages/backend-billing/src/core/catalogue/resources.js";
import { same } from "../../packages/backend-billing/src/core/mirror/content/same.js";
import type { Store } from "../../packages/backend-billing/src/core/mirror/store.js";
import type { Content } from "./contents.js";
import { summary } from "./fake-stripe.js";
import type { Model } from "./model.js";
import { traitsOf } from "./traits.js";
import type { ModelObject } from "./world.js";

/** `isRight`: whether an object must be right by now. */
export async function differences(
  store: Store,
  model: Model,
  isRight: (object: ModelObject) => boolean = () => true,
): Promise<string[]> {
  const found: string[] = [];
  for (const resource of new Set(model.objects.map((object) => object.resource))) {
    const rows = await allRows(store, resource);
    for (const object of model.objects.filter((each) => each.resource === resource)) {
      const { id } = object;
      const version = model.versionAt(id, Number.MAX_SAFE_INTEGER);
      const expected = version?.content ?? null;
      const { content: actual = null, owner = null } = rows.get(id) ?? {};
      rows.delete(id);
      // What neither an event nor a list ever named need not be there.
      const isMissed = actual === null && !model.isKnowable(object);
      if (isRight(object) && !isMissed && !same(expected, actual)) {
        found.push(`${id}: Stripe has ${summary(expected)}, the mirror has ${summary(actual)}`);
      }
      if (actual !== null && isRight(object) && owner !== (version?.owner ?? null)) {
        found.push(`${id}: it is ${version?.owner}'s, and the mirror says ${owner}'s`);
      }
      if ((await store.version(resource, id))?.stale) found.push(`${id}: nobody asks about it`);
    }
    for (const id of rows.keys()) found.push(`${id}: the mirror has it and Stripe has not`);
  }
  found.push(...(await emptyRows(store, model)));
  for (const { id } of await store.records("refresh", "", 10)) {
    found.push(`${id}: nobody refreshes its subscriptions`);
  }
  return found;
}

interface Mirrored {
  readonly content: Content;
  /** Of what is listed for each of its owners: whose the row says that it is. */
  readonly owner: string | null;
}

async function allRows(store: Store, resource: ResourceName): Promise<Map<string, Mirrored>> {
  const { idField } = resources[resource];
  const { owner } = traitsOf(resource);
  const ownerField = owner === undefined ? "" : resources[owner].idField;
  const found = new Map<string, Mirrored>();
  for (const row of await store.rows(resource, "", 100)) {
    if (row.stripe === null) continue;
    const fields = row as unknown as Record<string, string | null>;
    const content = row.stripe as unknown as Content;
    found.set(String(fields[idField]), { content, owner: fields[ownerField] ?? null });
  }
  return found;
}

/** A customer that is mirrored has a row of nulls exactly as long as it has no subscription. */
async function emptyRows(store: Store, model: Model): Promise<string[]> {
  const played = new Set(model.objects.map(({ resource }) => resource));
  if (!played.has("subscriptions") || !played.has("customers")) return [];
  const rows = await store.rows("subscriptions", "", 100);
  const owners = (isEmpty: boolean) =>
    rows
      .filter(({ stripe }) => (stripe === null) === isEmpty)
      .map(({ customerId }) => customerId)
      .sort();
  const [actual, subscribed] = [owners(true), new Set(owners(false))];
  const customers = [...(await allRows(store, "customers")).keys()];
  const expected = customers.filter((id) => !subscribed.has(id)).sort();
  return same(actual, expected)
    ? []
    : [`rows of nulls: ${actual.join() || "none"} instead of ${expected.join() || "none"}`];
}
