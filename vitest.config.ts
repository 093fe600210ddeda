import { defineConfig } from "vitest/config";

// A report for machines is written only on request, so that a normal run stays quiet.
const report = process.env.TEST_REPORT;

export default defineConfig({
  test: {
    reporters: report ? ["default", ["json", { outputFile: report }]] : ["default"],
    projects: [
      {
        test: {
          name: "unit",
          include: ["test/**/*.test.ts"],
          exclude: ["test/postgres/**", "test/spec/postgres.test.ts"],
        },
      },
      {
        test: {
          name: "postgres",
          include: ["test/postgres/**/*.test.ts", "test/spec/postgres.test.ts"],
          // Runs only when a test of this project runs, so unit tests never wait for a server.
          globalSetup: ["test/setup/postgres.ts"],
        },
      },
    ],
  },
});
