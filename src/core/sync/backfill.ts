/**
 * Copies what exists at Stripe, page by page. A page is committed with the cursor behind it, so a
 * run that was cut off goes on where it was; a listing that is complete is remembered as such.
 */
import type Stripe from "stripe";
import type { ResourceName } from "../catalogue.js";
import { ENTITY_KEY, observeCustomer } from "../customers.js";
import { answerInterval } from "../interval.js";
import { ASK_DELAY } from "../mirror.js";
import type { Listing, Page } from "../resource.js";
import { resources } from "../resources.js";
import type { Runtime } from "../runtime.js";
import { sightsOfPage, stripeStatus } from "../sight.js";
import type { RecordWrite, Snapshot, StoredRecord } from "../store.js";

export interface Progress {
  readonly pages: number;
  readonly rows: number;
  readonly state: "running" | "done" | "failed";
  readonly error?: string;
}

export interface RunReport {
  readonly runId: string;
  readonly state: Progress["state"];
  readonly resources: { readonly [N in ResourceName]?: Progress };
}

/** One listing of one resource within a run. */
interface Partition {
  readonly resource: ResourceName;
  readonly list: number;
  /** The last object that was stored, and when it was created. */
  readonly cursor: string | null;
  readonly createdAt: number | null;
  readonly pages: number;
  readonly rows: number;
  readonly state: Progress["state"];
  readonly error?: string;
  /** Stripe's time at the first page: everything older has been shown when the listing ends. */
  readonly since: number | null;
}

interface Run {
  readonly state: Progress["state"];
  readonly startedAt: number;
  readonly finishedAt: number | null;
}

const PAGE = 100;
const CURRENT = "backfill";

/** Runs the backfill to its end, or takes up the one that was cut off. */
export async function backfill(runtime: Runtime): Promise<RunReport> {
  const runId = await currentRun(runtime);
  for (const resource of runtime.resources) {
    for (let list = 0; list < resources[resource].lists.length; list++) {
      await listAll(runtime, runId, resource, list);
    }
    await completeListing(runtime, runId, resource);
  }
  const report = await reportOf(runtime, runId);
  await finishRun(runtime, runId, report.state);
  return report;
}

/** The run that is not finished, or a new one. */
async function currentRun(runtime: Runtime): Promise<string> {
  for (;;) {
    const pointer = await runtime.store.record("setting", CURRENT);
    const known = pointer?.data.runId;
    if (typeof known === "string") {
      const run = await runtime.store.record("run", known);
      if ((run?.data as unknown as Run | undefined)?.state === "running") return known;
    }
    const runId = crypto.randomUUID();
    const run: Run = { state: "running", startedAt: runtime.now(), finishedAt: null };
    const result = await runtime.store.commit({
      now: runtime.now(),
      units: [],
      records: [
        {
          kind: "setting",
          id: CURRENT,
          expect: pointer?.revision ?? 0,
          next: { ref: null, due: null, data: { runId } },
        },
        { kind: "run", id: runId, expect: 0, next: { ref: null, due: null, data: { ...run } } },
      ],
    });
    if (result.committed) return runId;
  }
}

const partitionId = (runId: string, resource: ResourceName, list: number) =>
  `${runId} ${resource} ${list}`;

async function listAll(
  runtime: Runtime,
  runId: string,
  resource: ResourceName,
  list: number,
): Promise<void> {
  const id = partitionId(runId, resource, list);
  const call = resources[resource].lists[list] as unknown as Listing<Listed>;
  for (;;) {
    const record = await runtime.store.record("partition", id);
    const at = (record?.data as unknown as Partition | undefined) ?? begin(resource, list);
    if (at.state === "done") return;
    const startedAt = runtime.now();
    let page: Awaited<ReturnType<typeof nextPage>>;
    try {
      page = await nextPage(runtime, call, at);
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      await save(runtime, runId, record, id, { ...at, state: "failed", error: message }, []);
      return;
    }
    const last = page.data.at(-1);
    const { error: _, ...good } = at;
    const next: Partition = {
      ...good,
      cursor: last?.id ?? at.cursor,
      createdAt: last?.created ?? at.createdAt,
      pages: at.pages + 1,
      rows: at.rows + page.data.length,
      state: page.has_more ? "running" : "done",
      since:
        at.since ??
        answerInterval(
          page.lastResponse?.headers.date,
          runtime.now() - startedAt,
          runtime.tolerances,
        ).hi,
    };
    const saved = await save(
      runtime,
      runId,
      record,
      id,
      next,
      sightsOfPage(runtime, resource, page, startedAt),
    );
    if (saved && resource === "customers") await adopt(runtime, page.data);
    // Not saved: somebody else is at it too. Going on from where they are does no harm.
  }
}

type Listed = {
  readonly id: string;
  readonly created?: number;
  readonly metadata?: { readonly [key: string]: string };
};

const begin = (resource: ResourceName, list: number): Partition => ({
  resource,
  list,
  cursor: null,
  createdAt: null,
  pages: 0,
  rows: 0,
  state: "running",
  since: null,
});

/** The page after the cursor. If the cursor's object is gone, the listing goes on by its time. */
async function nextPage(runtime: Runtime, call: Listing<Listed>, at: Partition) {
  const page: Page = { limit: PAGE, ...(at.cursor === null ? {} : { starting_after: at.cursor }) };
  try {
    return await paced(runtime, () => call(runtime.stripe(), page));
  } catch (error) {
    const { code } = error as Partial<Stripe.errors.StripeError>;
    if (code !== "resource_missing" || at.createdAt === null) throw error;
    const created = { lte: at.createdAt };
    return paced(runtime, () => call(runtime.stripe(), { limit: PAGE, created }));
  }
}

/** Waits out Stripe's rate limits; the SDK does not. */
async function paced<T>(runtime: Runtime, call: () => PromiseLike<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await call();
    } catch (error) {
      if (stripeStatus(error) !== 429 || attempt > 8) throw error;
      await runtime.sleep(Math.random() * 250 * 2 ** attempt);
    }
  }
}

async function save(
  runtime: Runtime,
  runId: string,
  record: StoredRecord | undefined,
  id: string,
  next: Partition,
  snapshots: readonly Snapshot[],
): Promise<boolean> {
  const write: RecordWrite = {
    kind: "partition",
    id,
    expect: record?.revision ?? 0,
    next: { ref: runId, due: null, data: { ...next } },
  };
  const result = await runtime.store.commit({
    now: runtime.now(),
    units: [{ snapshots }],
    records: [write],
  });
  if (result.committed) runtime.wake(ASK_DELAY); // pages may have left asks
  return result.committed;
}

/** Customers that carry an entity's id are that entity's, if nobody else is. */
async function adopt(runtime: Runtime, customers: readonly Listed[]): Promise<void> {
  for (const { id, metadata } of customers) {
    const entityId = metadata?.[ENTITY_KEY];
    if (entityId) await observeCustomer(runtime, { id, entityId, idempotencyKey: null });
  }
}

async function partitionsOf(runtime: Runtime, runId: string): Promise<Partition[]> {
  const all: Partition[] = [];
  for (let after = ""; ; ) {
    const page = await runtime.store.recordsOf("partition", runId, after, 100);
    all.push(...page.map(({ data }) => data as unknown as Partition));
    const last = page.at(-1);
    if (last === undefined) return all;
    after = last.id;
  }
}

/** Remembers that everything older than this listing has been shown. */
async function completeListing(
  runtime: Runtime,
  runId: string,
  resource: ResourceName,
): Promise<void> {
  const lists = (await partitionsOf(runtime, runId)).filter((each) => each.resource === resource);
  if (lists.some(({ state }) => state !== "done")) return;
  const at = Math.min(...lists.map(({ since }) => since ?? 0));
  const record = await runtime.store.record("watermark", resource);
  if (Number(record?.data.at ?? -1) >= at) return;
  await runtime.store.commit({
    now: runtime.now(),
    units: [],
    records: [
      {
        kind: "watermark",
        id: resource,
        expect: record?.revision ?? 0,
        next: { ref: null, due: null, data: { at } },
      },
    ],
  });
}

async function reportOf(runtime: Runtime, runId: string): Promise<RunReport> {
  const partitions = await partitionsOf(runtime, runId);
  const entries = runtime.resources.map((resource): [ResourceName, Progress] => {
    const lists = partitions.filter((each) => each.resource === resource);
    const failed = lists.find(({ state }) => state === "failed");
    const sum = (field: "pages" | "rows") => lists.reduce((total, list) => total + list[field], 0);
    return [
      resource,
      {
        pages: sum("pages"),
        rows: sum("rows"),
        state: worst(lists.map(({ state }) => state)),
        ...(failed?.error === undefined ? {} : { error: failed.error }),
      },
    ];
  });
  return {
    runId,
    state: worst(entries.map(([, { state }]) => state)),
    resources: Object.fromEntries(entries),
  };
}

function worst(states: readonly Progress["state"][]): Progress["state"] {
  if (states.includes("failed")) return "failed";
  return states.length > 0 && states.every((state) => state === "done") ? "done" : "running";
}

/** A run that failed stays open: the next call goes on with it. */
async function finishRun(runtime: Runtime, runId: string, state: Progress["state"]): Promise<void> {
  if (state !== "done") return;
  const record = await runtime.store.record("run", runId);
  if (record === undefined) return;
  const data = { ...record.data, state, finishedAt: runtime.now() };
  await runtime.store.commit({
    now: runtime.now(),
    units: [],
    records: [
      { kind: "run", id: runId, expect: record.revision, next: { ref: null, due: null, data } },
    ],
  });
}
