// An application as the commands find it: a double of Stripe and a database with tables.

import Stripe from "stripe";
import { expect } from "vitest";
import { listedAtOnce } from "../../../../support/listed-at-once.js";
import { PATIENCE } from "../../../../support/patience.js";
import { createPatientDouble } from "../../../../support/patient-double.js";
import { createDatabase, createPool } from "../../../../support/postgres/database.js";
import { migrate } from "../../src/postgres/index.js";
import type { StripeDouble, StripeDoubleOptions } from "../../src/testing/index.js";
import { type Ended, runCommand, start } from "./command.js";

export interface Application {
  readonly double: StripeDouble;
  readonly stripe: Stripe;
  readonly databaseUrl: string;
  readonly env: { readonly [name: string]: string };
  query<T>(sql: string, values?: unknown[]): Promise<T[]>;
  /** Runs a command to its end, against this application. */
  run(...args: string[]): Promise<Ended>;
  /** The same under `--json`; every line of stdout must be JSON. */
  runJson(...args: string[]): Promise<{ code: number | null; lines: unknown[] }>;
  start(...args: string[]): ReturnType<typeof start>;
  close(): Promise<void>;
}

export async function createApplication(options: StripeDoubleOptions = {}): Promise<Application> {
  const database = await createDatabase();
  const pool = createPool(database.url);
  const double = await createPatientDouble(options);
  await migrate(pool);
  const env = { STRIPE_SECRET_KEY: double.secretKey, DATABASE_URL: database.url };
  const all = (args: readonly string[]) => [
    ...args,
    ...["--stripe-host", double.url],
    ...(args.includes("--resources") ? [] : ["--resources", listedAtOnce.join(",")]),
  ];
  /** Whatever a command does, it keeps the key and the password to itself. */
  const checked = async (args: readonly string[]): Promise<Ended> => {
    const ended = await runCommand(all(args), { env });
    const { password } = new URL(database.url);
    for (const secret of [double.secretKey, password]) {
      if (secret !== "") expect(ended.stdout + ended.stderr).not.toContain(secret);
    }
    return ended;
  };
  return {
    double,
    stripe: new Stripe(double.secretKey, double.stripeConfig),
    databaseUrl: database.url,
    env,
    query: async <T>(sql: string, values?: unknown[]) =>
      (await pool.query(sql, values)).rows as T[],
    run: (...args) => checked(args),
    runJson: async (...args) => {
      const { code, stdout } = await checked([...args, "--json"]);
      return { code, lines: jsonLines(stdout) };
    },
    start: (...args) => start(all(args), { env }),
    close: async () => {
      await double.close();
      await pool.end();
      await database.drop();
    },
  };
}

export const jsonLines = (stdout: string): unknown[] =>
  stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as unknown);

/** Waits until something holds. */
export async function until(holds: () => boolean, milliseconds = PATIENCE): Promise<void> {
  const end = Date.now() + milliseconds;
  while (!holds()) {
    if (Date.now() > end) throw new Error("It did not come to that in time");
    await new Promise((done) => setTimeout(done, 10));
  }
}
