/** Links to Stripe's page where a person leaves a card, or another way to pay, and pays nothing. */
import type Stripe from "stripe";
import { checkSetup, setupReading } from "../customers/setup.js";
import type { Runtime } from "../runtime/runtime.js";
import { checkGiven, checkKnown, checkMode, checkOwned, reachOf } from "./checks.js";
import { observedLink } from "./observed.js";
import type { Page } from "./page.js";
import { ADDRESSES, ADDRESSES_B, OWNED, type SaveArgs, type SaveParams } from "./params.js";
import { openSession, type WholeParams } from "./session.js";

const ARGS: { readonly [name in keyof SaveArgs]-?: true } = {
  entityId: true,
  successUrl: true,
  cancelUrl: true,
  params: true,
};

export const savePaymentMethod = observedLink("setup", saveLink);

/** The same in variant B. */
export const saveOnce = observedLink("setup", saveOnceLink);

async function saveLink(
  runtime: Runtime,
  params: SaveParams,
  options?: Stripe.RequestOptions,
): Promise<Page> {
  const { entityId, mode, ...rest } = params;
  checkMode(mode, "setup");
  checkOwned(rest, [...OWNED, "line_items"]);
  const [success_url = "", cancel_url = ""] = checkGiven(runtime, params, [], ADDRESSES);
  return openSetup(runtime, entityId, { ...rest, success_url, cancel_url }, options);
}

async function saveOnceLink(runtime: Runtime, args: SaveArgs): Promise<Page> {
  checkKnown("savePaymentMethod", args, ARGS);
  const { entityId, params = {} } = args;
  checkOwned(params, [...OWNED, ...ADDRESSES, "line_items"]);
  const [success_url = "", cancel_url = ""] = checkGiven(runtime, args, [], ADDRESSES_B);
  return openSetup(runtime, entityId, { ...params, success_url, cancel_url }, undefined);
}

async function openSetup(
  runtime: Runtime,
  entityId: string,
  given: Omit<WholeParams, "mode">,
  options: Stripe.RequestOptions | undefined,
): Promise<Page> {
  checkSetup({ entityId });
  const reach = reachOf(options);
  const page = await openSession(runtime, {
    params: { ...given, mode: "setup" },
    ui: "hosted",
    options,
    find: (wanted) => setupReading(runtime, { entityId }, reach, wanted),
  });
  return page as Page;
}
