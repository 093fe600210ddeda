import { defineConfig } from "vitest/config";
import { PATIENCE } from "./test/setup/patience.js";

// These end what would never end, and say nothing about speed: the machine may be busy. A test that
// needs more says so itself; none asks for less.
const limits = {
  testTimeout: 300_000,
  hookTimeout: 300_000,
  expect: { poll: { timeout: PATIENCE } },
};

// A report for machines is written only on request, so that a normal run stays quiet.
const report = process.env.TEST_REPORT;

export default defineConfig({
  test: {
    // One more than Vitest would take of two cores: a good part of a test is waiting.
    maxWorkers: 2,
    reporters: report ? ["default", ["json", { outputFile: report }]] : ["default"],
    projects: [
      {
        test: {
          ...limits,
          name: "unit",
          include: ["test/**/*.test.ts"],
          exclude: [
            "test/postgres/**",
            "test/cli/**",
            "test/spec/postgres.test.ts",
            "test/convex/**",
            "test/spec/convex.test.ts",
            "test/convergence/{postgres,cost}.test.ts",
          ],
        },
      },
      {
        test: {
          ...limits,
          name: "postgres",
          include: [
            "test/postgres/**/*.test.ts",
            "test/cli/**/*.test.ts",
            "test/spec/postgres.test.ts",
            "test/convergence/{postgres,cost}.test.ts",
          ],
          // Runs only when a test of this project runs, so unit tests never wait for a server.
          globalSetup: ["test/setup/postgres.ts", "test/setup/command.ts"],
        },
      },
      {
        // As Convex runs functions: in an isolate, with Stripe's build for workers. Both packages
        // must be inlined, or Node resolves them by its own conditions.
        logLevel: "error",
        ssr: { resolve: { conditions: ["worker", "module", "import", "default"] } },
        // The examples import the library by its name.
        resolve: {
          alias: { "backend-billing/convex": `${import.meta.dirname}/src/convex/index.ts` },
        },
        test: {
          ...limits,
          name: "convex",
          include: ["test/convex/**/*.test.ts", "test/spec/convex.test.ts"],
          environment: "edge-runtime",
          server: { deps: { inline: ["stripe", "convex-test"] } },
        },
      },
    ],
  },
});
