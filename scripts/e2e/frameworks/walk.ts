/**
 * The examples on Next.js and SvelteKit, installed, set up and built as their READMEs say, each in
 * production mode with the library's routes below `/api/stripe`.
 */
import type { Browser } from "playwright-core";
import Stripe from "stripe";
import { createPatientDouble } from "../../../support/patient-double.js";
import { startPostgres } from "../../../support/postgres/server.js";
import { heading, LAPTOP, lookAround, PATIENCE, shownAtLast } from "../browser.js";
import { freePort, startIn } from "../example.js";
import { payFor } from "../paperboat.js";
import { expect, type Step } from "../steps.js";
import { type AppFolder, copyExample } from "./folder.js";

const FRAMEWORKS = {
  next: {
    builds: ["npm run build"], // it checks the types, too
    catalogue: "catalogue.ts",
    ready: "Ready in",
    prints: /^\s*(▲ Next\.js|- (Local|Network):|✓ (Running|Starting|Ready))/,
  },
  sveltekit: {
    builds: ["npm run build", "npm run typecheck"],
    catalogue: "src/lib/catalogue.ts",
    ready: "Listening on",
    prints: /^Listening on/,
  },
} as const;

const CRON_SECRET = "a secret of the scheduler";
const LATE = 3_600_000;

export async function walkFramework(
  browser: Browser,
  step: Step,
  name: keyof typeof FRAMEWORKS,
): Promise<void> {
  const { builds, ready, prints } = FRAMEWORKS[name];
  const folder = copyExample(name);
  let isBuilt = false;
  await step("it is installed with the package as it would be published", async () => {
    await folder.run(["npm", "install", "--prefer-offline"]);
  });
  await step("it compiles, and is built without any setting", async () => {
    for (const command of builds) await folder.run(command.split(" "));
    isBuilt = true;
  });
  if (!isBuilt) return folder.remove();

  const { settings, double, stop } = await setUp(folder, FRAMEWORKS[name].catalogue);
  const url = settings.BASE_URL;
  const stripe = new Stripe(double.secretKey, double.stripeConfig);
  const app = await startIn(folder.path, "start", { ready, ...settings });
  const context = await browser.newContext({ viewport: LAPTOP });
  context.setDefaultTimeout(PATIENCE);
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on("pageerror", ({ message }) => complaints.push(message));
  const press = (label: string) => page.getByRole("button", { name: label, exact: true }).click();
  const says = (text: string | RegExp) => page.getByText(text).waitFor();
  const told = () =>
    double.deliveries
      .all()
      .filter(({ type, state }) => /^customer\.subs/.test(type) && state === "delivered").length;

  await step("a visitor sees the plans of the catalogue, and has no account", async () => {
    await page.goto(`${url}/account`);
    await heading(page, "Room for everything you write");
    await page.getByRole("button", { name: "Author for $200 a year" }).waitFor();
    expect((await context.cookies()).length, 0, "cookies");
    await lookAround(page, `${name}-1-plans`);
  });

  await step("she buys a plan and comes back to it, with webhooks an hour late", async () => {
    double.faults.add({ fault: "late", milliseconds: LATE });
    await press("Writer for $8 a month");
    await heading(page, "Subscribe");
    await page.getByLabel("Email").fill("ada@example.com");
    await payFor(page, /^Subscribe/);
    await page.waitForURL(`${url}/account`);
    await heading(page, "Writer");
    await says("You can have 10 notebooks.");
    await says(/^It renews on \w+ \d+, \d{4}\.$/);
    await lookAround(page, `${name}-2-account`);
    expect(told(), 0, "webhooks that told of it");
  });

  await step("the webhooks come to /api/stripe/webhook, and are taken", async () => {
    double.faults.clear();
    await double.clock.advance({ seconds: LATE / 1000 });
    await double.settle();
    expect(told() > 0, true, "whether webhooks told of it");
    const others = double.deliveries.all().filter(({ state }) => state !== "delivered");
    expect(others.map(({ type, state }) => `${type} ${state}`).join(), "", "those not taken");
    const [endpoint] = (await stripe.webhookEndpoints.list()).data;
    expect(endpoint?.url, `${url}/api/stripe/webhook`, "the endpoint");
  });

  await step("a change that is made at Stripe is on the page", async () => {
    const [subscription] = (await stripe.subscriptions.list()).data;
    const item = subscription?.items.data[0]?.id ?? "";
    const author = await stripe.prices.list({ lookup_keys: ["inkwell:author:monthly"] });
    await stripe.subscriptions.update(subscription?.id ?? "", {
      items: [{ id: item, price: author.data[0]?.id ?? "" }],
    });
    await double.settle();
    await page.getByRole("link", { name: "Plans" }).click();
    const current = page.locator("li[data-current=true]");
    await current.getByText("Your plan").waitFor();
    await shownAtLast(page, current.getByRole("heading", { name: "Author" }));
    await lookAround(page, `${name}-3-subscribed`);
  });

  await step("who has a plan and chooses another is led to the portal, and buys none", async () => {
    await press("Writer for $80 a year");
    await page.waitForURL(/\/p\/session\//);
    expect((await stripe.subscriptions.list()).data.length, 1, "subscriptions");
  });

  await step("she cancels in the portal, and the page says when it ends", async () => {
    await page.goto(`${url}/account`);
    await press("Manage billing");
    await page.getByRole("link", { name: "Cancel plan" }).click();
    await page.getByRole("button", { name: "Cancel plan" }).click();
    await double.settle();
    await page.getByRole("link", { name: "Return to the website" }).click();
    await page.waitForURL(`${url}/account`);
    await shownAtLast(page, page.getByText(/^It ends on \w+ \d+, \d{4}\.$/));
    await lookAround(page, `${name}-4-ending`);
  });

  await step("strangers are refused: a webhook, a return, the scheduler's route", async () => {
    const send = (path: string, init?: RequestInit) => fetch(`${url}/api/${path}`, init);
    const json = { "content-type": "application/json" };
    const webhook = await send("stripe/webhook", { method: "POST", headers: json, body: "{}" });
    expect(webhook.status, 400, "a webhook without a signature");
    const back = await send("stripe/return/x?to=https://evil.example", { redirect: "manual" });
    expect(back.headers.get("location"), null, "where a link leads that is not signed");
    expect((await send("stripe/other")).status, 404, "another path");
    expect((await send("stripe/tick")).status, 401, "the scheduler's route");
    const headers = { authorization: `Bearer ${CRON_SECRET}` };
    const { more } = await (await send("stripe/tick", { headers })).json();
    expect(typeof more, "boolean", "whether more is due, as the scheduler is told");
  });

  await step("neither the page nor the app complained", async () => {
    expect(complaints.join("\n"), "", "what the page said");
    const lines = app.output().split("\n");
    const said = lines.filter((line) => line.trim() !== "" && !prints.test(line));
    expect(said.join("\n"), "", "what the app printed");
  });

  await context.close();
  await step("it ends when it is asked to", () => app.stop());
  await stop();
  folder.remove();
}

/** What the README says to do before the app is started, against a database and a Stripe of ours. */
async function setUp(folder: AppFolder, catalogue: string) {
  const postgres = await startPostgres({ settings: { fsync: "off" } });
  const double = await createPatientDouble({ seed: folder.path.length });
  const port = String(await freePort());
  const url = `http://localhost:${port}`;
  const settings = {
    ...{ PORT: port, BASE_URL: url, ORIGIN: url, CRON_SECRET },
    DATABASE_URL: postgres.url,
    STRIPE_SECRET_KEY: double.secretKey,
    STRIPE_HOST: double.url,
  };
  const command = (...args: readonly string[]) =>
    folder.run(["npx", "backend-billing", ...args], settings);
  await command("migrate");
  await command("push", "--apply", "--catalogue", catalogue);
  const webhook = ["--webhook", "--url", `${url}/api/stripe/webhook`, "--show-secret"];
  const said = await command("sync", "--portal", ...webhook);
  const [secret] = /whsec_\w+/.exec(said) ?? [];
  if (secret === undefined) throw new Error(`sync told no secret:\n${said}`);
  return {
    double,
    settings: { ...settings, STRIPE_WEBHOOK_SECRET: secret },
    async stop() {
      await double.close();
      await postgres.stop();
    },
  };
}
