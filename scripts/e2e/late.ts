/**
 * People pay on the example app and come back while every webhook is an hour late: what the page
 * shows them can only have come by the return route.
 */
import type { Browser } from "playwright-core";
import Stripe from "stripe";
import { catalogue } from "../../examples/node-postgres/catalogue.js";
import { createPatientDouble } from "../../support/patient-double.js";
import { startPostgres } from "../../support/postgres/server.js";
import { fillCard, LAPTOP, lookAround, PATIENCE, shownAtLast } from "./browser.js";
import { freePort, startExample } from "./example.js";
import { expect, type Step } from "./steps.js";

const LATE = 3_600_000;

/** Whether a webhook told of a subscription. */
const isOfSubscription = ({ type, state }: { type: string; state: string }): boolean =>
  type.startsWith("customer.subscription.") && state === "delivered";

export async function walkLate(browser: Browser, step: Step, runs: number): Promise<void> {
  const double = await createPatientDouble({ seed: "e2e late", catalogue });
  const server = await startPostgres({ settings: { fsync: "off" } });
  const port = String(await freePort());
  const stripe = new Stripe(double.secretKey, double.stripeConfig);
  const { secret } = await stripe.webhookEndpoints.create({
    url: `http://localhost:${port}/stripe/webhook`,
    enabled_events: ["*"],
  });
  const app = await startExample("serve", {
    ready: "Paperboat is at",
    PORT: port,
    DATABASE_URL: server.url,
    STRIPE_SECRET_KEY: double.secretKey,
    STRIPE_WEBHOOK_SECRET: secret ?? "",
    STRIPE_HOST: double.url,
  });
  await double.settle();
  const refused = double.deliveries.all().filter(({ state }) => state !== "delivered");
  expect(refused.length, 0, "webhooks the app did not take");
  let known = 0;

  const context = await browser.newContext({ viewport: LAPTOP });
  context.setDefaultTimeout(PATIENCE);
  const page = await context.newPage();

  /** Somebody new subscribes; answers what the page was told of them when they came back. */
  const subscribe = async (name: string): Promise<string | undefined> => {
    await context.clearCookies();
    await context.request.post(`${app.url}/api/sign-up`, {
      data: { name, email: `${name}@example.com`, password: "a password" },
    });
    await page.goto(app.url);
    await page.getByRole("button", { name: "Choose Starter" }).click();
    await fillCard(page, "4242 4242 4242 4242");
    const first = page.waitForResponse(/\/api\/for\/[^/]+$/);
    await page.getByRole("button", { name: "Subscribe" }).click();
    const { subscription } = await (await first).json();
    await page.getByText("Active", { exact: true }).waitFor();
    return subscription?.status;
  };

  await step(`${runs} people subscribe and see it, with webhooks an hour late`, async () => {
    double.faults.add({ fault: "late", milliseconds: LATE });
    for (let run = 1; run <= runs; run++) {
      if ((await subscribe(`person-${run}`)) === "active") known++;
    }
    // On a machine that is busy, the return route may send people on before Stripe has answered it.
    console.log(`    ${known} of ${runs} were known as active when the page loaded`);
    expect(double.deliveries.all().some(isOfSubscription), false, "a webhook told of it");
  });

  await step("once the webhooks are there, every customer has its one subscription", async () => {
    await double.clock.advance({ seconds: LATE / 1000 });
    await double.settle();
    expect(double.objects("customer").length, runs, "customers");
    const active = double.objects("subscription").filter(({ status }) => status === "active");
    expect(active.length, runs, "subscriptions at Stripe");
  });

  await step("a renewal that fails is said on the page, and the end of a plan too", async () => {
    double.faults.clear();
    await subscribe("unlucky");
    const { id, customer } = double.objects("subscription").at(-1) ?? {};
    const card = await stripe.paymentMethods.attach("pm_card_chargeCustomerFail", {
      customer: String(customer),
    });
    await stripe.subscriptions.update(String(id), { default_payment_method: card.id });
    await double.clock.advance({ days: 32 });
    await double.settle();
    await page.reload();
    await shownAtLast(page, page.getByText("Payment failed"));
    await lookAround(page, "12-payment-failed");
    await double.clock.advance({ days: 60 });
    await double.settle();
    await page.reload();
    await shownAtLast(page, page.getByText("Ended on"));
    await lookAround(page, "13-ended");
  });

  await context.close();
  await app.stop();
  await double.close();
  await server.stop();
}
