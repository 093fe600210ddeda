/**
 * The core's telemetry over `@opentelemetry/api`. Exceptions are never recorded: their messages may
 * quote personal data. A failed span has its `error.type`, and the log has the rest.
 */
import {
  type Attributes as ApiAttributes,
  type Meter,
  type MeterProvider,
  metrics,
  SpanStatusCode,
  type TracerProvider,
  trace,
} from "@opentelemetry/api";
import {
  type Attributes,
  METRICS,
  type MetricName,
  type Telemetry,
} from "../core/runtime/telemetry/telemetry.js";

const SCOPE = "backend-billing";
const PREFIX = "backend_billing.";

/** Seconds, from a commit to a run of hours. The SDK's own steps are meant for milliseconds. */
const SECONDS = [
  0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1800, 7200,
  43_200,
];
const OBJECTS = [0, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000];

/** What `openTelemetry` takes; all of it is optional. */
export interface OpenTelemetryOptions {
  /** Default: the global one, whenever it is registered. */
  readonly meterProvider?: MeterProvider;
  /** Default: the global one, whenever it is registered. */
  readonly tracerProvider?: TracerProvider;
}

type Instruments = { readonly [name in MetricName]: Instrument };
type Instrument = (value: number, attributes: ApiAttributes) => void;

/**
 * Sends the library's metrics and spans to the application's OpenTelemetry SDK.
 *
 * @example
 * ```ts
 * import { openTelemetry } from "backend-billing/opentelemetry";
 * import { createBilling } from "backend-billing/postgres";
 * import pg from "pg";
 *
 * export const { billing, store, sync, portal, checkout, setup } = createBilling({
 *   secret_key: process.env.STRIPE_SECRET_KEY,
 *   webhook_secret: process.env.STRIPE_WEBHOOK_SECRET,
 *   db: new pg.Pool(),
 *   base_url: "https://app.example",
 *   telemetry: openTelemetry(),
 * });
 * ```
 */
export function openTelemetry(options: OpenTelemetryOptions = {}): Telemetry {
  // The API hands out meters that stay silent for ever if no SDK was there yet, so they are made
  // anew when there is another provider.
  let made: { readonly by: MeterProvider; readonly instruments: Instruments } | undefined;
  const instruments = (): Instruments => {
    const by = options.meterProvider ?? metrics.getMeterProvider();
    if (made?.by !== by) made = { by, instruments: instrumentsOf(by.getMeter(SCOPE)) };
    return made.instruments;
  };
  return {
    measure: (metric, value, attributes) => instruments()[metric](value, named(attributes)),
    span: (name, work) => {
      const tracer = (options.tracerProvider ?? trace).getTracer(SCOPE);
      return tracer.startActiveSpan(`${PREFIX}${name}`, async (span) => {
        try {
          return await work({
            set: (attributes) => void span.setAttributes(named(attributes)),
            fail: () => void span.setStatus({ code: SpanStatusCode.ERROR }),
          });
        } finally {
          span.end();
        }
      });
    },
  };
}

/** Names of ours get our prefix; `error.type` is a standard name. */
function named(attributes: Attributes): ApiAttributes {
  const all: ApiAttributes = {};
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== undefined) all[name.includes(".") ? name : `${PREFIX}${name}`] = value;
  }
  return all;
}

function instrumentsOf(meter: Meter): Instruments {
  const entries = Object.keys(METRICS).map((name) => [name, instrument(meter, name as MetricName)]);
  return Object.fromEntries(entries) as Instruments;
}

function instrument(meter: Meter, metric: MetricName): Instrument {
  const { kind, unit, description } = METRICS[metric];
  const name = `${PREFIX}${metric}`;
  switch (kind) {
    case "counter": {
      const counter = meter.createCounter(name, { unit, description });
      return (value, attributes) => counter.add(value, attributes);
    }
    case "histogram": {
      const advice = { explicitBucketBoundaries: unit === "s" ? SECONDS : OBJECTS };
      const histogram = meter.createHistogram(name, { unit, description, advice });
      return (value, attributes) => histogram.record(value, attributes);
    }
    case "gauge": {
      // The API has gauges that are set only since 1.9; those that are looked at are older.
      const last = new Map<
        string,
        { readonly value: number; readonly attributes: ApiAttributes }
      >();
      meter.createObservableGauge(name, { unit, description }).addCallback((result) => {
        for (const { value, attributes } of last.values()) result.observe(value, attributes);
      });
      return (value, attributes) =>
        void last.set(JSON.stringify(attributes), { value, attributes });
    }
  }
}
