// The decisions behind the commands, as tables.
import { describe, expect, it } from "vitest";
import { endpointProblems, judgeEndpoint } from "../../src/cli/endpoint-health.js";
import { rowsLeft } from "../../src/cli/estimate.js";
import { describeError } from "../../src/cli/terminal/describe-error.js";
import { duration, roughly } from "../../src/cli/terminal/format.js";
import { visible } from "../../src/cli/terminal/io.js";
import { createRedactor } from "../../src/cli/terminal/redact.js";
import { BillingError } from "../../src/core/runtime/errors.js";
import type { RunReport } from "../../src/core/runtime/reports.js";
import { type Partition, UNREAD } from "../../src/core/sync/run/partition.js";

describe("what is hidden", () => {
  const redact = createRedactor({
    DATABASE_URL: "postgres://app:p%40ssw0rd!x@db.example/app",
    CONVEX_DEPLOY_KEY: "prod:swift-otter|abcdef",
    HOME: "/home/somebody",
    SECRET_SHORT: "yes",
    SESSION_SECRET: '"quoted-in-the-file"',
    OTHER_SECRET: 'with"quote-inside',
  });
  it.each([
    ["the key sk_test_51AbC_x9 is wrong", "the key sk_test_… is wrong"],
    ["rk_live_abc", "rk_live_…"],
    ["STRIPE_WEBHOOK_SECRET=whsec_abc123", "STRIPE_WEBHOOK_SECRET=whsec_…"],
    ["postgres://app:other@pass@db/app", "postgres://app:…@db/app"],
    ["password p@ssw0rd!x was refused", "password … was refused"],
    ["prod:swift-otter|abcdef", "…"],
    ["the secret quoted-in-the-file", "the secret …"],
    ['{"error":"with\\"quote-inside"}', '{"error":"…"}'],
    [
      "postgres://db/app?user=a&password=hunter2x&ssl=1",
      "postgres://db/app?user=a&password=…&ssl=1",
    ],
    ["host=db password='hunter 2x' user=a", "host=db password=… user=a"],
    ['{"client_secret": "pi_1_secret_2", "id": "pi_1"}', '{"client_secret": "…", "id": "pi_1"}'],
    ["yes, /home/somebody", "yes, /home/somebody"],
    ["http://127.0.0.1:12111/v1", "http://127.0.0.1:12111/v1"],
  ])("%s", (text, safe) => {
    expect(redact(text)).toBe(safe);
  });
});

it("a password given as a parameter of the address is known by itself", () => {
  const redact = createRedactor({ DATABASE_URL: "postgres://db/app?password=hunter2xyz" });
  expect(redact("refused: hunter2xyz")).toBe("refused: …");
});

describe("what a terminal would obey is written out", () => {
  it.each([
    ["a\u001b[2Jb", "a\\u001b[2Jb"],
    ["\u001b[31mred\u001b[0m", "\u001b[31mred\u001b[0m"],
    ["bell \u0007, C1 \u009b, turned \u202e", "bell \\u0007, C1 \\u009b, turned \\u202e"],
    ["two\nlines\tand more", "two\nlines\tand more"],
    ["\r over", "\\u000d over"],
  ])("%j", (text, safe) => {
    expect(visible(text)).toBe(safe);
  });
});

describe("what is said of an error", () => {
  const coded = (code: string, message = "it failed") =>
    Object.assign(new Error(message), { code });
  it.each([
    [new BillingError("invalid_config", "x"), 2, undefined],
    [new BillingError("livemode_mismatch", "x"), 2, undefined],
    [new BillingError("provider_error", "x"), 1, undefined],
    [new BillingError("store_error", "x", { cause: coded("42P01") }), 1, "migrate"],
    [coded("28P01"), 1, "password"],
    [new AggregateError([coded("ECONNREFUSED", "refused")]), 1, "Nothing listens"],
    [Object.assign(new Error("no key"), { statusCode: 401 }), 1, "STRIPE_SECRET_KEY"],
    ["a text", 1, undefined],
  ])("%s", (error, exitCode, words) => {
    const told = describeError(error);
    expect(told.exitCode).toBe(exitCode);
    expect(told.message).not.toBe("");
    if (words === undefined) expect(told.todo).toBeUndefined();
    else expect(told.todo).toContain(words);
  });
});

describe("how much is left", () => {
  const now = 2_000;
  const list = (
    resource: "customers" | "products",
    more: Partial<Partition<"list">>,
  ): Partition<"list"> => ({ ...UNREAD, task: "list", resource, ...more });
  const left = (partitions: Partition[], before?: number) => {
    const previous =
      before === undefined ? undefined : { resources: { customers: { rows: before } } };
    return rowsLeft({
      partitions,
      resources: ["products", "customers"],
      previous: previous as unknown as RunReport | undefined,
      now,
    });
  };
  const products = list("products", { state: "done", rows: 3, createdAt: 1_000 });

  it("is not known while nothing tells when the account began", () => {
    expect(left([list("customers", { rows: 500, createdAt: 1_500 })])).toBeUndefined();
  });
  it("is guessed by the part of the account's time that was read", () => {
    const half = list("customers", { rows: 500, createdAt: 1_500 });
    expect(left([products, half])).toBe(500);
  });
  it("is guessed by what the last run found", () => {
    expect(left([list("customers", { rows: 500, createdAt: 1_900 })], 2_000)).toBe(1_500);
  });
  it("does not trust a last run that found less than is there", () => {
    const half = list("customers", { rows: 500, createdAt: 1_500 });
    expect(left([products, half], 100)).toBe(500);
  });
  it("leaves out times in which nothing was made", () => {
    const empty = list("customers", { state: "done", range: { from: null, to: 1_600 } });
    const rest = list("customers", {
      rows: 100,
      createdAt: 1_900,
      range: { from: 1_600, to: null },
    });
    expect(left([products, empty, rest])).toBe(300);
  });
  it("is nothing when every list was read", () => {
    expect(left([products, list("customers", { state: "done", rows: 9 })])).toBe(0);
  });
});

describe("the endpoint's health", () => {
  const endpoint = {
    id: "we_1",
    url: "https://app.example/stripe/webhook",
    status: "enabled",
    api_version: "2026-01-01",
    enabled_events: ["*"],
  };
  const needed = ["product.created", "product.deleted", "product.updated"];
  const problems = (more: object) =>
    endpointProblems(judgeEndpoint({ ...endpoint, ...more } as never, needed, "2026-01-01"));
  it.each([
    [{}, []],
    [{ status: "disabled" }, ["it is disabled"]],
    [{ api_version: null }, ["it sends API version of the account and not 2026-01-01"]],
    [
      { enabled_events: ["product.created", "product.updated"] },
      ["it does not send product.deleted"],
    ],
  ])("%j", (more, expected) => {
    expect(problems(more)).toEqual(expected);
  });
});

describe("lengths of time", () => {
  it.each([
    [850, "850 ms"],
    [12_340, "12.3 s"],
    [245_000, "4 min 5 s"],
    [12_000_000, "3 h 20 min"],
    [20 * 86_400_000, "20 days"],
  ])("%i ms", (milliseconds, words) => {
    expect(duration(milliseconds)).toBe(words);
  });
  it.each([
    [2, "a few seconds"],
    [17, "about 20 s"],
    [61, "about 2 min"],
    [9_000, "about 3 h"],
  ])("about %i s", (seconds, words) => {
    expect(roughly(seconds)).toBe(words);
  });
});
