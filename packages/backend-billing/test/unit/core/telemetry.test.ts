// Loggers and the OpenTelemetry adapter, with the real pino and the real SDK; and what may be told
// of an error.
import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { Writable } from "node:stream";
import { metrics, SpanStatusCode } from "@opentelemetry/api";
import pino from "pino";
import Stripe from "stripe";
import { afterEach, describe, expect, it } from "vitest";
import { attributesOf, recorded, rememberContexts } from "../../../../../support/telemetry.js";
import { receiveEvent } from "../../../src/core/events/receive.js";
import { readEvent } from "../../../src/core/mirror/snapshot.js";
import type { BillingConfig, Logger } from "../../../src/core/runtime/config.js";
import { errorType, factsOf } from "../../../src/core/runtime/error-facts.js";
import { BillingError, provider } from "../../../src/core/runtime/errors.js";
import { createRuntime, type Runtime } from "../../../src/core/runtime/runtime.js";
import { observeDelivery } from "../../../src/core/runtime/telemetry/observe.js";
import { METRICS, observed } from "../../../src/core/runtime/telemetry/telemetry.js";
import { openTelemetry } from "../../../src/opentelemetry/index.js";
import { createMemoryStore } from "../../../src/testing/index.js";

const event = readEvent({
  id: "evt_1",
  object: "event",
  type: "product.created",
  created: 1_768_471_200,
  livemode: false,
  api_version: Stripe.API_VERSION,
  data: { object: { id: "prod_1", object: "product", name: "Engine", metadata: {} } },
});

function runtimeWith(config: Partial<BillingConfig>): Runtime {
  const platform = { store: createMemoryStore(), baseUrl: () => "", wake: () => {} };
  const secrets = { secret_key: "sk_test_1", webhook_secret: "whsec_1" };
  return createRuntime({ ...secrets, ...config }, platform);
}

const line = {
  event: "evt_1",
  object: "prod_1",
  type: "product.created",
  source: "webhook",
  outcome: "stored",
};

describe("a logger", () => {
  it("may be pino's, which keeps every detail and the message", async () => {
    const lines: object[] = [];
    const stream = new Writable({
      write(chunk, _, done) {
        lines.push(JSON.parse(String(chunk)));
        done();
      },
    });
    const logger: Logger = pino({ base: null }, stream);
    await receiveEvent(runtimeWith({ logger }), event!);
    expect(lines).toEqual([
      { level: 30, time: expect.any(Number), ...line, msg: "An event was stored" },
    ]);
  });

  it("may be the console's", async () => {
    const written: unknown[][] = [];
    const before = console.info;
    console.info = (...all: unknown[]) => void written.push(all);
    try {
      const logger: Logger = console;
      await receiveEvent(runtimeWith({ logger }), event!);
    } finally {
      console.info = before;
    }
    expect(written).toEqual([[line, "An event was stored"]]);
  });
});

describe("a delivery", () => {
  const lines: unknown[] = [];
  const logger: Logger = {
    info: (...all) => void lines.push(["info", ...all]),
    warn: (...all) => void lines.push(["warn", ...all]),
    error: (...all) => void lines.push(["error", ...all]),
  };

  it("is counted by name and outcome; a failure and a parking are logged, without contents", async () => {
    const { telemetry, points } = recorded();
    const change = { resource: "invoices", id: "in_1", attempts: 2, after: { name: "Ada" } };
    const runtime = runtimeWith({ logger, telemetry });
    const name = "invoice.paid";
    observeDelivery(runtime, change, { name, outcome: "told", milliseconds: 250 });
    const error = new TypeError("ada@example.com");
    observeDelivery(runtime, change, { name, outcome: "failed", milliseconds: 500, error });
    const access = { resource: "access", id: "ada@example.com" };
    observeDelivery(runtime, access, { name: "access.granted main", outcome: "parked" });
    expect(lines).toEqual([
      [
        "warn",
        {
          object: "in_1",
          resource: "invoices",
          reaction: "invoice.paid",
          attempts: 3,
          error: "unexpected",
          reason: expect.stringMatching(/^TypeError at /),
        },
        "A handler failed; it is called again later",
      ],
      [
        "error",
        { object: undefined, resource: "access", reaction: "access.granted main", attempts: 0 },
        expect.stringContaining("was parked"),
      ],
    ]);
    expect(JSON.stringify(lines)).not.toMatch(/ada/i);
    expect(await points("reactions")).toMatchObject([
      { value: 1, attributes: { name: "invoice.paid", outcome: "told" } },
      { value: 1, attributes: { name: "invoice.paid", outcome: "failed" } },
      { value: 1, attributes: { name: "access.granted", outcome: "parked" } },
    ]);
    expect(await points("reaction.duration")).toHaveLength(2);
  });
});

describe("what may be told of an error", () => {
  const words = (error: unknown) => JSON.stringify(factsOf(error));
  const refused = Stripe.errors.StripeError.generate({
    type: "invalid_request_error",
    message: "Invalid email address: ada@example.com",
    code: "email_invalid",
    param: "email",
    statusCode: 400,
    requestId: "req_1",
    headers: { "request-id": "req_1" },
  } as never);

  it("is of Stripe its class, status, code, parameter and request", () => {
    expect(factsOf(refused)).toEqual({
      error: "provider_error",
      reason: "StripeInvalidRequestError 400 email_invalid email",
      request: "req_1",
    });
    let wrapped: unknown;
    try {
      provider(refused);
    } catch (error) {
      wrapped = error;
    }
    expect((wrapped as Error).message).toContain("ada@example.com");
    expect(factsOf(wrapped)).toEqual(factsOf(refused));
  });

  it("is of the database its code and the names in its schema", () => {
    const error = Object.assign(new Error('invalid input: "ada@example.com"'), {
      name: "error",
      code: "23505",
      detail: "Key (email)=(ada@example.com) already exists.",
      table: "backend_billing_customers",
      constraint: "backend_billing_customers_pkey",
    });
    expect(factsOf(error)).toEqual({
      error: "store_error",
      reason: "error 23505 backend_billing_customers backend_billing_customers_pkey",
    });
    expect(factsOf(new Error("Connection terminated unexpectedly"))).toEqual({
      error: "store_error",
      reason: "Error Connection terminated unexpectedly",
    });
  });

  it("is of anything else its class and the place in the code", () => {
    const said = "ada@example.com\n    at ada (lovelace.js:1:1)";
    const { error, reason } = factsOf(new TypeError(said));
    expect(error).toBe("unexpected");
    expect(reason).toMatch(/^TypeError at telemetry\.test\.ts:\d+:\d+$/);
    for (const odd of ["ada@example.com", undefined, null, 7, { message: "ada@example.com" }]) {
      expect(words(odd)).toBe('{"error":"unexpected"}');
    }
  });

  it("is the advice where the library itself gives one about the configuration", () => {
    const config = new BillingError("invalid_config", "Set `secret_key`.");
    expect(factsOf(config)).toEqual({ error: "invalid_config", advice: "Set `secret_key`." });
    const named = new BillingError("customer_not_found", "The entity ada@example.com has none.");
    expect(factsOf(named)).toEqual({ error: "customer_not_found" });
    expect(errorType(named)).toBe("customer_not_found");
  });
});

describe("OpenTelemetry", () => {
  afterEach(() => metrics.disable());

  it("gets every metric under its name, with its unit", async () => {
    const { telemetry, points } = recorded();
    for (const name of Object.keys(METRICS) as (keyof typeof METRICS)[]) {
      telemetry.measure(name, 2, {});
    }
    const told = (await points()).map(({ metric, unit }) => [metric, unit]).sort();
    const known = Object.entries(METRICS).map(([name, { unit }]) => [name, unit]);
    expect(told).toEqual(known.sort());
  });

  it("gets the last value of a gauge, for each of its attributes", async () => {
    const { telemetry, points } = recorded();
    telemetry.measure("stripe.rate", 24, { endpoint: "GET customers" });
    telemetry.measure("stripe.rate", 12, { endpoint: "GET customers" });
    telemetry.measure("stripe.rate", 96, { endpoint: "GET prices" });
    expect(await points("stripe.rate")).toMatchObject([
      { value: 12, attributes: { endpoint: "GET customers" } },
      { value: 96, attributes: { endpoint: "GET prices" } },
    ]);
  });

  it("may be set up after the library was used for the first time", async () => {
    const telemetry = openTelemetry();
    telemetry.measure("commit.retries", 1, {});
    await telemetry.span("commit", async () => {});
    const late = recorded();
    metrics.setGlobalMeterProvider(late.meterProvider);
    telemetry.measure("commit.retries", 1, {});
    expect(await late.count("commit.retries")).toBe(1);
  });

  it("gets a span and a duration of an operation, and ids in the span alone", async () => {
    const { telemetry, points, spans } = recorded();
    await observed(telemetry, "refetch", async (annotate) => {
      annotate?.({ resource: "products", object: "prod_1", outcome: "stored" });
    });
    expect(await points()).toMatchObject([
      { metric: "refetch.duration", attributes: { resource: "products", outcome: "stored" } },
    ]);
    expect((await points())[0]?.attributes).not.toHaveProperty("object");
    expect(spans().map(attributesOf)).toEqual([
      { resource: "products", object: "prod_1", outcome: "stored" },
    ]);
  });

  it("gets a failure by its type, without the exception, which is thrown on", async () => {
    const { telemetry, points, spans } = recorded();
    const error = new BillingError("customer_not_found", "The entity ada@example.com has none.");
    const failing = observed(telemetry, "setup", () => Promise.reject(error));
    await expect(failing).rejects.toBe(error);
    const failed = { outcome: "failed", "error.type": "customer_not_found" };
    expect(await points()).toMatchObject([{ metric: "setup.duration", attributes: failed }]);
    const [span] = spans();
    expect(span).toMatchObject({ status: { code: SpanStatusCode.ERROR }, events: [] });
    expect(span && attributesOf(span)).toEqual(failed);
    expect(span?.status.message).toBeUndefined();
  });

  it("gets a commit as the child of what it was made for", async () => {
    rememberContexts();
    const { telemetry, spans } = recorded();
    const runtime = runtimeWith({ telemetry });
    await observed(telemetry, "webhook", () => receiveEvent(runtime, event!));
    const [commit, webhook] = spans();
    expect(commit?.name).toBe("backend_billing.commit");
    expect(commit?.parentSpanContext?.spanId).toBe(webhook?.spanContext().spanId);
    expect(commit && attributesOf(commit)).toEqual({
      units: 1,
      objects: 1,
      records: 0,
      event: "evt_1",
      object: "prod_1",
      outcome: "committed",
    });
  });
});

it("without a logger and telemetry nothing is observed or put together", async () => {
  const store = createMemoryStore();
  const platform = { store, baseUrl: () => "", wake: () => {} };
  const runtime = createRuntime({ secret_key: "sk_test_1", webhook_secret: "whsec_1" }, platform);
  const { commit: _, ...calls } = store;
  expect(runtime.store).toMatchObject(calls);
  expect(runtime.store).not.toHaveProperty("commit");
  expect(runtime.log).toBeUndefined();
  const result = Promise.resolve(1);
  expect(observed(undefined, "commit", () => result)).toBe(result);
});

describe("the documentation", () => {
  const root = resolve(import.meta.dirname, "../../../../..");
  const page = readFileSync(join(root, "docs/observability.md"), "utf8");
  const cellsOf = (row: string) => row.split("|").map((cell) => cell.trim());

  it("lists every metric with its kind and its attributes, and no other", () => {
    const metrics = page.slice(page.indexOf("### Metrics"), page.indexOf("### Events"));
    const rows = metrics.split("\n").filter((row) => row.startsWith("| `"));
    const documented = rows.map((row) => {
      const [, name = "", kind, attributes = ""] = cellsOf(row);
      // The values of an attribute stand behind a colon.
      const names = attributes.replace(/: `[^|]*$/, "").matchAll(/`(\w+)`/g);
      return [name.replaceAll("`", ""), kind, [...names].map((match) => match[1]).join()];
    });
    const known = Object.entries(METRICS).map(([name, { kind, attributes }]) => {
      return [name, kind, attributes.filter((each) => each !== "error.type").join()];
    });
    expect(documented.sort()).toEqual(known.sort());
  });

  it("lists every line with its level, and no other", () => {
    const lines = page.slice(page.indexOf("### Lines"), page.indexOf("## OpenTelemetry"));
    const documented = lines.split("\n").flatMap((row) => {
      const [, level = "", message = ""] = cellsOf(row);
      return /^(info|warn|error)$/.test(level) ? [`${level} ${message}`] : [];
    });
    const source = readdirSync(join(root, "packages/backend-billing/src"), {
      recursive: true,
      encoding: "utf8",
    })
      .filter((name) => name.endsWith(".ts") && !/^(testing|cli)/.test(name))
      .map((name) => readFileSync(join(root, "packages/backend-billing/src", name), "utf8"));
    const calls = source.flatMap((text) => [
      ...text.matchAll(/(?:log\?|\(log \?\? console\))\.(\w+)\(([\s\S]*?)\)[;,]?\n/g),
    ]);
    expect(calls.length).toBeGreaterThan(25);
    const problems = source.flatMap((text) => [
      ...text.matchAll(/reportConfigProblem\(\s*\w+,\s*"([^"]+)"/g),
    ]);
    expect(problems.length).toBeGreaterThan(3);
    const written = [
      ...calls.flatMap(([, level, args = ""]) => {
        const message = [...args.matchAll(/"([^"]+)"/g)].at(-1)?.[1];
        return message === undefined ? [] : [`${level} ${message}`];
      }),
      ...problems.map(([, message]) => `error ${message}`),
    ];
    // These messages stand beside the call.
    const apart = documented.filter((each) => !written.includes(each));
    for (const each of apart) {
      const message = JSON.stringify(each.replace(/^\w+ /, ""));
      expect(
        source.filter((text) => text.includes(message)),
        each,
      ).toHaveLength(1);
    }
    expect(apart.length).toBeLessThan(14);
    expect(written.filter((each) => !documented.includes(each))).toEqual([]);
  });
});
