/** The customer portal: what a session needs, and what it takes from its configuration. */
import type Stripe from "stripe";
import type { Theme } from "../../harness/behaviour.js";
import { idOf, statusOf } from "../../harness/read.js";
import { docs, reference, types } from "../../harness/sources.js";
import { PAGE, type World } from "../../harness/world.js";

const configure = (
  { stripe }: World,
  features: Stripe.BillingPortal.ConfigurationCreateParams.Features = {
    invoice_history: { enabled: true },
  },
) => stripe.billingPortal.configurations.create({ features });

export const portal: Theme = {
  name: "Customer portal",
  behaviours: [
    {
      name: "without saved settings a session needs a configuration",
      source: docs("customer-management/configure-portal"),
      expected: { without: 400, with: 200 },
      async see(world) {
        const session = { customer: await world.customer(), return_url: PAGE };
        const without = await statusOf(world.stripe.billingPortal.sessions.create(session));
        const { id: configuration } = await configure(world);
        const given = world.stripe.billingPortal.sessions.create({ ...session, configuration });
        return { without, with: await statusOf(given) };
      },
    },
    {
      name: "the settings saved in the dashboard are the default",
      source: docs("customer-management/configure-portal"),
      expected: { isDefault: true, status: 200 },
      async see({ double, stripe, customer }) {
        const id = double.dashboard.savePortalSettings();
        const { is_default } = await stripe.billingPortal.configurations.retrieve(id);
        const session = stripe.billingPortal.sessions.create({ customer: await customer() });
        return { isDefault: is_default, status: await statusOf(session) };
      },
    },
    {
      name: "a configuration of the API is not the default, and is active",
      source: reference("customer_portal/configurations/object#is_default"),
      expected: { isDefault: false, active: true },
      async see(world) {
        const { is_default, active } = await configure(world);
        return { isDefault: is_default, active };
      },
    },
    {
      name: "changes of price prorate nothing unless the configuration says so",
      source: types("BillingPortal.Configuration.features.subscription_update.proration_behavior"),
      expected: "none",
      async see(world) {
        const price = await world.price(1000);
        const product = idOf((await world.stripe.prices.retrieve(price)).product);
        const { features } = await configure(world, {
          subscription_update: {
            enabled: true,
            default_allowed_updates: ["price"],
            products: [{ product, prices: [price] }],
          },
        });
        return features.subscription_update.proration_behavior;
      },
    },
    {
      name: "a cancellation takes effect at the period's end unless it says otherwise",
      source: types("BillingPortal.Configuration.features.subscription_cancel.mode"),
      expected: "at_period_end",
      async see(world) {
        const { features } = await configure(world, { subscription_cancel: { enabled: true } });
        return features.subscription_cancel.mode;
      },
    },
    {
      name: "a flow of another customer's subscription is refused",
      source: reference("customer_portal/sessions/create#flow_data"),
      expected: { own: 200, other: 400 },
      async see(world) {
        const { stripe, subscribe } = world;
        const { id: configuration } = await configure(world, {
          subscription_cancel: { enabled: true },
        });
        const subscription = await subscribe(1000);
        const open = async (customer: string) =>
          statusOf(
            stripe.billingPortal.sessions.create({
              customer,
              configuration,
              flow_data: {
                type: "subscription_cancel",
                subscription_cancel: { subscription: subscription.id },
              },
            }),
          );
        return {
          own: await open(idOf(subscription.customer)),
          other: await open(await world.customer()),
        };
      },
    },
    {
      name: "lists of configurations can be narrowed to the active ones",
      source: reference("customer_portal/configurations/list#active"),
      expected: { all: 2, active: 1 },
      async see(world) {
        const { stripe } = world;
        await configure(world);
        const { id } = await configure(world);
        await stripe.billingPortal.configurations.update(id, { active: false });
        const all = await stripe.billingPortal.configurations.list();
        const active = await stripe.billingPortal.configurations.list({ active: true });
        return { all: all.data.length, active: active.data.length };
      },
    },
  ],
};
