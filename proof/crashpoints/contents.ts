/** Where the tables differ from what Stripe shows, object by object. */
import { isDeepStrictEqual } from "node:util";
import type { ResourceName } from "../../packages/backend-billing/src/core/catalogue/catalogue.js";
import { stripePath } from "../../support/stripe-path.js";
import { handedOut } from "./operations.js";
import type { App, World } from "./world.js";

const RESOURCES = [
  "customers",
  "products",
  "prices",
  "subscriptions",
  "invoices",
  "checkout_sessions",
  "payment_intents",
  "charges",
] as const satisfies readonly ResourceName[];

type Shown = {
  readonly id: string;
  readonly erased?: boolean;
  readonly deleted?: boolean;
  readonly mode?: string | null;
  readonly status?: string | null;
};

/**
 * A page for a payment whose process died before it heard of it. Nobody was given its link, the caller was
 * given another one, and Stripe tells of it when it expires. One that sells a subscription is made once.
 */
const isUnheardOf = ({ id, mode, status }: Shown): boolean =>
  mode === "payment" && status === "open" && !handedOut.has(id);

/** Without what Stripe changes and sends no event of. */
const told = (object: object | undefined) => ({ ...object, next_invoice_sequence: 0 });

/** Everything that a list shows, as the API does. */
async function listed({ double }: World, resource: ResourceName): Promise<Map<string, Shown>> {
  const all = new Map<string, Shown>();
  const filter = resource === "subscriptions" ? "&status=all" : "";
  for (let last = ""; ; ) {
    const after = last === "" ? "" : `&starting_after=${last}`;
    const path = `${stripePath(resource)}?limit=100${filter}${after}`;
    const answer = await fetch(`${double.url}/v1/${path}`, {
      headers: { Authorization: `Bearer ${double.secretKey}`, "Stripe-Version": double.apiVersion },
    });
    const page = (await answer.json()) as { data: readonly Shown[]; has_more: boolean };
    for (const object of page.data) all.set(object.id, object);
    last = page.data.at(-1)?.id ?? "";
    if (!page.has_more) return all;
  }
}

async function mirrored(app: App, resource: ResourceName): Promise<Map<string, Shown>> {
  const all = new Map<string, Shown>();
  for (let after = ""; ; ) {
    const rows = await app.store.rows(resource, after, 500);
    for (const { stripe } of rows) if (stripe !== null) all.set(stripe.id, stripe);
    const last = rows.at(-1);
    if (last === undefined) return all;
    after = last._id;
  }
}

export async function contentsIn(world: World, app: App): Promise<string[]> {
  const broken: string[] = [];
  for (const resource of RESOURCES) {
    const [theirs, ours] = [await listed(world, resource), await mirrored(app, resource)];
    for (const [id, object] of theirs) {
      if (ours.get(id)?.erased) continue; // nothing personal is left of it
      if (!ours.has(id)) {
        if (!isUnheardOf(object)) broken.push(`${id} is not in the tables`);
      } else if (!isDeepStrictEqual(told(ours.get(id)), told(object))) broken.push(`${id} differs`);
    }
    for (const [id, { deleted, erased }] of ours) {
      if (!theirs.has(id) && !deleted && !erased) broken.push(`${id} is not at Stripe`);
    }
  }
  return broken;
}
