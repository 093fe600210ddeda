/**
 * Prices that were made inside a subscription are in no list. They are found by the subscriptions
 * that use them, and asked for by id.
 */
import { defineLocal } from "../../runtime/local.js";
import type { Runtime } from "../../runtime/runtime.js";
import type { Pending } from "../run/partition.js";
import { each } from "../run/step.js";

const AT_ONCE = 8;
/** Prices that this process has seen in the mirror; most accounts have few. */
const KNOWN = 20_000;
const knownTo = defineLocal("runtime", "prices", () => new Set<string>());

/** The prices of these subscriptions that the mirror does not know. */
export async function inlinePrices(
  runtime: Runtime,
  subscriptions: readonly object[],
): Promise<Pending[]> {
  if (!runtime.resources.includes("prices")) return [];
  const known = knownTo(runtime);
  if (known.size > KNOWN) known.clear();
  const used = new Set(subscriptions.flatMap(pricesOf));
  const unsure = [...used].filter((id) => !known.has(id));
  const found = await each(unsure, AT_ONCE, (id) => runtime.store.version("prices", id));
  return unsure.flatMap((id, index) => {
    if (found[index] === undefined)
      return [{ do: "fetch" as const, resource: "prices" as const, id }];
    known.add(id);
    return [];
  });
}

function pricesOf(subscription: object): string[] {
  const { items } = subscription as {
    items?: { data?: readonly { price?: { id?: string } | null }[] };
  };
  return (items?.data ?? []).flatMap(({ price }) => (price?.id === undefined ? [] : [price.id]));
}
