/** What `sync` answers, as a validator: the core's report, field by field. */
import { type Infer, type VOptional, v } from "convex/values";
import { type ResourceName, resourceNames } from "../core/catalogue/catalogue.js";
import type { SyncReport } from "../core/runtime/reports.js";

const text = v.string();
const number = v.number();
const state = v.union(v.literal("running"), v.literal("done"), v.literal("failed"));

const drift = v.object({
  missing: number,
  different: number,
  ghost: number,
  examples: v.array(
    v.object({
      id: text,
      kind: v.union(v.literal("missing"), v.literal("different"), v.literal("ghost")),
      fields: v.optional(v.array(text)),
    }),
  ),
});

const progress = v.object({
  pages: number,
  rows: number,
  state,
  error: v.optional(text),
  drift: v.optional(drift),
  confidence: v.optional(
    v.object({
      sampled: number,
      of: number,
      differing: number,
      level: number,
      atMost: number,
      statement: text,
    }),
  ),
});

const usage = v.object({
  pages: number,
  rows: number,
  state,
  error: v.optional(text),
  differing: number,
  examples: v.array(
    v.object({ customerId: text, meter: text, day: text, ours: number, stripe: number }),
  ),
});

const setAside = v.object({
  count: number,
  examples: v.array(
    v.object({
      resource: v.union(...resourceNames.map((name) => v.literal(name))),
      id: text,
      reason: text,
      at: number,
      kept: v.union(v.literal("none"), v.literal("part")),
    }),
  ),
});

type ByResource = { [N in ResourceName]: VOptional<typeof progress> };

export const syncReport = v.object({
  runId: v.union(text, v.null()),
  state,
  kind: v.optional(
    v.union(
      v.literal("backfill"),
      v.literal("catch-up"),
      v.literal("reconcile"),
      v.literal("verify"),
    ),
  ),
  phase: v.optional(
    v.union(
      v.literal("list"),
      v.literal("sweep"),
      v.literal("events"),
      v.literal("settle"),
      v.literal("sample"),
      v.literal("usage"),
    ),
  ),
  startedAt: v.optional(number),
  finishedAt: v.optional(v.union(number, v.null())),
  error: v.optional(text),
  setAside: v.optional(setAside),
  resources: v.object(
    Object.fromEntries(resourceNames.map((name) => [name, v.optional(progress)])) as ByResource,
  ),
  events: v.optional(progress),
  usage: v.optional(usage),
  partitions: v.optional(v.object({ running: number, done: number, failed: number })),
  webhook: v.optional(
    v.object({
      id: text,
      secret: v.optional(text),
      mended: v.optional(v.array(text)),
      others: v.optional(
        v.array(v.object({ id: text, url: text, apiVersion: v.union(text, v.null()) })),
      ),
    }),
  ),
  portal: v.optional(v.object({ configurationId: text })),
});

/** The same report, to be written out by Convex. */
export type WiredReport = Infer<typeof syncReport>;

/** Convex refuses a field that its validator does not name, so the two must be the same. */
type Writable<T> = T extends readonly (infer E)[]
  ? Writable<E>[]
  : T extends object
    ? { -readonly [K in keyof T]: Writable<T[K]> }
    : T;
type Same<A, B> =
  (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
true satisfies Same<Writable<SyncReport>, WiredReport>;
