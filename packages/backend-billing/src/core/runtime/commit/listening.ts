/**
 * Says what the handlers of this process need, before it commits anything for the first time, and every ten minutes
 * in which it commits: from then on every process stores what they are to be told, and waits for them.
 */
import { keptListening, type Needs, rawTypesIn, SAID_AGAIN } from "../../mirror/listening.js";
import type { Reading } from "../records/record.js";
import { records } from "../records/records.js";
import type { CommitContext, Listener } from "./commit.js";

/** How the handlers of an application are called. */
export interface Reacting {
  /** The names of the handlers. */
  readonly names: ReadonlySet<string>;
  /** What they need to be stored; undefined where the platform knows that by itself. */
  readonly needs?: Needs;
  /** Rows have changed: something may be due to be told. */
  changed(): void;
  /** Tells what is due, and begins nothing new after a time in milliseconds; answers how much it did. */
  deliver(end: number): Promise<number>;
}

/** Writes down what the handlers of this process need, and forgets what no process has said for days. */
export async function sayListening(context: CommitContext, needs: Needs): Promise<void> {
  await records.listening.update(context, (stored) => keptListening(stored, needs, context.now()));
}

/** What knows the handlers of this process, and reads which ones others have. */
export interface Hearing extends Reading {
  readonly reactions: Pick<Reacting, "names" | "needs"> | undefined;
}

/** Whether any process of the application has a handler of one of these names. */
export async function hears(
  { store, reactions }: Hearing,
  ...names: readonly string[]
): Promise<boolean> {
  if (names.some((name) => reactions?.names.has(name))) return true;
  const others = await othersIn({ store, reactions });
  return names.some((name) => others.includes(name));
}

/** The names that processes of the application have said; none where all of them are alike. */
async function othersIn({ store, reactions }: Hearing): Promise<readonly string[]> {
  if (reactions !== undefined && reactions.needs === undefined) return [];
  const { data } = await records.listening.read({ store });
  return Object.keys(data?.names ?? {});
}

/** The types of events that any process has a handler for which takes them as they come. */
export async function rawTypes({ store, reactions }: Hearing): Promise<readonly string[]> {
  const others = await othersIn({ store, reactions });
  return rawTypesIn([...(reactions?.names ?? []), ...others]);
}

/** A thin event's type: neither a webhook endpoint nor the list of events has such. */
const THIN = /^v\d+\./;

/** Those of them that a webhook endpoint is sent, and that the list of events shows. */
export const rawTypesSent = async (from: Hearing): Promise<readonly string[]> =>
  (await rawTypes(from)).filter((type) => !THIN.test(type));

export function listenFirst({ needs, changed }: Pick<Reacting, "needs" | "changed">): Listener {
  let saidAt = Number.NEGATIVE_INFINITY;
  let saying: Promise<void> | undefined;
  return {
    before: (context) => {
      if (needs === undefined) return undefined;
      const now = context.now();
      if (Math.abs(now - saidAt) < SAID_AGAIN) return undefined;
      saying ??= sayListening(context, needs)
        .then(() => {
          saidAt = now;
        })
        .finally(() => {
          saying = undefined;
        });
      return saying;
    },
    changed,
  };
}
