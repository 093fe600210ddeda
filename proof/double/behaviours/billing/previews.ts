/** What a change would cost: previews, and prorations as of another moment. */
import type Stripe from "stripe";
import type { Theme } from "../../harness/behaviour.js";
import { amountsOf, expanded, first, seconds, statusOf } from "../../harness/read.js";
import { docs, reference } from "../../harness/sources.js";
import { APRIL_1 } from "../../harness/world.js";

const HALF = "2026-04-16T00:00:00Z";

export const previews: Theme = {
  name: "Previews",
  behaviours: [
    {
      name: "a preview is the invoice to the cent, and changes nothing",
      source: docs("billing/subscriptions/prorations#preview-proration"),
      now: APRIL_1,
      expected: { preview: 1000, invoice: 1000, raised: 0, id: "upcoming_in" },
      async see({ double, stripe, price, subscribe, raisedBy }) {
        const { id, items } = await subscribe(1000);
        await double.clock.advance({ days: 15 });
        const change = [{ id: first(items).id, price: await price(3000) }];
        const proration_behavior = "always_invoice";
        let preview: Stripe.Invoice | undefined;
        const raised = await raisedBy(async () => {
          preview = await stripe.invoices.createPreview({
            subscription: id,
            subscription_details: { items: change, proration_behavior },
          });
        });
        const changed = await stripe.subscriptions.update(id, {
          items: change,
          proration_behavior,
          expand: ["latest_invoice"],
        });
        return {
          preview: preview?.total,
          invoice: expanded(changed.latest_invoice).total,
          raised: raised.length,
          id: preview?.id.slice(0, 11),
        };
      },
    },
    {
      name: "proration_date decides how much was used",
      source: reference("subscriptions/update#proration_date"),
      now: APRIL_1,
      expected: [-500, 1500],
      async see(world) {
        const { double, stripe, price, subscribe } = world;
        const { id, items } = await subscribe(1000);
        await double.clock.advance({ days: 20 });
        const changed = await stripe.subscriptions.update(id, {
          items: [{ id: first(items).id, price: await price(3000) }],
          proration_date: seconds(HALF),
        });
        return amountsOf(await world.pendingItems(changed));
      },
    },
    {
      name: "proration_date outside of the period is refused",
      source: docs("billing/subscriptions/prorations#preview-proration"),
      now: APRIL_1,
      expected: 400,
      async see({ double, stripe, price, subscribe }) {
        const { id, items } = await subscribe(1000);
        await double.clock.advance({ days: 15 });
        return statusOf(
          stripe.subscriptions.update(id, {
            items: [{ id: first(items).id, price: await price(3000) }],
            proration_date: seconds("2026-03-01T00:00:00Z"),
          }),
        );
      },
    },
  ],
};
