/** A walk of named steps: each is printed, and the first that fails does not hide the others. */

export type Step = (name: string, run: () => Promise<void>) => Promise<void>;

export interface Walk {
  readonly step: Step;
  /** Prints the count, and answers whether all went well. */
  summary(): boolean;
}

export function createWalk(): Walk {
  let passed = 0;
  const failures: string[] = [];
  return {
    async step(name, run) {
      const start = performance.now();
      try {
        await run();
        passed++;
        console.log(`  ✓ ${name} (${Math.round(performance.now() - start)} ms)`);
      } catch (error) {
        failures.push(name);
        console.log(
          `  ✗ ${name}\n    ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`,
        );
      }
    },
    summary() {
      console.log(`\n${passed} passed, ${failures.length} failed`);
      for (const name of failures) console.log(`  failed: ${name}`);
      return failures.length === 0;
    },
  };
}

export function expect(actual: unknown, wanted: unknown, what: string): void {
  if (actual !== wanted) {
    throw new Error(`${what}: expected ${JSON.stringify(wanted)}, got ${JSON.stringify(actual)}`);
  }
}
