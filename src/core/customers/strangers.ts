/**
 * Remembers which customers were seen that carry an entity's id and are not this application's: for
 * `doctor`. One short record, an example for each application, written at most once per process
 * and application, so that a neighbour's million customers cost nothing.
 */
import type { CarriedEntity } from "../catalogue/carrier.js";
import type { Store } from "../mirror/store.js";
import { commit } from "../runtime/commit/commit.js";
import type { BillingConfig } from "../runtime/config.js";
import { AGAIN, inRounds } from "../runtime/rounds.js";
import type { Runtime } from "../runtime/runtime.js";

/** A customer that carries an entity's id and is not linked because of what it carries. */
export interface Stranger {
  /** `app`: another application's. `unnamed`: of no application. `malformed`: no entity's id. */
  readonly kind: "app" | "unnamed" | "malformed";
  /** The other application, where it is named. */
  readonly app: string | null;
  readonly customer: string;
}

/** Kinds and applications that are remembered at most. */
const MOST = 20;
const RECORD = ["setting", "strangers"] as const;

/** What a customer carries makes it a stranger; undefined if it may be linked, or carries nothing. */
export function strangerBy(carried: CarriedEntity, customer: string): Stranger | undefined {
  if (carried.is === "malformed") return { kind: "malformed", app: null, customer };
  if (carried.is !== "foreign") return undefined;
  return { kind: carried.app === null ? "unnamed" : "app", app: carried.app, customer };
}

const nameOf = ({ kind, app }: Stranger): string => `${kind} ${app ?? ""}`;

/** What this process has remembered already. */
const noted = new WeakMap<BillingConfig, Set<string>>();

/** Remembers strangers, the first of each kind and application. */
export async function noteStrangers(
  runtime: Runtime,
  strangers: readonly Stranger[],
): Promise<void> {
  const known = noted.get(runtime.config) ?? new Set<string>();
  noted.set(runtime.config, known);
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

async function remember(runtime: Runtime, stranger: Stranger): Promise<void> {
  const [kind, id] = RECORD;
  await inRounds("The record of other applications' customers", async () => {
    const record = await runtime.store.record(kind, id);
    const seen = seenIn(record?.data);
    if (seen.length >= MOST) return;
    if (seen.some((each) => nameOf(each) === nameOf(stranger))) return;
    const next = { ref: null, due: null, data: { seen: [...seen, stranger] } };
    const result = await commit(runtime, {
      source: "record",
      records: [{ kind, id, expect: record?.revision ?? 0, next }],
    });
    return result.committed ? undefined : AGAIN;
  });
}

function seenIn(data: { readonly [field: string]: unknown } | undefined): readonly Stranger[] {
  return Array.isArray(data?.seen) ? (data.seen as readonly Stranger[]) : [];
}

/** The strangers that were ever seen: one example for each kind and application. */
export async function strangersSeen(store: Pick<Store, "record">): Promise<readonly Stranger[]> {
  return seenIn((await store.record(...RECORD))?.data);
}
