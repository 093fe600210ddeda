/** What becomes of a plan after it was bought, on the page of either example. */
import type { Browser, BrowserContext, Page } from "playwright-core";
import type Stripe from "stripe";
import { heading, LAPTOP, lookAround, PATIENCE } from "./browser.js";
import { payFor, signUp } from "./paperboat.js";
import { expect, type Step } from "./steps.js";

interface App {
  readonly url: string;
  readonly stripe: Stripe;
  /** The double's address: beside Stripe's API it takes requests that turn its clock and add faults. */
  readonly double: string;
}

const CONFIRM = /^(Pay .+ and change|Change plan)$/;
const BAD_CARD = "pm_card_chargeCustomerFail";

async function visitor(browser: Browser): Promise<BrowserContext> {
  const context = await browser.newContext({ viewport: LAPTOP });
  context.setDefaultTimeout(PATIENCE);
  return context;
}

/**
 * Another plan for what its preview said, a quote that has expired, a card that is refused, an end and
 * taking it back. Every webhook is an hour late, so what the page shows came by the calls themselves.
 */
export async function walkChange(
  browser: Browser,
  step: Step,
  { url, stripe, double }: App,
  name: string,
): Promise<void> {
  const context = await visitor(browser);
  const control = async (method: string, path: string, body?: object): Promise<unknown> => {
    const answer = await fetch(`${double}/_double${path}`, {
      method,
      ...(body && { body: JSON.stringify(body) }),
    });
    if (!answer.ok) throw new Error(await answer.text());
    return answer.json();
  };
  const page = await signUp(context, url, "Mary");
  let customer = "";
  let told = 0;
  const delivered = async (): Promise<number> => {
    const path = "/deliveries?type=customer.subscription.updated&state=delivered";
    return ((await control("GET", path)) as { deliveries: unknown[] }).deliveries.length;
  };
  const subscription = async () => {
    const found = await stripe.subscriptions.list({ customer });
    expect(found.data.length, 1, "live subscriptions");
    return found.data[0] as Stripe.Subscription;
  };
  const planAtStripe = async () =>
    (await subscription()).items.data.map(({ price }) => price.unit_amount).join();
  const invoices = async () => (await stripe.invoices.list({ customer, limit: 100 })).data;
  /** Asks for another plan; answers what is due for it in the smallest unit. */
  const ask = async (tab: Page, plan: string): Promise<number> => {
    await tab.getByRole("button", { name: `Change to ${plan}`, exact: true }).click();
    const dialog = tab.getByRole("dialog", { name: `Change to ${plan}?` });
    const shown = await dialog.locator(".due dd").textContent();
    return Math.round(Number(shown?.replace("$", "")) * 100);
  };
  const confirm = (tab: Page) => tab.getByRole("button", { name: CONFIRM }).click();
  const showsPlan = (tab: Page, plan: string) =>
    tab.getByRole("heading", { level: 2, name: plan, exact: true }).waitFor();

  await step("a card that is refused leaves the plan as it was", async () => {
    await page.getByRole("button", { name: "Choose Starter" }).click();
    await payFor(page, /^Subscribe/);
    await page.getByText("Active", { exact: true }).waitFor();
    const customers = await stripe.customers.list({ email: "mary@example.com" });
    customer = customers.data[0]?.id ?? "";
    await control("POST", "/clock", { advance: { days: 10 } });
    await control("POST", "/faults", { fault: "late", milliseconds: 3_600_000 });
    told = await delivered();
    const { id, default_payment_method: good } = await subscription();
    const card = await stripe.paymentMethods.attach(BAD_CARD, { customer });
    await stripe.subscriptions.update(id, { default_payment_method: card.id });
    await ask(page, "Studio");
    await confirm(page);
    await page.getByRole("alert").getByText("Your card was refused").waitFor();
    await showsPlan(page, "Starter");
    await lookAround(page, `${name}-change-1-refused`);
    expect(await planAtStripe(), "900", "the plan at Stripe");
    const open = (await invoices()).filter(({ status }) => status === "open");
    expect(open.length, 0, "invoices that are still to be paid");
    await stripe.subscriptions.update(id, { default_payment_method: String(good) });
  });

  await step("she changes her plan for what the preview said, and the page has it", async () => {
    const due = await ask(page, "Studio");
    await lookAround(page, `${name}-change-2-preview`);
    await confirm(page);
    await showsPlan(page, "Studio");
    await lookAround(page, `${name}-change-3-changed`);
    expect(await planAtStripe(), "2900", "the plan at Stripe");
    const [latest] = await invoices();
    expect(latest?.billing_reason, "subscription_update", "why there is an invoice");
    expect(latest?.total, due, "the invoice");
    expect(latest?.amount_paid, due, "what was paid of it");
    // A third of the difference is over, so it is neither nothing nor all.
    expect(due > 0 && due < 2000, true, `a part of the difference is due, not ${due}`);
  });

  await step("a quote of an older tab is refused, and the page says so", async () => {
    const other = await context.newPage();
    await other.goto(page.url());
    const dues = [await ask(page, "Starter"), await ask(other, "Starter")];
    expect(dues.join(), "0,0", "what is due for a smaller plan");
    await lookAround(other, `${name}-change-4-credit`);
    await confirm(other);
    await showsPlan(other, "Starter");
    const before = (await invoices()).length;
    await confirm(page);
    await page.getByRole("alert").getByText("has changed since you looked").waitFor();
    await showsPlan(page, "Starter");
    await lookAround(page, `${name}-change-5-expired`);
    expect((await invoices()).length, before, "invoices after the refusal");
    expect(await planAtStripe(), "900", "the plan at Stripe");
    await other.close();
  });

  await step("she cancels on the page, and takes it back", async () => {
    await page.getByRole("button", { name: "Cancel plan" }).click();
    await page.getByText("Ends on").waitFor();
    await lookAround(page, `${name}-change-6-ending`);
    expect((await subscription()).cancel_at_period_end, true, "whether it ends at Stripe");
    await page.getByRole("button", { name: "Keep plan" }).click();
    await page.getByText("Active", { exact: true }).waitFor();
    expect((await subscription()).cancel_at_period_end, false, "whether it ends at Stripe");
  });

  await step("no webhook told of any of it; once they come, nothing is different", async () => {
    expect(await delivered(), told, "webhooks that told of it");
    await control("DELETE", "/faults");
    await control("POST", "/clock", { advance: { hours: 1 } });
    await page.reload();
    await showsPlan(page, "Starter");
    await page.getByText("Active", { exact: true }).waitFor();
  });
  await context.close();
}

/** A plan per seat: it is sold for the members there are, and follows those who come and go. */
export async function walkSeats(
  browser: Browser,
  step: Step,
  { url, stripe }: App,
  name: string,
): Promise<void> {
  const context = await visitor(browser);
  const page = await signUp(context, url, "Joan");
  const subscription = async () => {
    const entityId = new URL(page.url()).pathname.replace("/for/", "");
    const customers = (await stripe.customers.list({ limit: 100 })).data;
    const customer = customers.find(({ metadata }) => metadata.entityId === entityId)?.id ?? "";
    const found = await stripe.subscriptions.list({ customer });
    expect(found.data.length, 1, "live subscriptions");
    return found.data[0] as Stripe.Subscription;
  };
  /** How many seats are paid for at Stripe, and when that was changed, the latest first. */
  const atStripe = async () => {
    const { id, items } = await subscription();
    const events = await stripe.events.list({ type: "customer.subscription.updated", limit: 100 });
    const own = events.data.filter(({ data }) => (data.object as Stripe.Subscription).id === id);
    return { seats: items.data[0]?.quantity, changes: own.map(({ created }) => created) };
  };
  const invite = async (...names: string[]) => {
    const emails = names.map((each) => `${each}@example.com`);
    await page.getByLabel("Emails of whom you invite").fill(emails.join(", "));
    await page.getByRole("button", { name: "Invite" }).click();
    for (const each of emails) await page.getByText(each, { exact: true }).waitFor();
  };

  await step("a team of three pays for three seats", async () => {
    await page.getByLabel("Name of the organisation").fill("Computers");
    await page.getByRole("button", { name: "Create" }).click();
    await page.getByText("for Computers").waitFor();
    await page.getByText("You are alone so far").waitFor();
    await invite("betty", "kay");
    await page.getByLabel("Emails of whom you invite").fill("ruth@example.com");
    await page.getByRole("button", { name: "Invite" }).click();
    await page.getByRole("alert").getByText("no room for more than 2 members").waitFor();
    await lookAround(page, `${name}-seats-0-full`);
    expect(await page.getByText("ruth@example.com", { exact: true }).count(), 0, "a third member");
    await page.getByRole("button", { name: "Choose Studio" }).click();
    await heading(page, "Subscribe");
    await page.getByLabel("Email").fill("office@example.com");
    await payFor(page, /^Subscribe/);
    await page.getByText("· 3 seats").waitFor();
    await page.getByText("room for 50 members.").waitFor();
    await page.getByText("we answer within a day").waitFor();
    await lookAround(page, `${name}-seats-1-three`);
    expect((await atStripe()).seats, 3, "seats at Stripe");
  });

  await step("five are invited at once, and Stripe is told once", async () => {
    const before = (await atStripe()).changes.length;
    await invite("ruth", "marlyn", "frances", "jean", "adele");
    await lookAround(page, `${name}-seats-2-invited`);
    await page.getByText("· 8 seats").waitFor();
    const { seats, changes } = await atStripe();
    expect(seats, 8, "seats at Stripe");
    expect(changes.length - before, 1, "updates at Stripe");
  });

  await step("a seat that is given back is paid for no more", async () => {
    const before = (await atStripe()).changes.length;
    await page.getByRole("button", { name: "Remove kay@example.com" }).click();
    await page.getByText("kay@example.com", { exact: true }).waitFor({ state: "detached" });
    await page.getByText("· 7 seats").waitFor();
    await lookAround(page, `${name}-seats-3-removed`);
    const { seats, changes } = await atStripe();
    expect(seats, 7, "seats at Stripe");
    expect(changes.length - before, 1, "updates at Stripe");
    // Both are whole seconds, so a second may be missing between them.
    const [last = 0, first = 0] = changes;
    expect(last - first >= 9, true, `ten seconds are between two updates, not ${last - first}`);
  });
  await context.close();
}
