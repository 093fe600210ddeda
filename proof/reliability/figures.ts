/** Figures that a proof has measured, kept beside the page that shows them. */
import { readFileSync, writeFileSync } from "node:fs";
import { cpus } from "node:os";

/** What was measured, its value, and what it must be. */
export type Row = readonly [name: string, value: string | number, bound?: string | number];

export interface Figures {
  /** How to measure them again. */
  readonly command: string;
  readonly at: string;
  readonly cores: number;
  /** Work of others on the machine at the start, as the one-minute load. */
  readonly load: number;
  readonly rows: readonly Row[];
  readonly notes: readonly string[];
}

const fileOf = (name: string) => new URL(`./${name}.json`, import.meta.url);

export function writeFigures(name: string, measured: Omit<Figures, "at" | "cores">): void {
  const { command, load, rows, notes } = measured;
  const at = new Date().toISOString().slice(0, 10);
  const rounded = Math.round(load * 10) / 10;
  const figures: Figures = { command, at, cores: cpus().length, load: rounded, rows, notes };
  writeFileSync(fileOf(name), `${JSON.stringify(figures, null, 2)}\n`);
}

/** Undefined where nothing was measured yet. */
export function figuresOf(name: string): Figures | undefined {
  try {
    return JSON.parse(readFileSync(fileOf(name), "utf8")) as Figures;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}
