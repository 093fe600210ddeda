// A reporter that ends each run with its slowest files, so that a tier which grows too long shows by
// what. A file's time is all of it: loading its modules, its hooks and its tests.
import type { Reporter, TestModule } from "vitest/node";

const SHOWN = 10;

export class SlowestFiles implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const lines = slowest(
      modules.map((module) => {
        const { environmentSetupDuration, prepareDuration, collectDuration, ...rest } =
          module.diagnostic();
        const load = environmentSetupDuration + prepareDuration + collectDuration;
        const tests = rest.setupDuration + rest.duration;
        return { file: module.relativeModuleId, milliseconds: load + tests };
      }),
    );
    if (lines.length > 1) console.log(`\nThe slowest files:\n${lines.join("\n")}\n`);
  }
}

interface FileTime {
  readonly file: string;
  readonly milliseconds: number;
}

/** One line each, the slowest first. */
function slowest(files: readonly FileTime[], shown = SHOWN): string[] {
  return [...files]
    .sort((a, b) => b.milliseconds - a.milliseconds)
    .slice(0, shown)
    .map(({ file, milliseconds }) => `${(milliseconds / 1000).toFixed(1).padStart(8)} s  ${file}`);
}
