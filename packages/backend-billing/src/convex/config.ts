/** What an application configures on Convex, and what follows from it at load and at use. */
import type { FunctionReference } from "convex/server";
import { type BillingConfig, checkedBaseUrl } from "../core/runtime/config.js";
import type { Reactions } from "./reactions/on.js";

/** What an application configures on Convex. */
export interface ConvexConfig extends BillingConfig {
  /**
   * The file below `convex/` that exports what the creator returns, without its ending: `"billing"`
   * or `"lib/billing"`. Default `"billing"`, and `"stripe"` for `createStripe`.
   */
  readonly module?: string;
  /**
   * An internal query of the application that counts the seats of an entity, such as the members of
   * an organisation: `internal.members.count`. With it the quantity of what is sold per seat
   * (`billing_per_seat: "true"` in the metadata of a price or a product) follows the count: tell of
   * changes by `seatsChanged` of `createLocal`.
   */
  readonly seats?: FunctionReference<"query", "internal", { entityId: string }, number> | undefined;
  /**
   * What the application does when something has happened: its internal mutations, such as
   * `{ "access.lost": internal.teams.close }`.
   */
  readonly on?: Reactions | undefined;
  /** Where this deployment's HTTP routes are reached. Default: `CONVEX_SITE_URL`, which Convex sets. */
  readonly base_url?: string | undefined;
}

/** What Convex gives of Node's `process`. */
declare const process: { readonly env: { readonly [name: string]: string | undefined } };

/** The address of the routes, read at use: nothing is set when the file is first pushed. */
export function baseUrl({ base_url }: ConvexConfig): string {
  return checkedBaseUrl(
    base_url ?? process.env.CONVEX_SITE_URL,
    "`base_url` must be the http(s) address of this deployment's HTTP routes, such as https://happy-animal-123.convex.site. Convex sets CONVEX_SITE_URL to it; pass `base_url` only for a domain of your own.",
  );
}
