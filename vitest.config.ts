// A project is a folder of the library's tests, or the tests of the double. A test that is tagged `slow` is left out of the quick tier,
// one that is tagged `long` of CI, too: CONTRIBUTING.md says what each tier is for.
import { defineConfig } from "vitest/config";
import { convexVitestConfig } from "./packages/backend-billing/src/testing/vitest.js";
import { PATIENCE } from "./support/patience.js";
import { SlowestFiles } from "./support/slowest-files.js";

// These end what would never end, and say nothing about speed: the machine may be busy. A test that
// needs more says so itself; none asks for less.
const limits = {
  testTimeout: 300_000,
  hookTimeout: 300_000,
  expect: { poll: { timeout: PATIENCE } },
};

// Their modules keep nothing from one test to the next, so files of a worker share them: to load the
// same modules for each file took a quarter of the time of all tests.
const folder = (name: string) => ({
  ...limits,
  name,
  isolate: false,
  include: [`packages/backend-billing/test/${name}/**/*.test.ts`],
});

// The source of the double, so that nothing has to be built first; tsconfig.json says the same.
const alias = { "stripe-double": `${import.meta.dirname}/packages/stripe-double/src/index.ts` };
const resolve = { alias };
// What `generate` writes imports the library by its name.
const source = `${import.meta.dirname}/packages/backend-billing/src`;
const byName = {
  alias: {
    ...alias,
    "backend-billing/catalogue": `${source}/catalogue/index.ts`,
    "backend-billing": `${source}/index.ts`,
  },
};

// A report for machines is written only on request, so that a normal run stays quiet.
const report = process.env.TEST_REPORT;

// These run only when a test of their project runs, so unit tests never wait for a server.
const postgres = "support/setup/postgres.ts";
const command = "support/setup/command.ts";

export default defineConfig({
  test: {
    // One more than Vitest would take of two cores: a good part of a test is waiting.
    maxWorkers: 2,
    reporters: [
      "default",
      new SlowestFiles(),
      ...(report ? [["json", { outputFile: report }] satisfies [string, object]] : []),
    ],
    tags: [
      { name: "slow", description: "Not in `npm test`." },
      { name: "long", description: "Only in `npm run test:long`." },
    ],
    projects: [
      { resolve: byName, test: folder("unit") },
      {
        resolve,
        test: {
          ...folder("double"),
          include: ["packages/stripe-double/test/**/*.test.ts"],
        },
      },
      { resolve, test: folder("docs") },
      { resolve, test: folder("package") },
      { resolve: byName, test: { ...folder("postgres"), globalSetup: [postgres] } },
      { resolve, test: { ...folder("cli"), globalSetup: [postgres, command] } },
      {
        // As Convex runs functions, with the settings that an application's tests have.
        ...convexVitestConfig,
        logLevel: "error",
        // The examples import the library by its name.
        resolve: {
          alias: {
            ...alias,
            "backend-billing/catalogue": `${source}/catalogue/index.ts`,
            "backend-billing/convex/local": `${source}/convex/local.ts`,
            "backend-billing/convex/tables": `${source}/convex/tables/index.ts`,
            "backend-billing/convex": `${source}/convex/index.ts`,
          },
        },
        // convex-test keeps its context in a module: a function that a file scheduled must not run in
        // the next file's.
        test: { ...folder("convex"), isolate: true, ...convexVitestConfig.test },
      },
    ],
  },
});
