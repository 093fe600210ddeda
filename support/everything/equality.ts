/** What Stripe has, and that a mirror has the same. */
import Stripe from "stripe";
import { expect } from "vitest";
import {
  ownerFieldOf,
  ownerIn,
  type ResourceName,
} from "../../packages/backend-billing/src/core/catalogue/catalogue.js";
import { resources } from "../../packages/backend-billing/src/core/catalogue/resources.js";
import type { StripeDouble } from "../../packages/backend-billing/src/testing/index.js";
import { idsAtStripe, listsByOwner, stripePath } from "../stripe-path.js";

async function get(double: StripeDouble, path: string): Promise<unknown> {
  const answer = await fetch(`${double.url}/v1/${path}`, {
    headers: { Authorization: `Bearer ${double.secretKey}`, "Stripe-Version": Stripe.API_VERSION },
  });
  expect(answer.status, path).toBe(200);
  return answer.json();
}

/** Everything that a list shows. */
async function pagesOf(double: StripeDouble, path: string): Promise<{ id: string }[]> {
  const all: { id: string }[] = [];
  for (;;) {
    const last = all.at(-1)?.id;
    const cursor = last === undefined ? "" : `&starting_after=${last}`;
    const joint = path.includes("?") ? "&" : "?";
    const page = (await get(double, `${path}${joint}limit=100${cursor}`)) as {
      data: { id: string }[];
      has_more: boolean;
    };
    all.push(...page.data);
    if (!page.has_more) return all;
  }
}

/** Whose an object is that does not name its owner, beside what Stripe shows of it. */
const OWNER = "(owner)";

/** The content of a row, with whose it is where the content does not say it. */
export function shownIn(resource: ResourceName, row: object, content: object): object {
  if (ownerFieldOf(resource) === undefined) return content;
  return { ...content, [OWNER]: ownerIn(resource, row as never) };
}

/** Every object of a kind at Stripe: by lists that hide nothing, and by id what is in no list. */
export async function atStripe(
  double: StripeDouble,
  resource: ResourceName,
): Promise<Map<string, object>> {
  const all = new Map<string, object>();
  const listIn = async (path: string, field: string) =>
    ((await get(double, path)) as { [field: string]: { id: string }[] })[field] ?? [];
  for (const { owner, path, field } of listsByOwner(double, resource)) {
    const listed = field === undefined ? await pagesOf(double, path) : await listIn(path, field);
    for (const object of listed) all.set(object.id, { ...object, [OWNER]: owner });
  }
  if (ownerFieldOf(resource) !== undefined) return all;
  const filters: { readonly [name in ResourceName]?: readonly string[] } = {
    products: ["active=true", "active=false"],
    prices: ["active=true", "active=false"],
    subscriptions: ["status=all"],
    payment_methods: [], // there is no list of all
  };
  for (const filter of filters[resource] ?? [""]) {
    const listed = await pagesOf(double, `${stripePath(resource)}?${filter}`);
    for (const object of listed) all.set(object.id, object);
  }
  for (const id of idsAtStripe(double, resource)) {
    if (!all.has(id)) all.set(id, await oneAtStripe(double, resource, id));
  }
  return all;
}

const oneAtStripe = (double: StripeDouble, resource: ResourceName, id: string) =>
  get(double, `${stripePath(resource)}/${id}`) as Promise<object>;

/** That the mirror is what Stripe has, object by object and field by field. */
export async function expectMirrored(
  double: StripeDouble,
  some: readonly ResourceName[],
  contents: (resource: ResourceName) => Promise<ReadonlyMap<string, object>>,
): Promise<void> {
  for (const resource of some) {
    const [theirs, ours] = [await atStripe(double, resource), await contents(resource)];
    // What no list shows is mirrored where an event told of it, such as what was detached.
    const isHidden = "hides" in resources[resource] && ownerFieldOf(resource) === undefined;
    for (const id of isHidden ? ours.keys() : []) {
      if (!theirs.has(id)) theirs.set(id, await oneAtStripe(double, resource, id));
    }
    expect([...ours.keys()].sort(), resource).toEqual([...theirs.keys()].sort());
    for (const [id, object] of theirs) expect(ours.get(id), id).toEqual(object);
  }
}
