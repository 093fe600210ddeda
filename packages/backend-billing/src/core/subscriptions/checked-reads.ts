/** What applications read row by row, with arguments that are looked at before a database is asked. */
import type { LocalReads } from "../mirror/store.js";
import { argsOf, checkText, checkTime, optionsOf } from "../runtime/arguments.js";
import { checkEntityId } from "../runtime/commit/seats.js";

export function checkedReads<R extends LocalReads>(reads: R): R {
  // What a read does not take is not looked at: `ids.map(read)` adds some.
  const ofEntity =
    <T>(read: (entityId: string) => Promise<T>) =>
    async (entityId: string): Promise<T> => {
      checkEntityId(entityId);
      return read(entityId);
    };
  const listedOf =
    <O extends object, T>(read: (entityId: string, options?: O) => Promise<T>) =>
    async (entityId: string, options?: O): Promise<T> => {
      checkEntityId(entityId);
      return read(entityId, optionsOf("options", options));
    };
  return {
    ...reads,
    customerOf: ofEntity(reads.customerOf),
    activeSubscriptionsOf: ofEntity(reads.activeSubscriptionsOf),
    invoicesOf: listedOf(reads.invoicesOf),
    paymentMethodsOf: listedOf(reads.paymentMethodsOf),
    refundsOf: listedOf(reads.refundsOf),
    priceBy: async (by) => {
      checkText("lookupKey", argsOf("priceBy", by).lookupKey);
      return reads.priceBy(by);
    },
    revenue: async (now) => {
      checkTime("now", now);
      return reads.revenue(now ?? undefined);
    },
  };
}
