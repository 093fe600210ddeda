/** What every link checks before a customer is made or Stripe is asked. */
import type Stripe from "stripe";
import type { Reach } from "../customers/setup.js";
import { checkData, optionsOf, shown } from "../runtime/arguments.js";
import { BillingError } from "../runtime/errors.js";
import type { Runtime } from "../runtime/runtime.js";
import { checkTarget } from "./return.js";

/**
 * Of the request options, `stripeAccount` reaches every call and the rest only the session's. Stripe's
 * SDK ignores an empty one, so the key's own account would be taken for a connected one.
 */
export function reachOf({ stripeAccount }: Stripe.RequestOptions = {}): Reach {
  if (stripeAccount === undefined) return {};
  if (stripeAccount && typeof stripeAccount === "string") return { stripeAccount };
  throw new BillingError(
    "invalid_argument",
    "`stripeAccount` must be the id of a connected account. Leave it out for the key's own.",
  );
}

export function checkMode(mode: string, wanted: string): void {
  if (mode !== wanted) {
    throw new BillingError(
      "invalid_argument",
      `\`mode\` must be "${wanted}" here, not "${shown(mode)}".`,
    );
  }
}

export function checkKnown(name: string, args: object, known: object): void {
  const unknown = Object.keys(args).find((key) => !Object.hasOwn(known, key));
  if (unknown === undefined) return;
  throw new BillingError(
    "invalid_argument",
    `\`${name}\` takes no \`${unknown}\`; it takes ${Object.keys(known).join(", ")}.`,
  );
}

export function checkOwned(params: object, owned: readonly string[]): void {
  optionsOf("params", params);
  checkData(params);
  const taken = owned.find((name) => Object.hasOwn(params, name));
  if (taken === undefined) return;
  const why =
    taken === "expand"
      ? "nothing of Stripe's answer is handed out, and the tables hold ids in place of whole objects"
      : "the customer follows from `entityId`";
  throw new BillingError(
    "invalid_argument",
    `\`${taken}\` is decided by the library and cannot be passed: ${why}.`,
  );
}

/**
 * Everything that can be refused is refused before a customer is made. Answers the addresses that
 * people can be sent to, whole: what is given may be a path below `site_url`.
 */
export function checkGiven<P extends object>(
  runtime: Runtime,
  params: P,
  needed: readonly (keyof P & string)[],
  targets: readonly (keyof P & string)[],
): readonly string[] {
  const absent = [...needed, ...targets].find((name) => !params[name]);
  if (absent !== undefined) {
    throw new BillingError("invalid_argument", `\`${absent}\` is missing.`);
  }
  runtime.baseUrl(); // throws if it is not configured: without it no return link can be made
  return targets.map((name) => {
    const given: unknown = params[name];
    if (typeof given !== "string") {
      throw new BillingError("invalid_argument", `\`${name}\` must be an address, as a text.`);
    }
    const target = belowSite(runtime, given);
    checkTarget(runtime, name, target);
    return target;
  });
}

/** An address, whole: a path is below the setting `site_url`. */
function belowSite({ config }: Runtime, address: string): string {
  const { site_url: site } = config;
  if (!address.startsWith("/") || address.startsWith("//") || site === undefined) return address;
  return `${site.replace(/\/+$/, "")}${address}`;
}
