/**
 * What Stripe answers to a call of ours is in the mirror before the call returns, as a snapshot
 * through the rule. Where the mirror cannot tell whether the answer is the newest it knows, and where
 * an answer was replayed, Stripe is asked again at once.
 */
import type { ResourceName, StripeObject } from "../catalogue/catalogue.js";
import { type AnswerHeaders, isReplayed } from "../mirror/headers.js";
import { answeredAt, snapshotOfPart } from "../mirror/snapshot.js";
import type { Snapshot } from "../mirror/store.js";
import { commit } from "../runtime/commit/commit.js";
import type { Runtime } from "../runtime/runtime.js";
import { answerAsk } from "./refetch.js";

type Answer<T> = T & { readonly lastResponse?: { readonly headers: AnswerHeaders } };

/** One of the objects of an answer. */
export interface Part {
  readonly resource: ResourceName;
  readonly content: StripeObject<ResourceName>;
}

/** The id of what an answer refers to, whether or not it was asked for whole. */
export const idOf = (ref: string | { readonly id: string } | null): string | null =>
  ref === null || typeof ref === "string" ? ref : ref.id;

/** Whether what an answer refers to was asked for whole. */
export const isWhole = <T extends object>(ref: string | T | null): ref is T =>
  typeof ref === "object" && ref !== null;

/** Sends a request and stores its answer's parts before it answers. */
export async function storedAnswer<T extends object>(
  runtime: Runtime,
  send: () => Promise<Answer<T>>,
  partsOf: (answer: Answer<T>) => readonly Part[],
): Promise<T> {
  const startedAt = runtime.now();
  const answer = await send();
  const parts = partsOf(answer).filter(({ resource }) => runtime.resources.includes(resource));
  if (isReplayed(answer.lastResponse?.headers)) {
    // A replayed body is what was true then.
    for (const { resource, content } of parts) {
      await readAgain(runtime, resource, (content as { readonly id: string }).id);
    }
    return answer;
  }
  const seen = answeredAt(runtime, answer, startedAt);
  await storeSnapshots(
    runtime,
    parts.map(({ resource, content }) => snapshotOfPart(resource, content, seen)),
  );
  return answer;
}

/** Stores what was seen, and asks Stripe about what contradicts something that is known. */
export async function storeSnapshots(
  runtime: Runtime,
  snapshots: readonly Snapshot[],
): Promise<void> {
  if (snapshots.length === 0) return;
  const { units } = await commit(runtime, { source: "call", units: [{ snapshots }] });
  const [unit] = units;
  if (unit === undefined || unit.duplicate) return;
  for (const [index, { act, revision }] of unit.outcomes.entries()) {
    const snapshot = snapshots[index];
    if (act !== "ask" || snapshot === undefined) continue;
    const { resource, id } = snapshot;
    await answerAsk(runtime, { resource, id, revision }, { awaited: true });
  }
}

/** Reads an object from Stripe once more and stores it. */
export async function readAgain(
  runtime: Runtime,
  resource: ResourceName,
  id: string,
): Promise<void> {
  const version = await runtime.store.version(resource, id);
  await answerAsk(runtime, { resource, id, revision: version?.revision ?? 0 }, { awaited: true });
}
