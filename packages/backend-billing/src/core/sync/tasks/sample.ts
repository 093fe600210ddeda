/**
 * Verifies a sample: rows of the mirror drawn by lot, each compared with Stripe; and pages of
 * Stripe's lists at moments spread over the same time, whose objects the mirror must have.
 */
import type { Listing } from "../../catalogue/resource.js";
import { resources } from "../../catalogue/resources.js";
import { hash } from "../../mirror/content/hash.js";
import { snapshotsOfPage } from "../../mirror/snapshot.js";
import { unequal } from "../drift/compare.js";
import { confidence } from "../drift/confidence.js";
import { driftCount, NO_DRIFT, reportDrift } from "../drift/drift.js";
import { type Partition, type Sample, UNSCANNED } from "../run/partition.js";
import type { Circumstances } from "../run/phases.js";
import type { Run } from "../run/run.js";
import { isByCreated, type Listed, type Step, type Stepped } from "../run/step.js";
import { askFor, PAGE } from "./page.js";
import { settlePending } from "./pending.js";
import { ALWAYS } from "./scan.js";

const SCAN = 500;
const MOST_PROBES = 10;

type Lot = readonly [lot: number, id: string];

/** Keeps the lowest lots, so that every row has the same chance however many there are. */
export function draw(
  chosen: readonly Lot[],
  ids: readonly string[],
  size: number,
  seed: number,
): readonly Lot[] {
  const lots = ids.map((id): Lot => [hash(id, seed), id]);
  return [...chosen, ...lots].sort(([a], [b]) => a - b).slice(0, size);
}

export function open({ options }: Run, { chosen }: Circumstances): readonly Partition<"sample">[] {
  const sample = { size: options.sample ?? 0, population: 0, chosen: [], probes: [] };
  return chosen.map((resource) => {
    return { ...UNSCANNED, task: "sample", resource, listed: false, sample };
  });
}

/** What the sample says of all rows. */
export function report(at: Partition<"sample">) {
  const { size, population } = at.sample;
  const sampled = Math.min(size, population);
  const differing = Math.min(driftCount(at.drift ?? NO_DRIFT), sampled);
  return { ...reportDrift(at), confidence: confidence(sampled, population, differing) };
}

export async function step(step: Step<"sample">): Promise<Stepped<"sample">> {
  const { at, isUnfinished } = await settlePending(step.runtime, step.at);
  if (isUnfinished) return { next: at };
  const { sample } = at;
  if (!at.listed) return drawStep(step, at, sample);
  const [probe, ...probes] = sample.probes;
  if (probe === undefined) return { next: { ...at, state: "done" } };
  return probeStep(step, at, { ...sample, probes }, probe);
}

/** Goes through the mirror's ids and keeps the sample; at the end its rows are compared. */
async function drawStep(
  { runtime, runId }: Step<"sample">,
  at: Partition<"sample">,
  sample: Sample,
): Promise<Stepped<"sample">> {
  const { resource } = at;
  const found = await runtime.store.unconfirmed(resource, ALWAYS, at.cursor ?? "", SCAN);
  const ids = found.map(({ id }) => id);
  if (ids.length > 0) {
    const chosen = draw(sample.chosen, ids, sample.size, hash(runId));
    const population = sample.population + ids.length;
    return {
      next: { ...at, cursor: ids.at(-1) ?? null, sample: { ...sample, chosen, population } },
    };
  }
  const chosen = sample.chosen.map(([, id]) => id);
  const probes = isByCreated(at.resource) ? await probesAt(runtime, at, chosen) : [];
  return {
    next: {
      ...at,
      listed: true,
      rows: chosen.length,
      pending: chosen.map((id) => ({ do: "compare" as const, id })),
      sample: { ...sample, probes },
    },
  };
}

/** Moments between the oldest and the newest row of the sample, evenly spread. */
async function probesAt(
  runtime: Step["runtime"],
  at: Partition<"sample">,
  chosen: readonly string[],
): Promise<readonly number[]> {
  const times: number[] = [];
  for (const id of chosen.slice(0, PAGE)) {
    const content = (await runtime.store.row(at.resource, id))?.stripe as
      | { created?: number }
      | null
      | undefined;
    if (content?.created !== undefined) times.push(content.created);
  }
  const oldest = Math.min(...times);
  const newest = Math.floor(runtime.now() / 1000);
  const count = Math.min(MOST_PROBES, Math.ceil(chosen.length / PAGE));
  if (times.length === 0) return [newest];
  return Array.from({ length: count }, (_, index) =>
    Math.round(newest - ((newest - oldest) * index) / count),
  );
}

/** Every object of a page at some moment must be in the mirror. What was compared counts once. */
async function probeStep(
  step: Step<"sample">,
  at: Partition<"sample">,
  sample: Sample,
  probe: number,
): Promise<Stepped<"sample">> {
  const { runtime } = step;
  const { resource } = at;
  const compared = new Set(sample.chosen.map(([, id]) => id));
  const pending = [];
  const chosen = [...sample.chosen];
  for (const list of resources[resource].lists as unknown as readonly Listing<Listed>[]) {
    const page = await askFor(runtime, resource, (begin) => {
      begin();
      return list(runtime.stripe(), { limit: PAGE, created: { lte: probe } });
    });
    const fresh = snapshotsOfPage(runtime, resource, page, page.startedAt).filter(
      ({ id }) => !compared.has(id),
    );
    for (const { id } of fresh) {
      compared.add(id);
      chosen.push([0, id]);
    }
    pending.push(...(await unequal(runtime, resource, fresh)));
  }
  const rows = at.rows + chosen.length - sample.chosen.length;
  return {
    next: { ...at, pages: at.pages + 1, rows, pending, sample: { ...sample, chosen } },
    ...(pending.length === 0 ? {} : { pause: runtime.timing.verifyDelay }),
  };
}
