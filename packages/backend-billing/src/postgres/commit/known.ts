/**
 * Reads what a commit is planned by, but contents, in one round trip: each kind of fact is a JSON
 * list of its own in the one row that is answered.
 */
import type { ResourceName } from "../../core/catalogue/catalogue.js";
import { resources } from "../../core/catalogue/resources.js";
import { LISTENING } from "../../core/mirror/listening.js";
import { snake } from "../schema/table.js";
import type { Names } from "../store/names.js";
import { type Parameters, rowsOf, type Statement, textsOf } from "../store/statement.js";
import { given, type ObjectKey, statement } from "./sql.js";

export interface Wanted {
  readonly objects: readonly ObjectKey[];
  readonly events: readonly string[];
  readonly records: readonly { readonly kind: string; readonly id: string }[];
  /** Which records of a kind point at something. */
  readonly pointing: readonly { readonly kind: string; readonly ref: string }[];
  /** Which rows an owner has: the resource, the field that names the owner, its id, and how many. */
  readonly owned: readonly (readonly [ResourceName, string, string, number])[];
  /** Whether to read them in any case, and not only where an object is not known. */
  readonly watermarks: boolean;
  /** Whether to read it in any case, and not only along with objects. */
  readonly listening: boolean;
}

type Into = Parameters<void>;

/** With `lock` the versions and the records stay as they are until the transaction ends. */
export function readKnown(names: Names, wanted: Wanted, lock: boolean): Statement {
  const { objects, events, records, pointing, owned } = wanted;
  const others = records.length + pointing.length + owned.length;
  const isSingle = objects.length === 1 && events.length <= 1 && others === 0 && !wanted.watermarks;
  return statement((into) => {
    if (isSingle) {
      return `SELECT json_build_array(v) AS versions, ${listening(names)} AS listening, (SELECT json_build_array(r.event_id) ${receipts(into, names, events)}) AS receipts,
  CASE WHEN v.id IS NULL THEN ${watermarks(names)} END AS watermarks
FROM ${objectRows(into, objects)} LEFT JOIN ${version(names, lock)} ON true`;
    }
    const parts: string[] = [];
    const columns: string[] = [];
    const add = (name: string, sql: string) => {
      parts.push(`${name} AS MATERIALIZED (${sql})`);
      columns.push(`(SELECT json_agg(${name}) FROM ${name}) AS ${name}`);
    };
    if (objects.length > 0) {
      add(
        "versions",
        `SELECT v.* FROM ${objectRows(into, objects)} CROSS JOIN ${version(names, lock)}`,
      );
      const isUnknown = wanted.watermarks
        ? "true"
        : `(SELECT count(*) FROM versions) < ${into.add(() => objects.length)}::bigint`;
      columns.push(`CASE WHEN ${isUnknown} THEN ${watermarks(names)} END AS watermarks`);
    } else if (wanted.watermarks) columns.push(`${watermarks(names)} AS watermarks`);
    if (objects.length > 0 || wanted.listening) columns.push(`${listening(names)} AS listening`);
    if (events.length > 0) {
      columns.push(`(SELECT json_agg(r.event_id) ${receipts(into, names, events)}) AS receipts`);
    }
    if (records.length > 0) add("records", recordStates(into, names, records, lock));
    if (pointing.length > 0) add("pointing", recordsOn(into, names, pointing));
    if (owned.length > 0) add("owned", rowsOwned(into, names, owned));
    return `${parts.length > 0 ? `WITH ${parts.join(", ")} ` : ""}SELECT ${columns.join(", ")}`;
  });
}

const only = (lock: boolean): string => `LIMIT 1${lock ? " FOR UPDATE" : ""}`;

const objectRows = (into: Into, objects: readonly ObjectKey[]): string =>
  rowsOf(into, "w", { resource: "text", id: "text" }, given(objects));

const version = ({ versions }: Names, lock: boolean): string => `LATERAL (
    SELECT resource, id, revision, state, lo, hi, first, ask_at IS NOT NULL AS stale FROM ${versions} v
    WHERE v.resource = w.resource AND v.id = w.id ${only(lock)}) v`;

const receipts = (into: Into, names: Names, events: readonly string[]): string =>
  `FROM ${textsOf(into, "event", given(events))} CROSS JOIN LATERAL (
    SELECT event_id FROM ${names.receipts} WHERE event_id = event LIMIT 1) r`;

const watermarks = ({ records }: Names): string =>
  `(SELECT json_object_agg(id, data -> 'at') FROM ${records} WHERE kind = 'watermark')`;

/** The record that says what the application listens to. */
const listening = ({ records }: Names): string =>
  `(SELECT json_build_object('revision', revision, 'data', data) FROM ${records}
    WHERE kind = '${LISTENING.kind}' AND id = '${LISTENING.id}')`;

function recordStates(into: Into, names: Names, keys: Wanted["records"], lock: boolean): string {
  const rows = rowsOf(into, "w", { kind: "text", id: "text" }, given(keys));
  return `SELECT r.* FROM ${rows} CROSS JOIN LATERAL (
    SELECT kind, id, revision, ref, due FROM ${names.records} r
    WHERE r.kind = w.kind AND r.id = w.id ${only(lock)}) r`;
}

function recordsOn(into: Into, names: Names, pointing: Wanted["pointing"]): string {
  const rows = rowsOf(into, "w", { kind: "text", ref: "text" }, given(pointing));
  return `SELECT w.kind, w.ref, r.id FROM ${rows} CROSS JOIN LATERAL (
    SELECT id FROM ${names.records} r WHERE r.kind = w.kind AND r.ref = w.ref LIMIT 1) r`;
}

function rowsOwned(into: Into, names: Names, owned: Wanted["owned"]): string {
  const each = [...new Set(owned.map(([resource]) => resource))].map((resource) => {
    const own = owned.filter(([name]) => name === resource);
    const field = snake(own[0]?.[1] ?? "");
    const owners = textsOf(into, "owner", given([...new Set(own.map(([, , owner]) => owner))]));
    const most = into.add(() => Math.max(...own.map(([, , , limit]) => limit)));
    return `SELECT '${resource}' AS resource, owner, t.ids FROM ${owners} CROSS JOIN LATERAL (
    SELECT json_agg(id) AS ids FROM (
      SELECT ${snake(resources[resource].idField)} AS id FROM ${names.table(resource)}
      WHERE ${field} = owner LIMIT ${most}::bigint) AS found) t WHERE t.ids IS NOT NULL`;
  });
  return each.join(" UNION ALL ");
}
