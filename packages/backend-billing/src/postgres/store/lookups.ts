/** Reads of records and rows by what they are called, on whatever runs a statement. */
import type { ResourceName } from "../../core/catalogue/catalogue.js";
import { resources } from "../../core/catalogue/resources.js";
import type { Store } from "../../core/mirror/store.js";
import { snake } from "../schema/table.js";
import type { Names } from "./names.js";
import { type RawRecord, type RawRow, recordFrom, rowFrom } from "./raw.js";
import { selectRows } from "./reads.js";

/** The columns of a record, as `recordFrom` takes them. */
export const RECORD_COLUMNS = "kind, id, revision, ref, due, data";

type Select = <T>(text: string, values: unknown[]) => Promise<T[]>;

export function lookupsOn(
  select: Select,
  names: Names,
): Pick<Store, "record" | "recordsOf" | "records" | "row"> {
  const rowsOf = selectRows(names);
  return {
    record: async (kind, id) => {
      const [found] = await select<RawRecord>(
        `SELECT ${RECORD_COLUMNS} FROM ${names.records} WHERE kind = $1 AND id = $2`,
        [kind, id],
      );
      return found && recordFrom(found);
    },
    recordsOf: async (kind, ref, after, limit) =>
      (
        await select<RawRecord>(
          `SELECT ${RECORD_COLUMNS} FROM ${names.records}
           WHERE kind = $1 AND ref = $2 AND id > $3 ORDER BY id LIMIT $4`,
          [kind, ref, after, limit],
        )
      ).map(recordFrom),
    records: async (kind, after, limit) =>
      (
        await select<RawRecord>(
          `SELECT ${RECORD_COLUMNS} FROM ${names.records}
           WHERE kind = $1 AND id > $2 ORDER BY id LIMIT $3`,
          [kind, after, limit],
        )
      ).map(recordFrom),

    row: async <N extends ResourceName>(resource: N, id: string) => {
      const [found] = await select<RawRow>(
        `${rowsOf(resource)} WHERE ${snake(resources[resource].idField)} = $1`,
        [id],
      );
      return found && rowFrom<N>(found);
    },
  };
}
