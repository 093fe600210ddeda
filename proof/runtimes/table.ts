/** What became of the behaviours on each runtime, as a table in Markdown. */
import type { Behaviour } from "./suite/behaviours.js";

export interface Result {
  readonly area: string;
  readonly name: string;
  /** Milliseconds. */
  readonly took: number;
  readonly error?: string;
}

export function tableOf(
  behaviours: readonly Behaviour[],
  results: ReadonlyMap<string, readonly Result[]>,
): string {
  const names = [...results.keys()];
  const missed: string[] = [];
  const cell = (runtime: string, { area, name }: Behaviour): string => {
    const found = results.get(runtime)?.find((each) => each.area === area && each.name === name);
    if (found !== undefined && found.error === undefined) return "yes";
    missed.push(`- ${runtime}, ${area}, ${name}: ${found?.error ?? "it ended before"}`);
    return "**no**";
  };
  const lines = behaviours.map(
    (each) =>
      `| ${each.area} | ${each.name} | ${names.map((name) => cell(name, each)).join(" | ")} |`,
  );
  const head = [`| | | ${names.join(" | ")} |`, `|---|---|${names.map(() => "---|").join("")}`];
  return [...head, ...lines, "", ...missed].join("\n");
}
