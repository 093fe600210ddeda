/** The specification as a test: one test for each rule, on whatever platform it is called with. */
import { afterAll, beforeAll, describe, it, type TestContext } from "vitest";
import { type RuleId, rules, titleOf } from "./catalogue.js";
import { checks } from "./checks.js";
import type { Exception } from "./exceptions.js";
import type { Open, SpecPlatform } from "./harness.js";

/** Describes every rule but the exceptions, which say nothing about the platform. */
export function describeSpec(
  name: string,
  openPlatform: () => Promise<SpecPlatform>,
  exceptions: readonly Exception[] = [],
): void {
  describe(`the specification on ${name}`, () => {
    let platform: SpecPlatform;
    beforeAll(async () => {
      platform = await openPlatform();
    });
    afterAll(() => platform.close?.());

    for (const rule of rules) {
      if (exceptions.some((exception) => exception.rule === rule.id)) continue;
      // Each has an application of its own and mostly waits, so they run side by side.
      it.concurrent(titleOf(rule), (context) => run(rule.id, openIn(platform, context)));
    }
  });
}

function run(id: RuleId, open: Open): Promise<void> {
  const check = checks[id];
  if (check === undefined) throw new Error(`No test for ${titleOf({ id, text: "" })}`);
  return check(open);
}

function openIn(platform: SpecPlatform, { onTestFinished }: TestContext): Open {
  return async (options) => {
    const app = await platform.open(options);
    onTestFinished(() => app.close());
    return app;
  };
}
