/**
 * The branches of the convergence rule, each turned off by a change of the text. The text to change
 * must be there exactly once, so that a mutant cannot quietly stop changing anything.
 */

import type { StoryName } from "../../test/convergence/stories.js";
import type { BrokenRule } from "./spec.js";

export interface Edit {
  readonly file: string;
  readonly find: string;
  readonly replace: string;
}

export interface Mutant {
  readonly name: string;
  /** The smallest history that must end wrong. */
  readonly story?: StoryName;
  readonly edits: readonly Edit[];
  /** Turning it off changes no outcome, only the work: it must survive. */
  readonly isHarmless?: true;
  /** The test that must fail, where random histories come to it too rarely, or cannot. */
  readonly test?: string;
  /** The rules of the specification whose tests must fail, where it is not one of convergence. */
  readonly breaks?: BrokenRule;
}

const MIRROR = "src/core/mirror/rule.ts";
const PLAN = "src/core/mirror/plan.ts";
const INTERVAL = "src/core/mirror/interval.ts";
const SIGHT = "src/core/mirror/snapshot.ts";
const DOOR = "src/core/events/receive.ts";
const REFETCH = "src/core/events/refetch.ts";
const MEMORY = "src/testing/memory-store.ts";
const CLAIMS = "src/core/customers/claim/claim.ts";
const CLAIMS_TEST = "test/core/claims.test.ts";

const one = (
  name: string,
  story: StoryName | undefined,
  file: string,
  find: string,
  replace: string,
): Mutant => ({
  name,
  ...(story === undefined ? {} : { story }),
  edits: [{ file, find, replace }],
});

export const mutants: readonly Mutant[] = [
  one(
    "ties written",
    "two changes of one second, told in the wrong order",
    MIRROR,
    "(sight.lo > known.hi || succeedsCreation)",
    "(sight.hi >= known.lo || succeedsCreation)",
  ),
  one(
    "tombstones ignored",
    "a creation told after the deletion",
    MIRROR,
    'if (final && known?.state === "deleted") return DROP;',
    'if (final && known?.state === "deleted" && sight.origin !== "answer") return judgeFirst(sight, at);',
  ),
  one(
    "compare-and-set dropped",
    "a change told while an answer is under way",
    MIRROR,
    'if (revision !== sight.askedAt) return { act: "retry" };',
    "",
  ),
  one(
    "intervals not widened",
    "a deletion dated before the creation",
    INTERVAL,
    "{ skew: 1, listLag: 10 }",
    "{ skew: 0, listLag: 10 }",
  ),
  one(
    "lists that never lag",
    "a list that lags behind an event",
    INTERVAL,
    "{ skew: 1, listLag: 10 }",
    "{ skew: 1, listLag: 0 }",
  ),
  one(
    "equal content without a raised revision",
    "A, B and A again, told while the answer B is under way",
    MIRROR,
    "revision: known.revision + 1,\n    lo: Math.max(known.lo, sight.lo),",
    "revision: known.revision,\n    lo: Math.max(known.lo, sight.lo),",
  ),
  one(
    "equal content does not extend",
    "A, B and A again, with B told last",
    MIRROR,
    "lo: Math.max(known.lo, sight.lo),\n    hi: Math.max(known.hi, sight.hi),",
    "",
  ),
  one(
    "an ask without a raised revision",
    "a doubt while an answer is under way",
    MIRROR,
    "next: { ...base, revision: base.revision + 1, stale: true },",
    "next: { ...base, revision: Math.max(1, base.revision), stale: true },",
  ),
  {
    name: "joining an earlier fetch",
    story: "a doubt while an answer is under way for longer than its lease",
    edits: [
      {
        file: REFETCH,
        find: "snapshot = await retrieve(runtime, ask.resource, ask.id, revision, awaited);",
        replace: `const key = \`\${ask.resource} \${ask.id}\`;
      const all: Map<string, Promise<Snapshot>> = ((runtime as unknown as { joined?: Map<string, Promise<Snapshot>> }).joined ??= new Map());
      const mine = all.get(key) ?? retrieve(runtime, ask.resource, ask.id, revision, awaited);
      all.set(key, mine);
      snapshot = { ...(await mine.finally(() => all.delete(key))), askedAt: revision };`,
      },
    ],
  },
  {
    name: "an overtaken answer written after all",
    story: "a change told while somebody comes back from a checkout",
    edits: [
      {
        file: REFETCH,
        find: "let { revision } = ask;",
        replace: "let { revision } = ask;\n  let early: Snapshot | undefined;",
      },
      {
        file: REFETCH,
        find: "snapshot = await retrieve(runtime, ask.resource, ask.id, revision, awaited);",
        replace:
          "early ??= await retrieve(runtime, ask.resource, ask.id, revision, awaited);\n      snapshot = { ...early, askedAt: revision };",
      },
    ],
  },
  one(
    "receipt before a durable ask",
    "killed between its first commit and the answer to Stripe",
    DOOR,
    "const result = await runtime.store.commit({ now: runtime.now(), units: [effect.unit] });",
    `const { receipt, ...rest } = effect.unit;
  const first = await runtime.store.commit({ now: runtime.now(), units: receipt ? [{ receipt }] : [] });
  if (first.committed && first.units[0]?.duplicate) return "duplicate";
  const result = await runtime.store.commit({ now: runtime.now(), units: [rest] });`,
  ),
  one(
    "no watchdog",
    "killed while it asks Stripe",
    REFETCH,
    "const LEASE = 30_000;",
    "const LEASE = 1_800_000;",
  ),
  {
    name: "classify and write in two steps",
    story: "an old event and a new one, handled at once",
    edits: [
      {
        file: MEMORY,
        find: "async commit(batch: Batch): Promise<Committed> {",
        replace: "async commit(batch: Batch, between?: () => Promise<void>): Promise<Committed> {",
      },
      {
        file: MEMORY,
        find: "as Planned; // contents are at hand: always decided",
        replace: "as Planned;\n      await between?.();",
      },
      {
        file: "test/convergence/stores.ts",
        find: "return { connect: () => store };",
        replace:
          "return { connect: ({ pause }) => ({ ...store, commit: (batch) => (store.commit as (...all: unknown[]) => never)(batch, pause) }) };",
      },
    ],
  },
  one(
    "a creation over what exists",
    "a creation told after an update of its second",
    MIRROR,
    'if (isEvent && final && sight.kind === "created" && known.state === "live") return DROP;',
    'if (isEvent && final && sight.kind === "created" && known.state === "live") return written(known, sight, at);',
  ),
  one(
    "the watermark ignored",
    "an old event of what was deleted before we knew it",
    MIRROR,
    "at.watermark !== undefined && sight.lo <= at.watermark",
    "false",
  ),
  {
    ...one(
      "a 404 is final",
      undefined,
      MIRROR,
      'return sight.kind === "deleted" || sight.kind === "missing" ? sight.kind : "live";',
      'return sight.kind === "deleted" || sight.kind === "missing" ? "deleted" : "live";',
    ),
    test: "test/core/mirror.test.ts",
  },
  {
    ...one(
      "a refresh dropped by an earlier reading",
      undefined,
      REFETCH,
      "let result = await runtime.store.commit({ ...batch, records });\n  if (!result.committed) result = await runtime.store.commit(batch);",
      `const late = await runtime.store.record("refresh", needless[0]?.id ?? "");
  const now = records.map((each) => ({ ...each, expect: late?.revision ?? 0 }));
  let result = await runtime.store.commit({ ...batch, records: now });
  if (!result.committed) result = await runtime.store.commit(batch);`,
    ),
    test: "test/convergence/asks.test.ts",
  },
  one(
    "a newer event settles an ask",
    "a thin event, and then an older full one",
    MIRROR,
    "stale: final ? false : (known?.stale ?? false),",
    "stale: false,",
  ),
  one(
    "another API version believed",
    "an event of another API version",
    SIGHT,
    "event.apiVersion === pinned",
    "(event.apiVersion !== null || pinned !== null)",
  ),
  one(
    "a cut list believed",
    "a subscription with more items than are shown",
    SIGHT,
    "return list?.has_more === true;",
    "return list === null;",
  ),
  one(
    "ids that return are not known",
    "a product that was deleted and made again, the deletion told last",
    PLAN,
    '"idsReturn" in resources[snapshot.resource]',
    "resources[snapshot.resource] === null",
  ),
  one(
    "an id that returns has a first event",
    "a deletion told after the second creation of its second",
    MIRROR,
    'sight.kind === "created" &&\n        !at.idsReturn,',
    'sight.kind === "created",',
  ),
  one(
    "a hint is not followed",
    "a subscription of which only a payment tells",
    DOOR,
    'else if (effect.kind === "refresh") wishes.push(...refreshWish(runtime, event));',
    "",
  ),
  one(
    "a hint that names its subscription has a list read",
    "a subscription of which only an invoice tells",
    DOOR,
    "sightOfHint(runtime, event)",
    "undefined",
  ),
  {
    ...one(
      "random keys of claims",
      undefined,
      "src/core/customers/claim/key.ts",
      "await digestOf(owner)}-",
      "crypto.randomUUID()}-",
    ),
    test: CLAIMS_TEST,
  },
  {
    ...one(
      "a claim's counter rises on a refusal",
      undefined,
      CLAIMS,
      "return { ...freed(claim), since, firstAttemptAt, lastAttemptAt };",
      "return { ...usedUp(claim), since, firstAttemptAt, lastAttemptAt };",
    ),
    test: CLAIMS_TEST,
  },
  {
    ...one(
      "a claim freed while its key is under way",
      undefined,
      CLAIMS,
      "if (!isAhead(claim.leasedUntil, now) || claim.params === null) return freed(claim);",
      "if (isAhead(now + 1, now)) return freed(claim);",
    ),
    test: CLAIMS_TEST,
  },
  {
    ...one(
      "an adoption learns no counter",
      undefined,
      "src/core/customers/claim/sightings.ts",
      "counter === undefined || counter < claim.counter",
      "counter === undefined || counter < Infinity",
    ),
    test: CLAIMS_TEST,
  },
  {
    ...one(
      "receipts ignored",
      undefined,
      PLAN,
      "known.seen(receipt.eventId) || receipts.has(receipt.eventId)",
      "known.seen(receipt.eventId) && receipts.size > 99",
    ),
    isHarmless: true,
  },
];
