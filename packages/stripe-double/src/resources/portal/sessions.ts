/** Sessions of the customer portal: whose it is, what it may do there, and where it leads back to. */
import type Stripe from "stripe";
import { invalid, notModelled, refused } from "../../api/errors.js";
import { group, oneOf, type Parsed, required, word } from "../../api/params.js";
import { route } from "../../http/route.js";
import type { Plain } from "../../world/plain.js";
import type { World } from "../../world/world.js";
import { defaultPortalConfiguration } from "./configurations.js";
import type { PortalConfiguration } from "./features.js";

export type PortalSession = Plain<Stripe.BillingPortal.Session>;

const flowShape = {
  type: required(word),
  subscription_cancel: group({ subscription: required(word) }),
  subscription_update: group({ subscription: required(word) }),
  after_completion: group({
    type: required(oneOf("hosted_confirmation", "portal_homepage", "redirect")),
    hosted_confirmation: group({ custom_message: word }),
    redirect: group({ return_url: required(word) }),
  }),
};
type FlowParams = Parsed<typeof flowShape>;

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

/** Apart, because the types of `stripe` 22 do not know it. */
const NO_PAUSE = { subscription_pause: null };

/** A page to begin with, for one purpose. Its feature must be on in the configuration. */
function flowOf(
  world: World,
  customer: string,
  { features }: PortalConfiguration,
  params: FlowParams,
): NonNullable<PortalSession["flow"]> {
  const { type, after_completion: after } = params;
  if (
    type !== "payment_method_update" &&
    type !== "subscription_cancel" &&
    type !== "subscription_update"
  ) {
    throw notModelled(`the portal flow '${type}'`);
  }
  const target = type === "payment_method_update" ? undefined : params[type];
  if (type !== "payment_method_update") {
    const param = `flow_data[${type}][subscription]`;
    if (target === undefined)
      throw invalid(`Missing required param: ${param}.`, param, "parameter_missing");
    const subscription = world.find("subscription", target.subscription, param);
    if (subscription.customer !== customer) {
      throw refused(
        `The subscription \`${subscription.id}\` does not belong to the customer.`,
        param,
      );
    }
    if (!features[type].enabled) {
      const [done, feature] =
        type === "subscription_update" ? ["updated", "update"] : ["canceled", "cancel"];
      throw refused(
        `This subscription cannot be ${done} because the subscription ${feature} feature in the portal configuration is disabled.`,
      );
    }
  } else if (!features.payment_method_update.enabled) {
    throw refused(
      "The payment method cannot be updated because the payment method update feature in the portal configuration is disabled.",
    );
  }
  if (after?.type === "redirect" && after.redirect === undefined) {
    const param = "flow_data[after_completion][redirect][return_url]";
    throw invalid(`Missing required param: ${param}.`, param, "parameter_missing");
  }
  return {
    ...NO_PAUSE,
    after_completion: {
      hosted_confirmation:
        after?.type === "hosted_confirmation"
          ? { custom_message: after.hosted_confirmation?.custom_message ?? null }
          : null,
      redirect: after?.type === "redirect" && after.redirect ? after.redirect : null,
      type: after?.type ?? "portal_homepage",
    },
    customer_update: null,
    subscription_cancel:
      type === "subscription_cancel" && target
        ? { retention: null, subscription: target.subscription }
        : null,
    subscription_update: type === "subscription_update" && target ? target : null,
    subscription_update_confirm: null,
    type,
  };
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
