/**
 * What the library reports about itself in metrics and spans, through a port that any backend can
 * implement. A metric's attributes are few and fixed by the table below; ids go to spans and logs
 * alone. No error message is recorded, because it may quote personal data.
 */
import { errorType } from "../error-facts.js";

/** The attributes that every operation's duration has, beside its own. */
const ENDING = ["outcome", "error.type"] as const;

interface Metric {
  readonly kind: "counter" | "histogram" | "gauge";
  /** As in OpenTelemetry: UCUM, with what is counted in braces. */
  readonly unit: string;
  readonly description: string;
  readonly attributes: readonly string[];
}

const metric =
  <K extends Metric["kind"]>(kind: K) =>
  <const A extends readonly string[]>(unit: string, description: string, attributes: A) =>
    ({ kind, unit, description, attributes }) as const;

const counter = metric("counter");
const histogram = metric("histogram");
const gauge = metric("gauge");

const duration = <const A extends readonly string[]>(description: string, attributes: A) =>
  histogram("s", description, [...attributes, ...ENDING] as const);

/** Every metric. Their names begin with `backend_billing.`, as do those of their attributes. */
export const METRICS = {
  events: counter(
    "{event}",
    "Events that were told of, by a webhook or by Stripe's list of events",
    ["source", "type", "outcome"],
  ),
  "event.lag": histogram("s", "Time from an event's creation at Stripe until it was stored", [
    "source",
    "type",
  ]),
  "webhook.duration": duration("Time to answer a webhook", ["type"]),
  "commit.duration": duration("Time of a commit to the store, with its retries", []),
  "commit.objects": histogram("{object}", "Objects in a commit", []),
  "commit.retries": counter("{retry}", "Commits that lost a race and were tried again", []),
  "refetch.duration": duration("Time to ask Stripe for one object and to store the answer", [
    "resource",
  ]),
  "stripe.requests": counter("{request}", "Requests that the background sent to Stripe", [
    "endpoint",
    "outcome",
  ]),
  "stripe.rate": gauge("{request}/s", "The rate at which the background may ask now", ["endpoint"]),
  "step.duration": duration("Time of one page of a run", ["kind", "task", "resource"]),
  runs: counter("{run}", "Runs that began (`running`) and that ended (`done`, `failed`)", [
    "kind",
    "state",
  ]),
  "run.duration": histogram("s", "Time from a run's beginning to its end", ["kind", "state"]),
  "run.objects": counter("{object}", "Objects that the pages of runs showed", ["kind", "resource"]),
  drift: counter("{object}", "Objects in which the tables and Stripe differed when a run ended", [
    "kind",
    "resource",
    "drift",
  ]),
  set_aside: counter("{object}", "Objects that could not be stored and were set aside", [
    "resource",
  ]),
  reactions: counter(
    "{reaction}",
    "Handlers that ended (`told`) or failed, and changes that were parked",
    ["name", "outcome"],
  ),
  "reaction.duration": histogram("s", "Time of a handler", ["name", "outcome"]),
  "usage.units": histogram("{unit}", "Units in a batch of usage, by what came of sending it", [
    "feature",
    "outcome",
  ]),
  "meter.errors": counter("{event}", "Events that Stripe's meters took and could not count", [
    "code",
  ]),
  "setup.duration": duration("Time of `setup`, also within a link", []),
  "customers.linked": counter("{customer}", "Customers that were linked to their entity", []),
  "link.duration": duration("Time to make a link", ["link"]),
} as const satisfies { readonly [name: string]: Metric };

/** The name of a metric. */
export type MetricName = keyof typeof METRICS;

/** What a span and a histogram of durations are made of. */
export type OperationName = MetricName extends infer N
  ? N extends `${infer O}.duration`
    ? Exclude<O, "run" | "reaction">
    : never
  : never;

export type AttributeValue = string | number | boolean;
/** What a span or a measurement is about. */
export type Attributes = { readonly [name: string]: AttributeValue | undefined };

/** The attributes that a metric may have, and no others. */
export type MetricAttributes<N extends MetricName> = {
  readonly [A in (typeof METRICS)[N]["attributes"][number]]?: AttributeValue | undefined;
};

/** A part of a trace. It ends with the work it stands for. */
export interface Span {
  /** Says more about it. */
  set(attributes: Attributes): void;
  /** Marks it as failed. */
  fail(type: string): void;
}

/** Where numbers and spans go. `openTelemetry()` is one; an application may bring its own. */
export interface Telemetry {
  /** Adds to a counter, records into a histogram, or sets a gauge. */
  measure<N extends MetricName>(metric: N, value: number, attributes: MetricAttributes<N>): void;
  /** Runs the work as a span; spans that begin within it are its children. */
  span<T>(name: OperationName, work: (span: Span) => Promise<T>): Promise<T>;
}

/** Adds attributes to an operation's span; those that its metric lists go to the metric too. */
export type Annotate = (attributes: Attributes) => void;

/** Runs an operation and records its duration and outcome; costs nothing without telemetry. */
export function observed<T>(
  telemetry: Telemetry | undefined,
  name: OperationName,
  work: (annotate: Annotate | undefined) => Promise<T>,
): Promise<T> {
  if (telemetry === undefined) return work(undefined);
  return telemetry.span(name, async (span) => {
    const began = clock();
    const recorded: { [name: string]: AttributeValue | undefined } = { outcome: "ok" };
    try {
      return await work((attributes) => void Object.assign(recorded, attributes));
    } catch (error) {
      Object.assign(recorded, { outcome: "failed", "error.type": errorType(error) });
      throw error;
    } finally {
      span.set(recorded);
      const type = recorded["error.type"];
      if (type !== undefined) span.fail(String(type));
      const metric = `${name}.duration` as const;
      telemetry.measure(metric, (clock() - began) / 1000, listed(metric, recorded));
    }
  });
}

/** Of some attributes those that a metric has. */
function listed<N extends MetricName>(metric: N, attributes: Attributes): MetricAttributes<N> {
  const names: readonly string[] = METRICS[metric].attributes;
  const entries = names.map((name) => [name, attributes[name]]);
  return Object.fromEntries(entries) as MetricAttributes<N>;
}

/** Milliseconds, as fine as the platform has them. */
const clock = (): number => globalThis.performance?.now() ?? Date.now();
