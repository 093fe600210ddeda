/** What is read at a delivery, in the transaction that tells. */
import type { ResourceName, Row, StripeObject } from "../../core/catalogue/catalogue.js";
import type { StoredRecord } from "../../core/mirror/store.js";
import type { ReactionReads } from "../../core/reactions/telling/context.js";
import { decode } from "../calls/encode.js";
import type { WireRecord } from "../calls/operations.js";
import { contentsOf } from "../reads/newest.js";
import { purchasedIn } from "../reads/purchased.js";
import { storedSubscribed } from "../reads/subscribed.js";
import { recordAt, recordsOf, wireRecord } from "../store/records.js";
import { type Db, latestBy, mirrorOf, rowOf } from "../tables/database.js";

type Intent = StripeObject<"payment_intents">;

/** How many payments of a customer are looked through, the newest. */
const INTENTS = 50;

export function readsIn(db: Db, chosen: readonly ResourceName[]): ReactionReads {
  return {
    subscribed: async (entityId) => decode(await storedSubscribed(db, entityId, chosen)),
    purchased: (by) => purchasedIn(db, by, chosen),
    async processing(customerId) {
      if (!chosen.includes("payment_intents")) return [];
      const mirror = mirrorOf(db);
      const found = await latestBy(mirror, "payment_intents", "byCustomerId", customerId, INTENTS);
      return contentsOf<Intent>(found).filter(({ status }) => status === "processing");
    },
    async row<N extends ResourceName>(resource: N, id: string) {
      const found = await rowOf(mirrorOf(db), resource, id);
      return found === null
        ? undefined
        : ({ ...found, stripe: decode(found.stripe) } as unknown as Row<N>);
    },
    async record(kind, id) {
      const found = await recordAt(db, kind, id);
      return found === null ? undefined : decodedRecord(wireRecord(found));
    },
    recordsOf: async (kind, ref, after, limit) =>
      (await recordsOf(db, { type: "recordsOf", kind, ref, after, limit })).map(decodedRecord),
  };
}

const decodedRecord = ({ data, ...record }: WireRecord): StoredRecord => ({
  ...record,
  data: decode(data) as StoredRecord["data"],
});
