// An invoice that is paid by bank debit: nothing has failed while the bank has not answered.
import { expect, it } from "vitest";
import { type App, applications } from "../service/kit.js";
import { namesIn, opened, priceOf, settled, writing } from "./kit.js";

const openApp = applications();

/** In their order: of the invoice nothing comes before what comes of its payment. */
async function delivered(app: App): Promise<void> {
  const { deliveries } = app.double;
  await deliveries.release(deliveries.held().map(({ id }) => id));
  await settled(app);
}

it.each([
  ["asks a bank, and is paid", "pm_usBankAccount_success", ["invoice.paid"]],
  ["asks a bank that does not answer", "pm_usBankAccount_processing", []],
  ["is declined", "pm_card_chargeCustomerFail", ["invoice.payment_failed"]],
])("a first invoice that %s", async (_, method, expected) => {
  const on = writing("invoice.paid", "invoice.payment_failed");
  const app = await opened(openApp, { on }, { stripe: { delivery: "held" } });
  const { customerId: customer } = await app.b.setup({ entityId: "user_1" });
  const { id } = await app.stripe.paymentMethods.attach(method, { customer });
  const items = [{ price: await priceOf(app) }];
  await app.stripe.subscriptions.create({ customer, items, default_payment_method: id });
  await delivered(app);
  expect(await namesIn(app)).toEqual(expected.filter((name) => name !== "invoice.paid"));
  await app.double.clock.advance({ minutes: 1 });
  await delivered(app);
  expect(await namesIn(app)).toEqual(expected);
});
