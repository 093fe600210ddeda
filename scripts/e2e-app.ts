/**
 * The second part of `npm run e2e`: people pay in a real browser and come back to an application
 * that uses the library, while every webhook is ten seconds late. The page they land on must know
 * of their subscription already, each time.
 *
 *   tsx scripts/e2e-app.ts --runs 50
 */
import { parseArgs } from "node:util";
import pg from "pg";
import Stripe from "stripe";
import { createStripeDouble } from "../src/testing/index.js";
import { startPostgres } from "../test/setup/server.js";
import { startApp } from "./e2e/app.js";
import { fillCard, LAPTOP, launch, look } from "./e2e/browser.js";
import { createWalk, expect } from "./e2e/steps.js";

const { values } = parseArgs({ options: { runs: { type: "string", default: "50" } } });
const runs = Number(values.runs);
const LATE = 10_000;

const browser = await launch();
const server = await startPostgres({ settings: { fsync: "off" } });
const pool = new pg.Pool({ connectionString: server.url, max: 8 });
pool.on("error", () => {}); // connections that are still closing when the server stops
const double = await createStripeDouble({ seed: "e2e app" });
const stripe = new Stripe(double.secretKey, double.stripeConfig);
const product = await stripe.products.create({ name: "Analytical Engine" });
await stripe.prices.create({
  product: product.id,
  currency: "usd",
  unit_amount: 1200,
  recurring: { interval: "month" },
});
const app = await startApp(double, pool);
const { step, summary } = createWalk();
const page = await browser.newPage({ viewport: LAPTOP });
page.setDefaultTimeout(10_000);
let known = 0;

await step(`${runs} people subscribe, with webhooks ${LATE / 1000} seconds late`, async () => {
  double.faults.add({ fault: "late", milliseconds: LATE });
  for (let run = 1; run <= runs; run++) {
    await page.goto(`${app.url}/pricing?user=user-${run}`);
    await page.getByRole("button", { name: "Subscribe to Analytical Engine" }).click();
    await page.getByLabel("Email").fill(`person-${run}@example.com`);
    await fillCard(page, "4242 4242 4242 4242");
    await page.getByRole("button", { name: "Subscribe" }).click();
    await page.waitForURL(`${app.url}/welcome?**`);
    if ((await page.getByRole("status").textContent()) === "active") known++;
    const session = await page.locator("#session").textContent();
    expect(/^cs_test_\w+$/.test(session ?? ""), true, "the session's id reaches the application");
  }
  await look(page, "app-welcome-laptop");
  console.log(`    ${known} of ${runs} were known as active when the page loaded`);
  expect(known, runs, "how many were known at once");
});

await step("once the webhooks are there, every customer has its one subscription", async () => {
  await double.clock.advance({ seconds: LATE / 1000 });
  await double.settle();
  expect(double.objects("customer").length, runs, "customers");
  const rows = await app.billing.store.rows("subscriptions", "", 1000);
  const active = rows.filter(({ stripe: subscription }) => subscription?.status === "active");
  expect(`${active.length} of ${rows.length}`, `${runs} of ${runs}`, "rows that are active");
});

const well = summary();
await browser.close();
await app.close();
await double.close();
await pool.end();
await server.stop();
process.exit(well ? 0 : 1);
