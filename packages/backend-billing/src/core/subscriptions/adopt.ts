/** Takes over customers that an application has already, with their subscriptions. */
import { adoptCustomer, lookAtPair, type Ways } from "../customers/adopt/adopt.js";
import type { AdoptArgs, Verdict } from "../customers/adopt/judge.js";
import { refreshCustomer } from "../events/refresh.js";
import { provider } from "../runtime/errors.js";
import type { Runtime } from "../runtime/runtime.js";
import { inTurn } from "../stripe/pacer.js";
import { readSubscriptions } from "./change/refresh.js";

/** Makes a customer that exists at Stripe an entity's. */
export const adopt = (
  runtime: Runtime,
  { entityId, customerId }: AdoptArgs,
): Promise<{ customerId: string }> =>
  adoptCustomer(
    runtime,
    { entityId, customerId },
    {
      send: async (_, request) => request(),
      bring: (customer) => readSubscriptions(runtime, customer),
    },
  );

/** For many pairs: each request waits for its turn. */
const inLine = (runtime: Runtime): Ways => ({
  send: (endpoint, request) => inTurn(runtime, endpoint, request),
  bring: (customer) => refreshCustomer(runtime, customer).catch(provider),
});

/** The same at a pace that Stripe bears, for one of many. */
export const adoptInTurn = (runtime: Runtime, pair: AdoptArgs): Promise<{ customerId: string }> =>
  adoptCustomer(runtime, pair, inLine(runtime));

/** What {@link adoptInTurn} would do. */
export const lookInTurn = async (runtime: Runtime, pair: AdoptArgs): Promise<Verdict> =>
  (await lookAtPair(runtime, pair, inLine(runtime))).verdict;
