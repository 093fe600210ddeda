// Fails to compile when this check does not see stripe 23: a check against the wrong version would
// pass and prove nothing.
import type Stripe from "stripe";
import { expectTypeOf } from "vitest";

expectTypeOf<Stripe.LatestApiVersion>().toExtend<`${string}.endive`>();
