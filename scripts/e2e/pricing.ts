/**
 * The pricing page that `generate pricing-page` writes, in an application that has nothing else: its
 * catalogue, a server, and a cookie that says who is signed in.
 */
import { execFile } from "node:child_process";
import { cpSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { serve } from "@hono/node-server";
import { serveStatic } from "@hono/node-server/serve-static";
import { Hono } from "hono";
import type { Browser, Page } from "playwright-core";
import Stripe from "stripe";
import { build } from "vite";
import { createPatientDouble } from "../../support/patient-double.js";
import { startPostgres } from "../../support/postgres/server.js";
import { heading, LAPTOP, lookAround, PATIENCE, shownAtLast } from "./browser.js";
import { freePort } from "./example.js";
import { payFor } from "./paperboat.js";
import { expect, type Step } from "./steps.js";

const root = resolve(import.meta.dirname, "../..");
const library = join(root, "packages/backend-billing");
const place = join(root, "artifacts/pricing-app");
/** A card that can be attached, and then pays nothing. */
const BAD_CARD = "pm_card_chargeCustomerFail";

export async function walkPricing(browser: Browser, step: Step): Promise<void> {
  const app = await startApp();
  const context = await browser.newContext({ viewport: LAPTOP });
  context.setDefaultTimeout(PATIENCE);
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on("pageerror", ({ message }) => complaints.push(message));
  const press = (name: string | RegExp) => page.getByRole("button", { name }).click();
  const says = (text: string | RegExp) => page.getByRole("status").getByText(text).waitFor();
  const subscription = async () => {
    const { data } = await app.stripe.subscriptions.list({ status: "all" });
    expect(data.length, 1, "subscriptions");
    return data[0] as Stripe.Subscription;
  };
  /** What the application answers whose gate asks for priority support. */
  const gate = async () => (await page.request.get(`${app.url}/support`)).status();
  const keyAtStripe = async () => (await subscription()).items.data[0]?.price.lookup_key;

  await step("a visitor sees the plans, by month and by year", async () => {
    await page.goto(`${app.url}/pricing`);
    await page.getByText("$20").waitFor();
    expect(await pressed(page), "Monthly", "the switch");
    await page.getByText("14 days free").waitFor();
    await lookAround(page, "pricing-1-visitor");
    await press("Yearly");
    await page.getByText("$200").waitFor();
    expect(await pressed(page), "Yearly", "the switch");
    expect(await page.getByText("Legacy").count(), 0, "plans that are retired");
  });

  await step("she is asked to sign in, buys by the plan, and has it when she is back", async () => {
    await press("Start Team");
    await page.waitForURL(`${app.url}/pricing`);
    await says("Choose a plan");
    await current(page, "Free");
    expect(await gate(), 403, "the gate, before she pays");
    await press("Yearly");
    await lookAround(page, "pricing-2-newcomer");
    await press("Start Team");
    await heading(page, "Subscribe");
    await page.getByLabel("Email").fill("ada@example.com");
    await payFor(page, /^Subscribe/);
    await page.waitForURL(`${app.url}/pricing`);
    expect(await gate(), 200, "the gate, at once when she is back");
    await current(page, "Team");
    await says("You have Team. It renews on");
    expect(await pressed(page), "Yearly", "the switch");
    expect(await keyAtStripe(), "acme:team:yearly", "the price at Stripe");
    await lookAround(page, "pricing-3-bought");
  });

  await step("a card that is refused is said, and nothing has changed", async () => {
    const { id, customer, default_payment_method: good } = await subscription();
    const card = await app.stripe.paymentMethods.attach(BAD_CARD, { customer: String(customer) });
    await app.stripe.subscriptions.update(id, { default_payment_method: card.id });
    await press("Switch to Pro");
    await press(/^Pay \$/);
    await page.getByRole("alert").getByText("Your card was refused").waitFor();
    await current(page, "Team");
    await lookAround(page, "pricing-4-refused");
    await app.stripe.subscriptions.update(id, { default_payment_method: String(good) });
  });

  await step("she sees what another plan costs, and switches for just that", async () => {
    await press("Switch to Pro");
    const due = page.locator("dl .pricing-due dd");
    const shown = (await due.textContent()) ?? "";
    await lookAround(page, "pricing-5-offer");
    await press(/^Pay \$/);
    await current(page, "Pro");
    expect(await keyAtStripe(), "acme:pro:yearly", "the price at Stripe");
    const { data } = await app.stripe.invoices.list({ limit: 1 });
    expect(`$${((data[0]?.amount_paid ?? 0) / 100).toFixed(2)}`, dollars(shown), "what was paid");
  });

  await step("she ends it, sees until when she has it, and keeps it", async () => {
    await press("Move to Free");
    await page.getByRole("heading", { name: "Cancel your plan?" }).waitFor();
    await page.getByRole("dialog").getByRole("button", { name: "Cancel plan" }).click();
    await says("It ends on");
    await lookAround(page, "pricing-6-ending");
    expect((await subscription()).cancel_at_period_end, true, "whether it ends at Stripe");
    await press("Keep Pro");
    await says("It renews on");
    expect((await subscription()).cancel_at_period_end, false, "whether it ends at Stripe");
  });

  await step("the portal is one click away, and leads back", async () => {
    await press("Manage billing");
    await page.getByRole("link", { name: "Return to the website" }).click();
    await current(page, "Pro");
  });

  await step("who owes something is led to the invoice, pays, and is well again", async () => {
    const { id, customer, default_payment_method: good } = await subscription();
    const card = await app.stripe.paymentMethods.attach(BAD_CARD, { customer: String(customer) });
    await app.stripe.subscriptions.update(id, { default_payment_method: card.id });
    await app.double.clock.advance({ days: 367 });
    await app.double.settle();
    await page.goto(`${app.url}/pricing`);
    await shownAtLast(page, page.getByRole("button", { name: "Pay the open invoice" }));
    await says("Your last invoice is not paid yet");
    await lookAround(page, "pricing-7-owing");
    const [owed] = (await app.stripe.invoices.list({ status: "open" })).data;
    const payUrl = owed?.hosted_invoice_url ?? "";
    // The double has no page for an invoice.
    await page.route(payUrl, (route) => route.fulfill({ body: "The invoice" }));
    await press("Pay the open invoice");
    await page.getByText("The invoice", { exact: true }).waitFor();
    expect(page.url(), payUrl, "where it is paid");
    await app.stripe.invoices.pay(owed?.id ?? "", { payment_method: String(good) });
    await app.double.settle();
    await page.goto(`${app.url}/pricing`);
    await shownAtLast(page, page.getByRole("status").getByText("You have Pro. It renews on"));
  });

  await step("the page did not complain", async () => {
    expect(complaints.join("\n"), "", "what it said");
  });
  await context.close();
  await app.stop();
}

const dollars = (text: string): string => (text.includes(".") ? text : `${text}.00`);

const pressed = (page: Page) => page.locator("fieldset button[aria-pressed=true]").textContent();

const current = (page: Page, plan: string) =>
  page.locator("li[data-current=true]").getByRole("heading", { name: plan }).waitFor();

/** Writes the application as a person would, and serves it from this process. */
async function startApp() {
  const postgres = await startPostgres();
  const double = await createPatientDouble({ seed: "pricing" });
  const port = await freePort();
  const url = `http://localhost:${port}`;
  const stripe = new Stripe(double.secretKey, double.stripeConfig);
  const { secret } = await stripe.webhookEndpoints.create({
    url: `${url}/stripe/webhook`,
    enabled_events: ["*"],
  });
  await writeApp();
  Object.assign(process.env, {
    BASE_URL: url,
    DATABASE_URL: postgres.url,
    STRIPE_SECRET_KEY: double.secretKey,
    STRIPE_WEBHOOK_SECRET: secret,
    STRIPE_HOST: double.url,
  });
  await build({ root: place, logLevel: "warn", esbuild: { jsx: "automatic" } });
  const load = (file: string) => import(pathToFileURL(join(place, file)).href);
  const { billing, store, sync } = await load("billing.ts");
  const { pricingRoutes } = await load("pricing/pricing-routes.ts");
  await store.migrate();
  const server = serveApp(port, billing, pricingRoutes, (entityId) =>
    store.can(entityId, "prioritySupport"),
  );
  await command("push", "--apply", "--stripe-host", double.url);
  await sync({ portal: true });
  return {
    ...{ url, stripe, double },
    async stop() {
      await new Promise((done) => server.close(done));
      await billing.close();
      await double.close();
      await postgres.stop();
      rmSync(place, { recursive: true, force: true });
    },
  };
}

const BILLING = `import { createBilling } from "backend-billing/postgres";
import pg from "pg";
import { catalogue } from "./catalogue.js";

const db = new pg.Pool({ connectionString: process.env.DATABASE_URL });
db.on("error", () => {}); // the server goes first
export const { billing, store, sync } = createBilling({
  secret_key: process.env.STRIPE_SECRET_KEY,
  webhook_secret: process.env.STRIPE_WEBHOOK_SECRET,
  base_url: process.env.BASE_URL,
  stripe_host: process.env.STRIPE_HOST,
  catalogue,
  db,
});
`;
const ENTITY_FOR = `export async function entityFor(request: Request): Promise<string | null> {
  return /person=(\\w+)/.exec(request.headers.get("cookie") ?? "")?.[1] ?? null;
}
`;
const MAIN = `import { createRoot } from "react-dom/client";
import { PricingPage } from "./pricing/pricing-page.js";

createRoot(document.body).render(<PricingPage onSignIn={() => location.assign("/sign-in")} />);
`;
const HTML = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width" />
    <meta name="color-scheme" content="light dark" />
    <title>Plans</title>
  </head>
  <body><script type="module" src="/main.tsx"></script></body>
</html>
`;

/** `npx backend-billing`, in the application. The double is in this process, so it must not wait. */
const command = (...args: readonly string[]) =>
  promisify(execFile)(process.execPath, [join(library, "dist/cli/main.js"), ...args], {
    cwd: place,
  });

async function writeApp(): Promise<void> {
  rmSync(place, { recursive: true, force: true });
  mkdirSync(place, { recursive: true });
  const write = (path: string, text: string) => writeFileSync(join(place, path), text);
  cpSync(join(library, "templates/pricing-page/app/catalogue.ts"), join(place, "catalogue.ts"));
  write("package.json", JSON.stringify({ type: "module", devDependencies: { typescript: "*" } }));
  write("billing.ts", BILLING);
  write("main.tsx", MAIN);
  write("index.html", HTML);
  await command("generate", "pricing-page");
  write("pricing/entity-for.ts", ENTITY_FOR);
}

function serveApp(
  port: number,
  billing: { addHttpRoutes(app: Hono): void },
  pricingRoutes: (request: Request) => Promise<Response | undefined>,
  mayUse: (entityId: string) => Promise<boolean>,
) {
  const app = new Hono();
  billing.addHttpRoutes(app);
  app.use("/api/pricing/*", async (c, next) => (await pricingRoutes(c.req.raw)) ?? next());
  app.get("/sign-in", (c) => {
    c.header("set-cookie", "person=ada; HttpOnly; SameSite=Lax; Path=/");
    return c.redirect("/pricing");
  });
  app.get("/support", async (c) => c.text("Priority support", (await mayUse("ada")) ? 200 : 403));
  const dist = join("artifacts/pricing-app/dist"); // below the folder in which this runs
  app.use(serveStatic({ root: dist }));
  app.get("/pricing", serveStatic({ path: `${dist}/index.html` }));
  return serve({ fetch: app.fetch, port, hostname: "localhost" });
}
