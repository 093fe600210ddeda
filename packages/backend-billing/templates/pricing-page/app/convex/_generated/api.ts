/** What Convex generates of an application's functions, as far as the templates use it. Not published. */
import { type ApiFromModules, anyApi, type FilterApi, type FunctionReference } from "convex/server";
import type * as pricing from "../../../convex/pricing.js";

type All = ApiFromModules<{ pricing: typeof pricing }>;

export const api = anyApi as unknown as FilterApi<
  All,
  FunctionReference<"query" | "mutation" | "action", "public">
>;
export const internal = anyApi as unknown as FilterApi<
  All,
  FunctionReference<"query" | "mutation" | "action", "internal">
>;
