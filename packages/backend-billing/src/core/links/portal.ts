/** Links to the billing portal, where people manage what they bought. */
import type Stripe from "stripe";
import { forLiveCustomer } from "../customers/live-customer.js";
import { customerIdOf } from "../customers/setup.js";
import { records } from "../runtime/records/records.js";
import type { Runtime } from "../runtime/runtime.js";
import { checkGiven, checkKnown, checkOwned, reachOf } from "./checks.js";
import { observedLink } from "./observed.js";
import { addressOf, type Link, openPage } from "./page.js";

/** What `portal` takes. */
export interface PortalParams
  extends Omit<Stripe.BillingPortal.SessionCreateParams, "customer" | "return_url"> {
  readonly entityId: string;
  readonly returnUrl: string;
}

/** What `portal` of variant B takes. */
export type PortalArgs = Pick<PortalParams, "entityId" | "returnUrl">;

/** All that the portal of variant B takes: it passes nothing through, so the rest is a mistake. */
const PORTAL: { readonly [name in keyof PortalArgs]-?: true } = { entityId: true, returnUrl: true };

export const portal = observedLink("portal", portalLink);

/** The portal of variant B, which passes nothing through. */
export const plainPortal = observedLink("portal", async (runtime: Runtime, args: PortalArgs) => {
  checkKnown("portal", args, PORTAL);
  return portalLink(runtime, args);
});

async function portalLink(
  runtime: Runtime,
  params: PortalParams,
  options?: Stripe.RequestOptions,
): Promise<Link> {
  const { entityId, returnUrl: _, ...rest } = params;
  checkOwned(rest, ["customer", "return_url"]);
  const [returnUrl = ""] = checkGiven(runtime, params, [], ["returnUrl"]);
  const find = async () => ({
    customerId: await customerIdOf(runtime, entityId, reachOf(options)),
  });
  return forLiveCustomer(runtime, options, find, ({ customerId }, at) =>
    openPortal(runtime, { customer: customerId, returnUrl, params: rest }, at),
  );
}

/** What a page of the portal is for. */
export interface PortalWanted {
  readonly customer: string;
  readonly returnUrl: string;
  readonly params?: Omit<Stripe.BillingPortal.SessionCreateParams, "customer" | "return_url">;
}

/** Opens the portal for a customer, with the configuration that `sync` made. */
export async function openPortal(
  runtime: Runtime,
  { customer, returnUrl, params }: PortalWanted,
  options: Stripe.RequestOptions | undefined,
): Promise<Link> {
  // The remembered configuration is of the key's own account.
  const saved = options?.stripeAccount ? undefined : await records.portal.read(runtime);
  const configuration = saved?.data?.configurationId;
  const to = { kind: "portal", target: returnUrl, customerId: customer } as const;
  const opened = await openPage(runtime, to, options, (return_url) =>
    runtime.stripe().billingPortal.sessions.create(
      {
        ...(configuration === undefined ? {} : { configuration }),
        ...params,
        customer,
        return_url,
      },
      options,
    ),
  );
  return { url: addressOf(opened.url) };
}
