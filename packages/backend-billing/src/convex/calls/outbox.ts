/** Usage that waits to be sent, inside an action: each call is a run of the `store` mutation. */
import type { OutboxStore } from "../../core/runtime/records/outbox.js";
import type { Operation, ResultOf } from "./operations.js";
import { recordFrom } from "./store.js";

export function createConvexOutbox(call: (operation: Operation) => Promise<unknown>): OutboxStore {
  return {
    async unsent(features, now, limit, from) {
      const asked = { type: "unsent" as const, features: [...features], now };
      const found: ResultOf<"unsent">["found"] = [];
      for (let after = from; found.length < limit; ) {
        const operation = { ...asked, after, limit: limit - found.length };
        const stretch = (await call(operation)) as ResultOf<"unsent">;
        found.push(...stretch.found);
        after = stretch.after;
        if (after === null) break;
      }
      return found;
    },
    async gather(gathering) {
      const made = (await call({ type: "gather", gathering })) as ResultOf<"gather">;
      return made === null ? undefined : recordFrom(made);
    },
    isLeft: async ({ entityId, feature }) =>
      (await call({ type: "isLeft", place: { entityId, feature } })) as ResultOf<"isLeft">,
    async forget(entityId) {
      while ((await call({ type: "forget", entityId })) as ResultOf<"forget">);
    },
  };
}
