/**
 * Calls that are begun together are one run of the `store` mutation. The core reads what it needs with
 * `Promise.all`; on Convex every run of a function costs time and money, and one run can do it all.
 */
import type { Operation, OperationType, SingleOperation, SingleResult } from "./operations.js";

/** What has a transaction of its own: it writes much, or its refusal is about itself alone. */
const ALONE: ReadonlySet<OperationType> = new Set([
  ...(["commit", "tell", "watch", "plans", "rows"] as const),
  // Takings change what these read: the first writes nothing, and so is never done again for that.
  ...(["unsent", "gather"] as const),
]);

/** The most in one transaction: a stretch of versions takes some 300 kB of its 16 MiB. */
const MOST = 60;

/** Turns of the microtask queue in which calls are collected: those of one `Promise.all`. */
const TURNS = 10;

interface Waiting {
  readonly operation: SingleOperation;
  answer(result: SingleResult): void;
  fail(error: unknown): void;
}

export function together(
  call: (operation: Operation) => Promise<unknown>,
): (operation: SingleOperation) => Promise<SingleResult> {
  let waiting: Waiting[] = [];
  const send = async (): Promise<void> => {
    const all = waiting;
    waiting = [];
    const operations = all.map(({ operation }) => operation);
    const [only] = operations;
    try {
      const results =
        all.length === 1 && only !== undefined
          ? [await call(only)]
          : await call({ type: "several", operations });
      for (const [index, each] of all.entries())
        each.answer((results as SingleResult[])[index] ?? null);
    } catch (error) {
      for (const each of all) each.fail(error);
    }
  };
  const sendSoon = async (): Promise<void> => {
    const mine = waiting;
    for (let turn = 0; turn < TURNS; turn++) await undefined;
    if (waiting === mine) await send();
  };
  return (operation) => {
    if (ALONE.has(operation.type)) return call(operation) as Promise<SingleResult>;
    return new Promise((answer, fail) => {
      waiting.push({ operation, answer, fail });
      if (waiting.length === 1) void sendSoon();
      else if (waiting.length === MOST) void send();
    });
  };
}
