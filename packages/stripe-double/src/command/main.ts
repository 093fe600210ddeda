#!/usr/bin/env node
/** The command `stripe-double`: a double on this machine, until it is stopped. */
import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { createStripeDouble, DoubleError, newSeed, type StripeDoubleOptions } from "../index.js";
import { describe } from "./describe.js";

const USAGE = `Usage: stripe-double [options]

Runs a Stripe of your own on this machine: API, webhooks, checkout and portal.

  --port <port>      where it listens; 0 for any free one (default: 12111)
  --host <address>   the address it listens on (default: 127.0.0.1, this machine only)
  --webhook <url>    send events there, and print the signing secret
  --state <file>     keep its state in a file, and go on from it
  --fresh            forget what the file holds
  --seed <seed>      the same seed gives the same ids, keys and secrets (default: random)
  --now <moment>     stand the clock still there until it is moved (default: the clock runs)
  --api-version <v>  the account's API version (default: the newest that the double knows)
  --json             print how to reach it as one line of JSON
  --version, --help
`;

/** What is wrong with how the command was called. */
class UsageError extends Error {}

function read(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        port: { type: "string" },
        host: { type: "string" },
        webhook: { type: "string" },
        state: { type: "string" },
        fresh: { type: "boolean" },
        seed: { type: "string" },
        now: { type: "string" },
        "api-version": { type: "string" },
        json: { type: "boolean" },
        version: { type: "boolean" },
        help: { type: "boolean" },
      },
    }).values;
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

function optionsOf(values: ReturnType<typeof read>): StripeDoubleOptions {
  const { port = "12111", host, webhook, state, fresh, seed, now } = values;
  if (!/^\d+$/.test(port) || Number(port) > 65_535) {
    throw new UsageError("--port must be a number from 0 to 65535.");
  }
  if (webhook !== undefined && !/^https?:\/\/./.test(webhook)) {
    throw new UsageError("--webhook must be like http://localhost:3000/stripe/webhook.");
  }
  if (now !== undefined && Number.isNaN(Date.parse(now))) {
    throw new UsageError("--now must be a moment in time, such as 2026-03-01T00:00:00Z.");
  }
  return {
    port: Number(port),
    ...(host && { host }),
    ...(webhook && { webhook }),
    ...(state && { state }),
    ...(fresh && { fresh }),
    ...(seed ? { seed } : state ? {} : { seed: newSeed() }),
    ...(now && { now }),
    ...(values["api-version"] && { apiVersion: values["api-version"] }),
  };
}

function untilStopped(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => resolve());
  });
}

async function run(args: readonly string[]): Promise<void> {
  const values = read(args);
  if (values.help) return void process.stdout.write(USAGE);
  if (values.version) {
    const text = readFileSync(new URL("../../../package.json", import.meta.url), "utf8");
    return void process.stdout.write(`${(JSON.parse(text) as { version: string }).version}\n`);
  }
  // Before it starts, so that a signal during the start ends it as well.
  const stopped = untilStopped();
  const double = await createStripeDouble(optionsOf(values));
  process.stdout.write(describe(double, values.json ?? false));
  await stopped;
  await double.close();
}

try {
  await run(process.argv.slice(2));
} catch (error) {
  const { code } = error as { code?: unknown };
  const taken = code === "EADDRINUSE" || code === "EACCES";
  if (!taken && !(error instanceof UsageError) && !(error instanceof DoubleError)) throw error;
  const hint = taken ? " Choose another port, or any free one: --port 0" : "";
  process.stderr.write(`${(error as Error).message}${hint}\n`);
  process.exitCode = 2;
}
