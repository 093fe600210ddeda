/** What was played: in how many histories each resource was, and what only some resources know. */
import type { ResourceName } from "../../packages/backend-billing/src/core/catalogue/catalogue.js";
import type { Model } from "./model.js";
import { traitsOf } from "./traits.js";

/** What happens to objects of some resources only. */
export const TRAITS = [
  "listed per owner",
  "of no owner",
  "hidden from lists",
  "a list that is cut",
  "deleted",
  "gone, untold",
  "ended, and there",
  "an id that returned",
  "told by another object",
  "changed, untold",
] as const;
/** The last is of no resource that is mirrored yet. */
export type Trait = (typeof TRAITS)[number] | "told by its owner's list";

export type Counts = { [name: string]: number };

/** In how many histories each was. */
export interface Played {
  readonly resources: Counts;
  readonly traits: Counts;
}

export const nothingPlayed = (): Played => ({ resources: {}, traits: {} });

const count = (counts: Counts, names: Iterable<string>) => {
  for (const name of names) counts[name] = (counts[name] ?? 0) + 1;
};

export function countPlayed({ resources, traits }: Played, model: Model): void {
  const names = new Set(model.objects.map(({ resource }) => resource));
  count(resources, names);
  count(traits, new Set([...[...names].flatMap(listing), ...model.played]));
  if (model.untold.size > 0) count(traits, ["compared after the scheduled reconcile"]);
}

function listing(name: ResourceName): readonly string[] {
  const { entry, sides, listsWithoutOwner } = traitsOf(name);
  if (!listsWithoutOwner) return [];
  return [
    entry.listsByCreated ? "listed by time of creation" : "listed in one go",
    ...(sides === undefined ? [] : ["in two lists"]),
  ];
}

export function addPlayed(sum: Played, more: Played): void {
  for (const part of ["resources", "traits"] as const) {
    for (const [name, times] of Object.entries(more[part])) {
      sum[part][name] = (sum[part][name] ?? 0) + times;
    }
  }
}

/** For people. */
export function playedLines({ resources, traits }: Played): readonly string[] {
  const rows = (counts: Counts) => Object.entries(counts).sort(([, a], [, b]) => b - a);
  return [
    "Histories that had",
    ...rows(traits).map(([name, times]) => `  ${String(times).padStart(8)} ${name}`),
    "Histories with objects of",
    ...rows(resources).map(([name, times]) => `  ${String(times).padStart(8)} ${name}`),
  ];
}
