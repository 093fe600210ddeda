/** The real OpenTelemetry SDK in memory, for tests that look at what the library tells of itself. */
import { AsyncLocalStorage } from "node:async_hooks";
import { type Context, type ContextManager, context, ROOT_CONTEXT } from "@opentelemetry/api";
import {
  AggregationTemporality,
  DataPointType,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from "@opentelemetry/sdk-metrics";
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  type ReadableSpan,
  SimpleSpanProcessor,
} from "@opentelemetry/sdk-trace-base";
import type { Telemetry } from "../packages/backend-billing/src/core/runtime/telemetry/telemetry.js";
import { openTelemetry } from "../packages/backend-billing/src/opentelemetry/index.js";

/** One series of a metric: its name and attributes without the prefix, and what it counted up to. */
export interface Point {
  readonly metric: string;
  readonly attributes: { readonly [name: string]: unknown };
  /** Of a counter or a gauge its value, of a histogram its count. */
  readonly value: number;
  /** Of a histogram: all values together. */
  readonly sum?: number | undefined;
  readonly unit: string;
}

export interface Recorded {
  readonly telemetry: Telemetry;
  readonly meterProvider: MeterProvider;
  readonly tracerProvider: BasicTracerProvider;
  points(metric?: string): Promise<Point[]>;
  /** What one metric counted, of the series that have at least these attributes. */
  count(metric: string, attributes?: { readonly [name: string]: unknown }): Promise<number>;
  spans(name?: string): ReadableSpan[];
}

export function recorded(): Recorded {
  const reader = new PeriodicExportingMetricReader({
    exporter: new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE),
    exportIntervalMillis: 3_600_000,
  });
  const meterProvider = new MeterProvider({ readers: [reader] });
  const exporter = new InMemorySpanExporter();
  const tracerProvider = new BasicTracerProvider({
    spanProcessors: [new SimpleSpanProcessor(exporter)],
  });
  const points = async (metric?: string): Promise<Point[]> => {
    const { resourceMetrics, errors } = await reader.collect();
    if (errors.length > 0) throw errors[0];
    const all = resourceMetrics.scopeMetrics.flatMap(({ metrics }) => metrics);
    return all
      .flatMap((each) =>
        each.dataPoints.map(({ attributes, value }): Point => {
          const common = {
            metric: short(each.descriptor.name),
            attributes: Object.fromEntries(
              Object.entries(attributes).map(([name, of]) => [short(name), of]),
            ),
            unit: each.descriptor.unit,
          };
          if (each.dataPointType !== DataPointType.HISTOGRAM) {
            return { ...common, value: value as number };
          }
          const { count, sum } = value as { count: number; sum?: number };
          return { ...common, value: count, sum };
        }),
      )
      .filter((point) => metric === undefined || point.metric === metric);
  };
  return {
    telemetry: openTelemetry({ meterProvider, tracerProvider }),
    meterProvider,
    tracerProvider,
    points,
    count: async (metric, wanted = {}) =>
      (await points(metric))
        .filter(({ attributes }) =>
          Object.entries(wanted).every(([name, value]) => attributes[name] === value),
        )
        .reduce((sum, { value }) => sum + value, 0),
    spans: (name) =>
      exporter
        .getFinishedSpans()
        .filter((span) => name === undefined || span.name === `backend_billing.${name}`),
  };
}

const short = (name: string): string => name.replace(/^backend_billing\./, "");

/** Attributes of a span without the prefix. */
export const attributesOf = ({ attributes }: ReadableSpan): { [name: string]: unknown } =>
  Object.fromEntries(Object.entries(attributes).map(([name, value]) => [short(name), value]));

/** What the SDK for Node registers, so that spans know their parents. */
export function rememberContexts(): void {
  const storage = new AsyncLocalStorage<Context>();
  const manager: ContextManager = {
    active: () => storage.getStore() ?? ROOT_CONTEXT,
    with: (active, work, self, ...args) => storage.run(active, () => work.apply(self, args)),
    bind: (_, target) => target, // nothing here is bound
    enable: () => manager,
    disable: () => manager,
  };
  context.setGlobalContextManager(manager);
}
