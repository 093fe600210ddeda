/** Does the acts of these lives at Stripe, over its SDK. What Stripe refuses is counted and left out. */
import Stripe from "stripe";
import type { Act } from "./script.js";
import type { Cycle, Plan } from "./shop.js";

const CARDS = { good: "pm_card_visa", bad: "pm_card_chargeCustomerFail" };
const DAY = 86_400;

export interface Player {
  /** What became of it. */
  does(customer: string, act: Act): Promise<"done" | "refused" | "nothing to do">;
}

export function createPlayer(
  stripe: Stripe,
  price: (plan: Plan, cycle: Cycle) => string,
  /** Stripe's time in seconds. */
  now: () => number,
): Player {
  const cycles = new Map<string, Cycle>();

  async function attempt(customer: string, act: Act): Promise<boolean> {
    if (act.kind === "look") return true;
    if (act.kind === "card") {
      const { id } = await stripe.paymentMethods.attach(CARDS[act.card], { customer });
      const invoice_settings = { default_payment_method: id };
      await stripe.customers.update(customer, { invoice_settings });
      return true;
    }
    if (act.kind === "pay") {
      const { data } = await stripe.invoices.list({ customer, status: "open" });
      for (const { id } of data) await stripe.invoices.pay(id, { paid_out_of_band: true });
      return data.length > 0;
    }
    const { data } = await stripe.subscriptions.list({ customer, limit: 10 });
    const [subscription] = data;
    if (act.kind === "subscribe") {
      if (subscription !== undefined) return false;
      const { plan, cycle, trialDays } = act;
      const made = await stripe.subscriptions.create({
        customer,
        items: [{ price: price(plan, cycle) }],
        ...(trialDays > 0 ? { trial_period_days: trialDays } : {}),
      });
      cycles.set(made.id, cycle);
      return true;
    }
    return subscription !== undefined && change(subscription, act);
  }

  async function change(
    { id, status, items, cancel_at_period_end }: Stripe.Subscription,
    act: Exclude<Act, { kind: "look" | "card" | "pay" | "subscribe" }>,
  ): Promise<boolean> {
    const update = async (params: Stripe.SubscriptionUpdateParams) => {
      await stripe.subscriptions.update(id, params);
      return true;
    };
    switch (act.kind) {
      case "change": {
        const cycle = act.cycle ?? cycles.get(id) ?? "month";
        const sold = { id: items.data[0]?.id ?? "", price: price(act.plan, cycle) };
        await update({ items: [sold], proration_behavior: act.behaviour });
        cycles.set(id, cycle);
        return true;
      }
      case "anchor now":
        return update({ billing_cycle_anchor: { type: "now" } });
      case "end trial":
        return status === "trialing" && update({ trial_end: "now" });
      case "pause collection": {
        const resumes_at = now() + act.days * DAY;
        return update({ pause_collection: { behavior: "void", resumes_at } });
      }
      case "pause":
        await stripe.subscriptions.pause(id);
        return true;
      case "resume":
        if (status !== "paused") return false;
        await stripe.subscriptions.resume(id, { payment_behavior: "resume_on_payment_success" });
        return true;
      case "cancel now":
        await stripe.subscriptions.cancel(id);
        return true;
      case "cancel at period end":
        return update({ cancel_at_period_end: true });
      case "keep":
        return cancel_at_period_end && update({ cancel_at_period_end: false });
    }
  }

  return {
    does: async (customer, act) => {
      try {
        return (await attempt(customer, act)) ? "done" : "nothing to do";
      } catch (error) {
        if (error instanceof Stripe.errors.StripeError) return "refused";
        throw error;
      }
    },
  };
}
