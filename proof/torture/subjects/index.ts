/** All subjects, in the order of the table's columns. */
import type { Subject } from "../harness/subject.js";
import { betterAuthStripe, betterAuthStripeOnDemand } from "./better-auth.js";
import { convexDevStripe } from "./convex-dev-stripe.js";
import { oursConvex } from "./ours-convex.js";
import { oursPostgres } from "./ours-postgres.js";
import { plainHandler } from "./plain-handler.js";
import { raidenoConvexStripe } from "./raideno-convex-stripe.js";
import { stripeNoWebhooks } from "./stripe-no-webhooks.js";
import { stripeSyncEngine, stripeSyncEngineRevalidating } from "./stripe-sync-engine.js";
import { supabaseSyncEngine, supabaseSyncEngineRevalidating } from "./supabase-sync-engine.js";

export const subjects: readonly Subject[] = [
  oursPostgres,
  oursConvex,
  stripeSyncEngine,
  stripeSyncEngineRevalidating,
  supabaseSyncEngine,
  supabaseSyncEngineRevalidating,
  betterAuthStripe,
  betterAuthStripeOnDemand,
  convexDevStripe,
  raidenoConvexStripe,
  stripeNoWebhooks,
  plainHandler,
];
