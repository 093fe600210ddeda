/** Takes over customers that an application has already, with their subscriptions. */
import { adoptCustomer } from "../customers/adopt/adopt.js";
import type { AdoptArgs } from "../customers/adopt/judge.js";
import type { Runtime } from "../runtime/runtime.js";
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
