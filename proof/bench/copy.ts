/** `COPY … FROM STDIN` over `pg`, which has its messages but no interface for it. */
import { once } from "node:events";
import type pg from "pg";

/** What is used of `pg`'s connection while it copies. */
interface CopyConnection {
  readonly stream: NodeJS.WritableStream & { readonly writableNeedDrain: boolean };
  query(text: string): void;
  sendCopyFromChunk(chunk: Buffer): void;
  endCopyFrom(): void;
}

/** Escapes a value for COPY's text format. */
export function field(value: string | number | boolean | null): string {
  if (value === null) return "\\N";
  return typeof value === "string" ? value.replaceAll("\\", "\\\\") : String(value);
}

/** Sends chunks of lines into a table, as fast as the server takes them. */
export function copyInto(
  client: pg.PoolClient,
  target: string,
  chunks: AsyncIterable<string> | Iterable<string>,
): Promise<void> {
  return new Promise((resolve, reject) => {
    let connection: CopyConnection | undefined;
    let trouble: unknown;
    const send = async () => {
      try {
        for await (const chunk of chunks) {
          connection?.sendCopyFromChunk(Buffer.from(chunk));
          if (connection?.stream.writableNeedDrain) await once(connection.stream, "drain");
        }
      } catch (error) {
        trouble = error;
      }
      connection?.endCopyFrom();
    };
    const nothing = () => {};
    client.query({
      submit(given: CopyConnection) {
        connection = given;
        given.query(`COPY ${target} FROM STDIN`);
      },
      handleCopyInResponse: () => void send(),
      handleCommandComplete: nothing,
      handleRowDescription: nothing,
      handleDataRow: nothing,
      handleError: reject,
      handleReadyForQuery: () => (trouble === undefined ? resolve() : reject(trouble)),
    } as unknown as pg.Submittable);
  });
}
