/** The acts of random lives that change a subscription which is not over. */
import type Stripe from "stripe";
import { DAY, type Timed } from "./script.js";
import type { Shop } from "./shop.js";

/** What became of an act for which there was no occasion. */
export const NOTHING = "nothing to do";

export type SubscriptionAct = Exclude<
  Extract<Timed, { which: number }>,
  { kind: "refund" | "dispute" }
>;

interface Means {
  readonly stripe: Stripe;
  readonly shop: Shop;
}

/** Answers what became of it, if it was not done. */
export async function changeSubscription(
  { stripe, shop }: Means,
  subscription: Stripe.Subscription,
  act: SubscriptionAct,
): Promise<string | undefined> {
  const { id, items, schedule } = subscription;
  const update = async (params: Stripe.SubscriptionUpdateParams) => {
    await stripe.subscriptions.update(id, params);
    return undefined;
  };
  const [item] = items.data;
  switch (act.kind) {
    case "sell": {
      const price = act.sold === null ? {} : { price: shop.price(act.sold) };
      const quantity = act.quantity ?? item?.quantity ?? 1;
      const proration_behavior = act.invoices ? "always_invoice" : "create_prorations";
      const sold = { id: item?.id ?? "", ...price, quantity };
      return update({ items: [sold], proration_behavior });
    }
    case "sell more":
      return update({ items: [{ price: shop.price(act.sold), quantity: 1 }] });
    case "sell less":
      if (items.data.length < 2) return NOTHING;
      return update({ items: [{ id: item?.id ?? "", deleted: true }] });
    case "schedule":
      return scheduleChange(stripe, subscription, shop.price(act.sold));
    case "cancel at period end":
      return update({ cancel_at_period_end: true });
    case "cancel at":
      return update({ cancel_at: act.at + act.days * DAY });
    case "keep":
      if (subscription.cancel_at_period_end) return update({ cancel_at_period_end: false });
      return subscription.cancel_at === null ? NOTHING : update({ cancel_at: "" });
    case "cancel now":
      await stripe.subscriptions.cancel(id);
      return undefined;
    case "pause collection": {
      const until = act.days === null ? {} : { resumes_at: act.at + act.days * DAY };
      return update({ pause_collection: { behavior: "void", ...until } });
    }
    case "resume collection":
      return subscription.pause_collection === null ? NOTHING : update({ pause_collection: "" });
    case "pause":
      if (schedule !== null) await stripe.subscriptionSchedules.release(String(schedule));
      await stripe.subscriptions.pause(id);
      return undefined;
    case "resume":
      if (subscription.status !== "paused") return NOTHING;
      await stripe.subscriptions.resume(id, { payment_behavior: "resume_on_payment_success" });
      return undefined;
    case "move trial":
      if (subscription.status !== "trialing") return NOTHING;
      return update({ trial_end: act.days === 0 ? "now" : act.at + act.days * DAY });
    case "describe":
      return update({ description: act.text });
  }
}

/** Sells something else from the end of the period on. */
async function scheduleChange(
  stripe: Stripe,
  subscription: Stripe.Subscription,
  price: string,
): Promise<undefined> {
  const { id, phases } = await stripe.subscriptionSchedules.create({
    from_subscription: subscription.id,
  });
  const [now] = phases;
  await stripe.subscriptionSchedules.update(id, {
    end_behavior: "release",
    phases: [
      {
        start_date: now?.start_date ?? "now",
        end_date: now?.end_date ?? "now",
        items: subscription.items.data.map((item) => ({
          price: item.price.id,
          quantity: item.quantity ?? 1,
        })),
      },
      { items: [{ price, quantity: 1 }], duration: { interval: "month", interval_count: 1 } },
    ],
  });
}
