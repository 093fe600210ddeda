/** What webhooks never told: the endpoint was down for longer than Stripe retries, or was not there. */
import type { Family } from "../harness/scenario.js";

export const missed: Family = {
  name: "missed",
  title: "Missed events",
  why: "Stripe gives up after three days, and disables an endpoint that keeps failing.",
  scenarios: [
    {
      name: "changes",
      what: "A subscription changes and another one is canceled, and no webhook ever arrives.",
      must: "Both are right after a repair.",
      about: ["subscription"],
      needs: ["repair"],
      play: async (t) => {
        const [one, two] = [await t.subscribe(), await t.subscribe()];
        await t.deliver();
        await t.backfill();
        await t.later();
        await t.seats(one, 9);
        await t.stripe.subscriptions.cancel(two.id);
        t.lose(t.held());
        await t.later();
        await t.repair();
      },
    },
    {
      name: "deletions",
      what: "A customer and a product are deleted, and no webhook ever arrives.",
      must: "Both are gone after a repair.",
      about: ["customer", "product"],
      needs: ["repair"],
      play: async (t) => {
        const [customer] = [await t.customer(), await t.customer()];
        const product = await t.stripe.products.create({ name: "Basic" });
        await t.stripe.products.create({ name: "Pro" });
        await t.deliver();
        await t.backfill();
        await t.later();
        await t.stripe.customers.del(customer);
        await t.stripe.products.del(product.id);
        t.lose(t.held());
        await t.later();
        await t.repair();
      },
    },
    {
      name: "creations",
      what: "A customer subscribes while the endpoint is down, and no webhook ever arrives.",
      must: "The subscription is there after a repair.",
      about: ["subscription"],
      needs: ["repair"],
      play: async (t) => {
        await t.subscribe();
        await t.deliver();
        await t.backfill();
        await t.later();
        await t.subscribe();
        t.lose(t.held());
        await t.later();
        await t.repair();
      },
    },
    {
      name: "late-delivery-after-repair",
      what: "Missed changes are repaired; then one of the missed events arrives after all, older than the repair.",
      must: "The repaired state stands.",
      about: ["subscription"],
      needs: ["repair"],
      play: async (t) => {
        const subscription = await t.subscribe();
        await t.deliver();
        await t.backfill();
        await t.later();
        await t.seats(subscription, 2);
        await t.later();
        await t.seats(subscription, 3);
        const [old, ...rest] = t.held("customer.subscription.updated");
        t.lose(rest);
        await t.later();
        await t.repair();
        if (old !== undefined) await t.deliver([old]);
      },
    },
  ],
};
