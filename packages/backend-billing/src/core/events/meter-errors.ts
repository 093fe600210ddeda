/**
 * Usage that Stripe took and could not count. It tells of that by thin events alone, whose content has
 * to be fetched: a record of the kind `refresh` has that done.
 */
import { type ReceivedEvent, stripeStatus } from "../mirror/snapshot.js";
import type { RecordRequest, StoredRecord } from "../mirror/store.js";
import type { MeterErrorReport, MeterErrors } from "../runtime/records/batches.js";
import { records } from "../runtime/records/records.js";
import type { Runtime } from "../runtime/runtime.js";
import { paced } from "../stripe/pacer.js";

const TYPES: ReadonlySet<string> = new Set([
  "billing.meter.error_report_triggered",
  "billing.meter.no_meter_found",
]);

/** Reports that are kept. */
const KEPT = 20;

/** Requests that the content of an event is fetched, where it tells of usage that was not counted. */
export function meterErrorRequests(
  { now }: Pick<Runtime, "now">,
  { id, type, thin }: ReceivedEvent,
): RecordRequest[] {
  if (!thin || !TYPES.has(type)) return [];
  return [{ kind: "refresh", id, due: now(), data: { meterErrors: id } }];
}

/** The event whose content a record asks for; undefined where it is about something else. */
export const meterErrorsIn = ({ data }: Pick<StoredRecord, "data">): string | undefined =>
  typeof data.meterErrors === "string" ? data.meterErrors : undefined;

/** Fetches an event and counts what it tells of, once. */
export async function countMeterErrors(runtime: Runtime, eventId: string): Promise<void> {
  const event = await fetched(runtime, eventId);
  if (event === undefined) return;
  const report = reportOf(eventId, event, runtime.now());
  const count = report.errors.reduce((sum, each) => sum + each.count, 0);
  const written = await records.meterErrors.update(runtime, (stored = NONE) =>
    stored.reports.some((each) => each.eventId === eventId)
      ? undefined
      : { count: stored.count + count, reports: [report, ...stored.reports].slice(0, KEPT) },
  );
  if (written === undefined) return;
  const line = { event: eventId, object: report.meterId ?? undefined, count };
  runtime.log?.error(line, "Stripe could not count usage that it had taken");
  for (const each of report.errors) {
    runtime.telemetry?.measure("meter.errors", each.count, { code: each.code });
  }
}

const NONE: MeterErrors = { count: 0, reports: [] };

/** The parts of an event that are read. */
interface MeterEvent {
  readonly related_object?: { readonly id?: string } | null;
  readonly data?: {
    readonly reason?: {
      readonly error_types?: readonly {
        readonly code: string;
        readonly error_count: number;
        readonly sample_errors?: readonly { readonly request?: { readonly identifier?: string } }[];
      }[];
    };
  } | null;
}

/** Undefined where it is gone: Stripe keeps them for 30 days. */
async function fetched(runtime: Runtime, id: string): Promise<MeterEvent | undefined> {
  try {
    return await paced(
      runtime,
      "GET v2/core/events/{id}",
      () => runtime.stripe().v2.core.events.retrieve(id) as PromiseLike<MeterEvent>,
    );
  } catch (error) {
    if (stripeStatus(error) === 404) return undefined;
    throw error;
  }
}

function reportOf(
  eventId: string,
  { related_object, data }: MeterEvent,
  at: number,
): MeterErrorReport {
  const errors = (data?.reason?.error_types ?? []).map(
    ({ code, error_count: count, sample_errors: samples = [] }) => ({
      code,
      count,
      batches: samples.flatMap(({ request }) => request?.identifier ?? []),
    }),
  );
  return { eventId, at, meterId: related_object?.id ?? null, errors };
}
