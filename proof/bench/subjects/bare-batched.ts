/**
 * The bare engine with the fewest statements: events are verified one by one and written fifty at a
 * time, which no webhook endpoint can do because each delivery has to be answered; pages go one
 * after the other into an empty table by COPY, which cannot update anything. It shows the limits.
 */
import { copyInto, field } from "../copy.js";
import { BEGINNING, type Kind, SPAN } from "../data.js";
import { openBare, pages, verified } from "./bare.js";
import type { Open } from "./subject.js";

const BATCH = 50;
const KINDS: readonly Kind[] = ["customers", "subscriptions"];

export const open: Open = async ({ databaseUrl, listPort }) => {
  const bare = await openBare(databaseUrl);
  return {
    ...bare,
    async deliverAll(deliveries) {
      for (let from = 0; from < deliveries.length; from += BATCH) {
        const objects = deliveries.slice(from, from + BATCH).map(({ body, signature }) => {
          const { created, data } = verified(body, signature);
          return { ...data.object, created };
        });
        for (const kind of KINDS) {
          const batch = objects.filter(({ object }) => kind === `${object}s`);
          if (batch.length > 0) await bare.upsert(kind, batch);
        }
      }
    },
    async backfill() {
      const all = { from: BEGINNING, to: BEGINNING + SPAN };
      for (const kind of KINDS) {
        const client = await bare.pool.connect();
        const text = async function* () {
          for await (const { data } of pages(listPort, kind, all)) {
            const rows = data.map((object) =>
              [object.id, JSON.stringify(object), object.created].map(field).join("\t"),
            );
            yield `${rows.join("\n")}\n`;
          }
        };
        await copyInto(client, `${kind} (id, data, created)`, text());
        client.release();
      }
    },
  };
};
