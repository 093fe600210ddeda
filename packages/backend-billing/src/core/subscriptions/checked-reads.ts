/** What applications read row by row, with arguments that are looked at before a database is asked. */
import type { LocalReads } from "../mirror/store.js";
import { argsOf, checkText, optionsOf } from "../runtime/arguments.js";
import { checkEntityId } from "../runtime/commit/seats.js";

export function checkedReads<R extends LocalReads>(reads: R): R {
  const ofEntity =
    <A extends unknown[], T>(read: (entityId: string, ...rest: A) => Promise<T>) =>
    async (entityId: string, ...rest: A): Promise<T> => {
      checkEntityId(entityId);
      optionsOf("options", rest[0] as object | undefined);
      return read(entityId, ...rest);
    };
  return {
    ...reads,
    customerOf: ofEntity(reads.customerOf),
    activeSubscriptionsOf: ofEntity(reads.activeSubscriptionsOf),
    invoicesOf: ofEntity(reads.invoicesOf),
    paymentMethodsOf: ofEntity(reads.paymentMethodsOf),
    refundsOf: ofEntity(reads.refundsOf),
    priceBy: async (by) => {
      checkText("lookupKey", argsOf("priceBy", by).lookupKey);
      return reads.priceBy(by);
    },
  };
}
