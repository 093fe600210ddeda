/**
 * The double's own pages: everything that a customer can do on them, good and bad, with the real SDK
 * and a webhook that verifies every delivery. No part of the library is in the way.
 */
import type { Browser } from "playwright-core";
import Stripe from "stripe";
import { createPatientDouble } from "../../support/patient-double.js";
import { fillCard, heading, LAPTOP, look, PHONE } from "./browser.js";
import { startReceiver } from "./receiver.js";
import { expect, type Step } from "./steps.js";

const EXPECTED = [
  "billing_portal.configuration.created",
  "billing_portal.session.created",
  "charge.failed",
  "charge.succeeded",
  "checkout.session.completed",
  "checkout.session.expired",
  "customer.created",
  "customer.subscription.created",
  "customer.subscription.deleted",
  "customer.subscription.updated",
  "invoice.created",
  "invoice.finalized",
  "invoice.paid",
  "invoice.payment_succeeded",
  "payment_intent.created",
  "payment_intent.payment_failed",
  "payment_intent.requires_action",
  "payment_intent.succeeded",
  "payment_method.attached",
  "price.created",
  "product.created",
] as const;

export async function walkPages(browser: Browser, step: Step): Promise<void> {
  const double = await createPatientDouble({ seed: "e2e" });
  const stripe = new Stripe(double.secretKey, double.stripeConfig);
  const site = await startReceiver(stripe);

  const laptop = await browser.newPage({ viewport: LAPTOP });
  const phone = await browser.newPage({
    viewport: PHONE,
    deviceScaleFactor: 2,
    isMobile: true,
    hasTouch: true,
  });
  for (const page of [laptop, phone]) page.setDefaultTimeout(10_000);

  const made = {
    basic: "",
    pro: "",
    customer: "",
    session: "",
    subscription: "",
    portal: "",
    strict: "",
  };
  const urls = {
    success_url: `${site.url}/thanks?session={CHECKOUT_SESSION_ID}`,
    cancel_url: `${site.url}/pricing`,
  };
  const must = (url: string | null): string => url ?? "about:blank";

  await step("a webhook endpoint is registered, and its secret kept", async () => {
    const endpoint = await stripe.webhookEndpoints.create({
      url: `${site.url}/stripe/webhook`,
      enabled_events: ["*"],
    });
    site.trust(endpoint.secret ?? "");
  });

  await step(
    "a product with two prices, a customer and two portal configurations are made",
    async () => {
      const product = await stripe.products.create({ name: "Analytical Engine" });
      const price = (unit_amount: number, nickname: string) =>
        stripe.prices.create({
          product: product.id,
          currency: "usd",
          unit_amount,
          nickname,
          recurring: { interval: "month" },
        });
      made.basic = (await price(1200, "Basic")).id;
      made.pro = (await price(4900, "Pro")).id;
      made.customer = (
        await stripe.customers.create({ email: "ada@example.com", name: "Ada Lovelace" })
      ).id;
      const configuration = (mode: "at_period_end" | "immediately") =>
        stripe.billingPortal.configurations.create({
          business_profile: { headline: "Analytical Engines, Ltd." },
          features: {
            invoice_history: { enabled: true },
            payment_method_update: { enabled: true },
            subscription_cancel: {
              enabled: true,
              mode,
              cancellation_reason: { enabled: true, options: ["too_expensive", "unused", "other"] },
            },
            subscription_update: {
              enabled: true,
              default_allowed_updates: ["price"],
              proration_behavior: "create_prorations",
              products: [{ product: product.id, prices: [made.basic, made.pro] }],
            },
          },
        });
      made.portal = (await configuration("at_period_end")).id;
      made.strict = (await configuration("immediately")).id;
    },
  );

  await step("a checkout session shows its page", async () => {
    const session = await stripe.checkout.sessions.create({
      mode: "subscription",
      customer: made.customer,
      line_items: [{ price: made.basic, quantity: 1 }],
      ...urls,
    });
    made.session = session.id;
    await laptop.goto(must(session.url));
    await heading(laptop, "Subscribe");
    expect(
      await laptop.getByLabel("Email").inputValue(),
      "ada@example.com",
      "the email of the customer",
    );
    await look(laptop, "checkout-laptop");
  });

  await step("a declined card is said on the page, and the session stays open", async () => {
    await fillCard(laptop, "4000 0000 0000 0002");
    await laptop.getByRole("button", { name: "Subscribe" }).click();
    expect(await laptop.getByRole("alert").textContent(), "Your card was declined.", "the error");
    expect(
      await laptop.evaluate("document.activeElement.getAttribute('role')"),
      "alert",
      "what has the focus",
    );
    await look(laptop, "checkout-declined-laptop");
    const session = await stripe.checkout.sessions.retrieve(made.session);
    expect(`${session.status} ${session.payment_status}`, "open unpaid", "the session");
  });

  await step(
    "another card pays, with the keyboard only, and leads to the success page",
    async () => {
      await fillCard(laptop, "4242 4242 4242 4242");
      await laptop.getByLabel("Name on card").press("Enter");
      await laptop.waitForURL(`${site.url}/thanks?session=${made.session}`);
      const session = await stripe.checkout.sessions.retrieve(made.session);
      expect(`${session.status} ${session.payment_status}`, "complete paid", "the session");
      made.subscription = String(session.subscription);
      const subscription = await stripe.subscriptions.retrieve(made.subscription);
      expect(subscription.status, "active", "the subscription");
    },
  );

  await step("the page of a completed session charges nothing more", async () => {
    await laptop.goto(`${double.url}/c/pay/${made.session}`);
    await heading(laptop, "You’re all done here");
    await look(laptop, "checkout-complete-laptop");
  });

  await step("cancel: Back leads to the site, and the session can be expired", async () => {
    const session = await stripe.checkout.sessions.create({
      mode: "subscription",
      line_items: [{ price: made.pro, quantity: 2 }],
      allow_promotion_codes: true,
      ...urls,
    });
    await phone.goto(must(session.url));
    await look(phone, "checkout-phone");
    await phone.getByRole("link", { name: "Back" }).click();
    await phone.waitForURL(urls.cancel_url);
    expect((await stripe.checkout.sessions.retrieve(session.id)).status, "open", "the session");
    await stripe.checkout.sessions.expire(session.id);
    await phone.goto(must(session.url));
    await heading(phone, "This checkout has expired");
    await look(phone, "checkout-expired-phone");
  });

  await step(
    "on a phone: a bank asks, first in vain, then it is answered, and a one-time payment succeeds",
    async () => {
      const session = await stripe.checkout.sessions.create({
        mode: "payment",
        customer_creation: "always",
        line_items: [
          {
            price_data: {
              currency: "eur",
              unit_amount: 2500,
              product_data: { name: "Punched cards" },
            },
            quantity: 4,
          },
        ],
        ...urls,
      });
      await phone.goto(must(session.url));
      await phone.getByLabel("Email").fill("grace@example.com");
      await fillCard(phone, "4000 0025 0000 3155");
      await phone.getByRole("button", { name: "Pay €100.00" }).click();
      await heading(phone, "Confirm with your bank");
      await look(phone, "checkout-authentication-phone");
      await phone.getByRole("button", { name: "Fail authentication" }).click();
      await phone.getByRole("alert").waitFor();
      await fillCard(phone, "4000 0025 0000 3155");
      await phone.getByRole("button", { name: "Pay €100.00" }).click();
      await phone.getByRole("button", { name: "Complete authentication" }).click();
      await phone.waitForURL(`${site.url}/thanks?session=${session.id}`);
      const after = await stripe.checkout.sessions.retrieve(session.id, {
        expand: ["payment_intent"],
      });
      expect(after.payment_status, "paid", "the session");
      expect(after.customer_details?.email, "grace@example.com", "the email");
      expect(after.customer === null, false, "that there is no customer");
    },
  );

  await step("on a phone: a trial starts without a payment", async () => {
    const session = await stripe.checkout.sessions.create({
      mode: "subscription",
      line_items: [{ price: made.pro, quantity: 1 }],
      subscription_data: { trial_period_days: 14 },
      ...urls,
    });
    await phone.goto(must(session.url));
    await look(phone, "checkout-trial-phone");
    await phone.getByLabel("Email").fill("hedy@example.com");
    await fillCard(phone, "4242 4242 4242 4242");
    await phone.getByRole("button", { name: "Start trial" }).click();
    await phone.waitForURL(`${site.url}/thanks?session=${session.id}`);
    const after = await stripe.checkout.sessions.retrieve(session.id, { expand: ["subscription"] });
    expect(after.payment_status, "no_payment_required", "the session");
    const started = after.subscription;
    expect(typeof started === "object" && started?.status, "trialing", "the subscription");
  });

  await step("the portal shows the subscription and its invoice", async () => {
    const session = await stripe.billingPortal.sessions.create({
      customer: made.customer,
      configuration: made.portal,
      return_url: `${site.url}/account`,
    });
    await laptop.goto(session.url);
    await heading(laptop, "Your billing");
    await look(laptop, "portal-laptop");
    await phone.goto(session.url);
    await look(phone, "portal-phone");
  });

  await step("the plan is changed in the portal", async () => {
    await laptop.getByRole("link", { name: "Change plan" }).click();
    await look(laptop, "portal-change-laptop");
    await laptop.getByLabel("$49.00 per month").check();
    await laptop.getByRole("button", { name: "Change plan" }).click();
    expect(await laptop.getByRole("status").textContent(), "Your plan was changed.", "the notice");
    const subscription = await stripe.subscriptions.retrieve(made.subscription);
    expect(subscription.items.data[0]?.price.id, made.pro, "the price");
  });

  await step("another card is put on file in the portal, after one that is refused", async () => {
    await laptop.getByRole("link", { name: "Use another card" }).click();
    await fillCard(laptop, "4000 0000 0000 0002");
    await laptop.getByRole("button", { name: "Save card" }).click();
    expect(await laptop.getByRole("alert").textContent(), "Your card was declined.", "the error");
    await look(laptop, "portal-card-laptop");
    await fillCard(laptop, "5555 5555 5555 4444");
    await laptop.getByRole("button", { name: "Save card" }).click();
    expect(await laptop.getByRole("status").textContent(), "Your card was updated.", "the notice");
  });

  await step("on a phone: canceled at the end of the period, and then not", async () => {
    const ends = async () =>
      (await stripe.subscriptions.retrieve(made.subscription)).cancel_at !== null;
    await phone.reload();
    await phone.getByRole("link", { name: "Cancel plan" }).click();
    await phone.getByLabel("It’s too expensive").check();
    await look(phone, "portal-cancel-phone");
    await phone.getByRole("button", { name: "Cancel plan" }).click();
    await phone.getByRole("button", { name: "Don’t cancel" }).waitFor();
    expect(await ends(), true, "that it will end");
    await look(phone, "portal-canceled-phone");
    await phone.getByRole("button", { name: "Don’t cancel" }).click();
    await phone.getByRole("link", { name: "Cancel plan" }).waitFor();
    expect(await ends(), false, "that it will end");
  });

  await step("canceled at once in the portal, and back to the site", async () => {
    const session = await stripe.billingPortal.sessions.create({
      customer: made.customer,
      configuration: made.strict,
      return_url: `${site.url}/account`,
      flow_data: {
        type: "subscription_cancel",
        subscription_cancel: { subscription: made.subscription },
      },
    });
    await laptop.goto(session.url);
    await heading(laptop, "Cancel your plan");
    await laptop.getByRole("button", { name: "Cancel plan" }).click();
    expect(
      await laptop.getByRole("status").textContent(),
      "Your subscription was canceled.",
      "the notice",
    );
    await look(laptop, "portal-ended-laptop");
    await laptop.getByRole("link", { name: "Return to the website" }).click();
    await laptop.waitForURL(`${site.url}/account`);
    expect(
      (await stripe.subscriptions.retrieve(made.subscription)).status,
      "canceled",
      "the subscription",
    );
  });

  await step("every webhook arrived, and every one verified", async () => {
    await double.settle();
    expect(site.refused.join("; "), "", "deliveries that did not verify");
    const types = new Set(site.verified.map(({ type }) => type));
    const missing = EXPECTED.filter((type) => !types.has(type));
    expect(missing.join(", "), "", "events that did not arrive");
    const listed = await stripe.events.list({ limit: 100 }).autoPagingToArray({ limit: 10_000 });
    const arrived = new Set(site.verified.map(({ id }) => id));
    const lost = listed.filter(({ id }) => !arrived.has(id));
    expect(
      lost.map(({ type }) => type).join(", "),
      "",
      "events that are listed but did not arrive",
    );
    console.log(`    ${site.verified.length} deliveries of ${types.size} types, all verified`);
  });

  await laptop.close();
  await phone.close();
  await double.close();
  await site.close();
}
