/** Sessions of the customer portal: whose it is, what it may do there, and where it leads back to. */
import type Stripe from "stripe";
import { refused } from "../../api/errors.js";
import { group, required, word } from "../../api/params.js";
import { route } from "../../http/route.js";
import type { Plain } from "../../world/plain.js";
import type { World } from "../../world/world.js";
import { defaultPortalConfiguration } from "./configurations.js";
import type { PortalConfiguration } from "./features.js";
import { flowOf, flowShape } from "./flows.js";

export type PortalSession = Plain<Stripe.BillingPortal.Session>;

/** The path of the session's page. Stripe's own links carry the mode and a token, never the id. */
const tokenOf = (world: World, id: string) =>
  `${world.livemode ? "live" : "test"}_${id.slice("bps_".length)}`;

/** The session that a page's token stands for. */
export function portalSessionId(token: string): string {
  return token.replace(/^(test|live)_/, "bps_");
}

function configurationFor(world: World, id: string | undefined): PortalConfiguration {
  if (id !== undefined) {
    const named = world.find("billing_portal.configuration", id, "configuration");
    if (!named.active) throw refused(`The configuration \`${id}\` is not active.`, "configuration");
    return named;
  }
  const usual = defaultPortalConfiguration(world);
  if (usual !== undefined) return usual;
  const mode = world.livemode ? "live" : "test";
  throw refused(
    `You can’t create a portal session in ${mode} mode until you save your customer portal settings in ${mode} mode at https://dashboard.stripe.com/${world.livemode ? "" : "test/"}settings/billing/portal. No configuration provided and your ${mode} mode default configuration has not been created.`,
  );
}

export const portalSessions = [
  route(
    "POST /v1/billing_portal/sessions",
    {
      configuration: word,
      customer: required(word),
      flow_data: group(flowShape),
      locale: word,
      return_url: word,
    },
    ({ world }, params) => {
      const customer = world.find("customer", params.customer, "customer");
      const configuration = configurationFor(world, params.configuration);
      const flow = params.flow_data && flowOf(world, customer.id, configuration, params.flow_data);
      const id = world.id("bps");
      const session: PortalSession = {
        id,
        object: "billing_portal.session",
        configuration: configuration.id,
        created: world.now(),
        customer: customer.id,
        customer_account: null,
        flow: flow ?? null,
        livemode: world.livemode,
        locale: params.locale ?? null,
        on_behalf_of: null,
        return_url: params.return_url ?? configuration.default_return_url,
        url: `${world.origin}/p/session/${tokenOf(world, id)}`,
      };
      world.objects["billing_portal.session"].add(session);
      world.raise("billing_portal.session.created", session);
      return session;
    },
  ),
];
