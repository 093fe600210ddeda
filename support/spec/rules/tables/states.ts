/** Section 3: the only states are those of Stripe's objects. */
import { expect } from "vitest";
import type { Checks } from "../../harness.js";
import { changeCard, onlyRow, openShop, payer } from "../../kit.js";

export const states: Checks<"3#"> = {
  "3#states": async (open) => {
    const app = await open();
    const { monthly } = await openShop(app);
    const customer = await payer(app);
    const { id } = await app.stripe.subscriptions.create({
      customer: customer.id,
      items: [{ price: monthly.id }],
      trial_period_days: 5,
    });
    const seen: (string | undefined)[] = [];
    const look = async () => {
      await app.settle();
      const { stripe } = await onlyRow(app, "subscriptions");
      expect(stripe?.status).toBe((await app.stripe.subscriptions.retrieve(id)).status);
      seen.push(stripe?.status);
    };
    await look();
    await app.double.clock.advance({ days: 6 });
    await look();
    await changeCard(app, customer.id, "pm_card_chargeCustomerFail");
    await app.double.clock.advance({ days: 31 });
    await look();
    await app.stripe.subscriptions.cancel(id);
    await look();
    expect(seen).toEqual(["trialing", "active", "past_due", "canceled"]);
  },
};
