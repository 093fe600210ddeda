/** What an application configures on Convex, and what follows from it at load and at use. */
import { type BillingConfig, checkedBaseUrl } from "../core/runtime/config.js";
import { BillingError } from "../core/runtime/errors.js";

/** What an application configures on Convex. */
export interface ConvexConfig extends BillingConfig {
  /**
   * The file below `convex/` that exports what the creator returns, without its ending: `"billing"`
   * or `"lib/billing"`. Default `"billing"`, and `"stripe"` for `createStripe`.
   */
  readonly module?: string;
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

/** The module path by which Convex knows the application's file. */
export function checkedModule(module: string): string {
  if (!/^\w+(\/\w+)*$/.test(module) || module.startsWith("convex/")) {
    throw new BillingError(
      "invalid_config",
      `\`module\` must be the path of the file below convex/ without its ending, such as "billing" or "lib/billing", not "${module}".`,
    );
  }
  return module;
}
