/**
 * Remembers which customers were seen that carry an entity's id and are not this application's: for
 * `doctor`. One short record, an example for each application, written at most once per process and
 * application, so that another application's customers cost next to nothing.
 */

import type { EntityInMetadata } from "../catalogue/carrier.js";
import type { Store } from "../mirror/store.js";
import { defineLocal } from "../runtime/local.js";
import { records, type Stranger } from "../runtime/records/records.js";
import type { Runtime } from "../runtime/runtime.js";

/** Kinds and applications that are remembered at most. */
const MOST = 20;

/** The customer as a stranger; undefined if it may be linked or names no entity. */
export function strangerBy(entity: EntityInMetadata, customer: string): Stranger | undefined {
  if (entity.is === "malformed") return { kind: "malformed", app: null, customer };
  if (entity.is !== "foreign") return undefined;
  return { kind: entity.app === null ? "unnamed" : "app", app: entity.app, customer };
}

const nameOf = ({ kind, app }: Stranger): string => `${kind} ${app ?? ""}`;

/** What this process has remembered already. */
const rememberedBy = defineLocal("database", "strangers", () => new Set<string>());

/** Remembers strangers, the first of each kind and application. */
export async function recordStrangers(
  runtime: Runtime,
  strangers: readonly Stranger[],
): Promise<void> {
  const known = rememberedBy(runtime);
  for (const stranger of strangers) {
    if (known.size >= MOST || known.has(nameOf(stranger))) continue;
    await remember(runtime, stranger);
    known.add(nameOf(stranger));
    const { kind, app, customer } = stranger;
    runtime.log?.warn(
      { object: customer, kind, app: app ?? undefined },
      "A customer that is not this application's carries an entity's id; it is not linked",
    );
  }
}

function remember(runtime: Runtime, stranger: Stranger): Promise<unknown> {
  return records.strangers.update(runtime, ({ seen } = { seen: [] }) => {
    const isKnown = seen.some((each) => nameOf(each) === nameOf(stranger));
    return isKnown || seen.length >= MOST ? undefined : { seen: [...seen, stranger] };
  });
}

/** The strangers that were ever seen: one example for each kind and application. */
export async function strangersSeen(store: Pick<Store, "record">): Promise<readonly Stranger[]> {
  return (await records.strangers.read({ store })).data?.seen ?? [];
}
