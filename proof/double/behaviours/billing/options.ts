/** What requests for subscriptions may say beside their items. */
import type Stripe from "stripe";
import type { Theme } from "../../harness/behaviour.js";
import {
  amountsOf,
  first,
  idOf,
  iso,
  periodEnd,
  refusal,
  seconds,
  statusOf,
} from "../../harness/read.js";
import { changelog, docs, reference, thread, types } from "../../harness/sources.js";
import { APRIL_1, type World } from "../../harness/world.js";

const HALF = seconds("2026-04-16T00:00:00Z");

/** The totals of the invoices of a new subscription, sixteen days later. */
async function totals(world: World, params: Partial<Stripe.SubscriptionCreateParams>) {
  const { customer } = await world.subscribe(3100, params);
  await world.double.clock.advance({ days: 16 });
  return (await world.invoices(idOf(customer))).map(({ total }) => total);
}

export const options: Theme = {
  name: "Options of subscriptions",
  behaviours: [
    {
      name: "an anchor makes the first period a part of a cycle",
      source: docs("billing/subscriptions/billing-cycle"),
      now: APRIL_1,
      expected: [1500, 3100],
      see: (world) => totals(world, { billing_cycle_anchor: HALF }),
    },
    {
      name: "without prorations that part is free",
      source: docs("billing/subscriptions/billing-cycle#prorations"),
      now: APRIL_1,
      expected: [0, 3100],
      see: (world) => totals(world, { billing_cycle_anchor: HALF, proration_behavior: "none" }),
    },
    {
      name: "an anchor can be a day of the month",
      source: types("SubscriptionCreateParams.billing_cycle_anchor_config"),
      now: APRIL_1,
      expected: { anchor: "2026-04-16T00:00:00Z", end: "2026-04-16T00:00:00Z" },
      async see({ subscribe }) {
        const made = await subscribe(1000, { billing_cycle_anchor_config: { day_of_month: 16 } });
        return { anchor: iso(made.billing_cycle_anchor), end: periodEnd(made) };
      },
    },
    {
      name: "a day of the month is for months and years",
      source: types("SubscriptionCreateParams.billing_cycle_anchor_config"),
      expected: 400,
      async see({ price, subscribe }) {
        const weekly = await price(1000, { recurring: { interval: "week" } });
        return statusOf(
          subscribe(1000, {
            items: [{ price: weekly }],
            billing_cycle_anchor_config: { day_of_month: 16 },
          }),
        );
      },
    },
    {
      name: "the days of trial of a price count with trial_from_plan",
      source: types("PriceCreateParams.recurring.trial_period_days"),
      now: APRIL_1,
      expected: { asked: "trialing", end: "2026-04-06T00:00:00Z", unasked: "active" },
      async see({ price, subscribe }) {
        const recurring = { interval: "month", trial_period_days: 5 } as const;
        const items = [{ price: await price(1000, { recurring }) }];
        const asked = await subscribe(1000, { items, trial_from_plan: true });
        const { status } = await subscribe(1000, { items });
        return { asked: asked.status, end: iso(asked.trial_end ?? 0), unasked: status };
      },
    },
    {
      name: "a checkout has no longer trial either",
      source: thread("arlyon/async-stripe#445: the maximum number of trial period days is 730"),
      expected: "The maximum number of trial period days is 730 (2 years).",
      see: async ({ checkout }) =>
        (await refusal(checkout({ subscription_data: { trial_period_days: 731 } }))).message,
    },
    {
      name: "a fee of an update waits for the next invoice",
      source: reference("subscriptions/update#add_invoice_items"),
      now: APRIL_1,
      expected: { pending: [500], totals: [1000, 1500] },
      async see({ double, stripe, oneTimePrice, subscribe, pendingItems, invoices }) {
        const made = await subscribe(1000);
        const fee = await oneTimePrice(500);
        await stripe.subscriptions.update(made.id, { add_invoice_items: [{ price: fee }] });
        const pending = amountsOf(await pendingItems(made));
        await double.clock.advance({ days: 31 });
        const all = await invoices(idOf(made.customer));
        return { pending, totals: all.map(({ total }) => total) };
      },
    },
    {
      name: "a fee alone is invoiced at once in classic mode only",
      source: docs("billing/subscriptions/pending-updates: one-time charges and always_invoice"),
      expected: { classic: 2, flexible: 1 },
      async see({ stripe, oneTimePrice, subscribe, invoices }) {
        const fee = await oneTimePrice(500);
        const count = async (type: "classic" | "flexible") => {
          const { id, customer } = await subscribe(1000, { billing_mode: { type } });
          await stripe.subscriptions.update(id, {
            add_invoice_items: [{ price: fee }],
            proration_behavior: "always_invoice",
          });
          return (await invoices(idOf(customer))).length;
        };
        return { classic: await count("classic"), flexible: await count("flexible") };
      },
    },
    {
      name: "metadata of a pending update was refused before 2026-05-27",
      source: changelog("2026-05-27: previously, passing metadata returned an error"),
      expected: { old: 400, now: 200 },
      async see({ stripe, subscribe }) {
        const { id, items } = await subscribe(1000);
        const update = (apiVersion: string) =>
          statusOf(
            stripe.subscriptions.update(
              id,
              {
                items: [{ id: first(items).id, quantity: 2 }],
                metadata: { plan: "team" },
                payment_behavior: "pending_if_incomplete",
              },
              { apiVersion },
            ),
          );
        return { old: await update("2026-04-22.dahlia"), now: await update("2026-05-27.dahlia") };
      },
    },
    {
      name: "a pause is for what is charged automatically, in flexible mode, after its trial",
      source: docs("billing/subscriptions/pause"),
      expected: { trial: 400, classic: 400, sent: 400 },
      async see({ stripe, subscribe }) {
        const pause = async (params: Partial<Stripe.SubscriptionCreateParams>) =>
          statusOf(stripe.subscriptions.pause((await subscribe(1000, params)).id));
        return {
          trial: await pause({ trial_period_days: 7 }),
          classic: await pause({ billing_mode: { type: "classic" } }),
          sent: await pause({ collection_method: "send_invoice", days_until_due: 7 }),
        };
      },
    },
    {
      name: "a pause credits what it is told to",
      source: types("SubscriptionPauseParams.BillFor"),
      now: APRIL_1,
      expected: { usual: [-500], none: [], whole: [-1000] },
      async see({ double, stripe, subscribe, pendingItems }) {
        const made = [await subscribe(1000), await subscribe(1000), await subscribe(1000)];
        await double.clock.advance({ days: 15 });
        const credits = async (
          index: number,
          type: "item_current_period_start" | "none" | "now",
        ) => {
          const subscription = made[index];
          if (subscription === undefined) throw new Error("There is no such subscription");
          const bill_for = { unused_time_from: { type } };
          await stripe.subscriptions.pause(subscription.id, { bill_for });
          return amountsOf(await pendingItems(subscription));
        };
        return {
          usual: await credits(0, "now"),
          none: await credits(1, "none"),
          whole: await credits(2, "item_current_period_start"),
        };
      },
    },
    {
      name: "a resumption that leaves the anchor costs the rest of the period",
      source: types("SubscriptionResumeParams.proration_behavior"),
      now: APRIL_1,
      expected: { pending: [500], end: "2026-05-01T00:00:00Z" },
      async see({ double, stripe, subscribe, pendingItems }) {
        const made = await subscribe(1000);
        const bill_for = { unused_time_from: { type: "none" } } as const;
        await stripe.subscriptions.pause(made.id, { bill_for });
        await double.clock.advance({ days: 15 });
        const resumed = await stripe.subscriptions.resume(made.id, {
          billing_cycle_anchor: { type: "unchanged" },
        });
        return { pending: amountsOf(await pendingItems(made)), end: periodEnd(resumed) };
      },
    },
  ],
};
