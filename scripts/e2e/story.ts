/**
 * The example app, started with its one command and used as people use it: they sign up, subscribe,
 * cancel, buy, act for an organisation, and try what they must not be able to do.
 */
import type { Browser, BrowserContext, Page } from "playwright-core";
import Stripe from "stripe";
import { startPostgres } from "../../support/postgres/server.js";
import { fillCard, heading, LAPTOP, lookAround, PATIENCE } from "./browser.js";
import { canStartPostgres, missingMigrations, startExample } from "./example.js";
import { CARD, payFor, signOutAndIn, signUp } from "./paperboat.js";
import { walkChange, walkSeats } from "./running.js";
import { walkSends } from "./sends.js";
import { expect, type Step } from "./steps.js";

export async function walkStory(browser: Browser, step: Step): Promise<void> {
  await step("the example's migrations make the tables of its schema", async () => {
    const missing = await missingMigrations();
    expect(missing, "", "Run `npm run generate` in examples/node-postgres. Missing");
  });

  const server = canStartPostgres() ? undefined : await startPostgres();
  if (server)
    console.log("    (with a PostgreSQL of ours: as root, the example cannot reach its own)");
  const start = performance.now();
  const app = await startExample("start", {
    ready: "no money moves",
    ...(server && { DATABASE_URL: server.url }),
  });
  console.log(`    npm start took ${((performance.now() - start) / 1000).toFixed(1)} s`);
  const [, double = "", key = ""] = /double at (\S+) with the key (\S+?):/.exec(app.output()) ?? [];
  const { hostname, port } = new URL(double);
  const stripe = new Stripe(key, { protocol: "http", host: hostname, port: Number(port) });

  const visitor = async (): Promise<BrowserContext> => {
    const context = await browser.newContext({ viewport: LAPTOP });
    context.setDefaultTimeout(PATIENCE);
    return context;
  };
  const customerOf = async (entityId: string): Promise<Stripe.Customer> => {
    const customers = await stripe.customers.list({ limit: 100 });
    const found = customers.data.filter(({ metadata }) => metadata.entityId === entityId);
    expect(found.length, 1, "customers of the entity");
    return found[0] as Stripe.Customer;
  };
  const entityIn = (page: Page): string => new URL(page.url()).pathname.replace("/for/", "");
  const boughtBy = async (entityId: string) => {
    const { id: customer } = await customerOf(entityId);
    const subscriptions = await stripe.subscriptions.list({ customer, status: "all" });
    const charges = await stripe.charges.list({ customer });
    const paid = charges.data.filter((charge) => charge.paid).map(({ amount }) => amount);
    return { subscriptions: subscriptions.data, paid: paid.join() };
  };
  const mailsTo = (name: string): string[] =>
    [...app.output().matchAll(/^A mail to (\S+)@example\.com: (.+)$/gm)].flatMap(
      ([, to, subject = ""]) => (to === name ? [subject] : []),
    );
  const mailed = async (name: string, count: number): Promise<string> => {
    for (let left = PATIENCE; mailsTo(name).length < count && left > 0; left -= 200) {
      await page.waitForTimeout(200);
    }
    return mailsTo(name).join();
  };
  const choose = (page: Page, plan: string) =>
    page.getByRole("button", { name: `Choose ${plan}` }).click();

  const ada = await visitor();
  let page = await ada.newPage();

  await step("a visitor sees what there is, and what it costs", async () => {
    await page.goto(app.url);
    await page.getByText("$29").waitFor();
    await lookAround(page, "1-landing");
    await page.getByLabel("Yearly").check();
    await page.getByText("$290").waitFor();
    await page.getByRole("button", { name: "Choose Studio" }).click();
    await heading(page, "Start writing");
    await lookAround(page, "2-sign-up");
  });

  await step("she signs up, and has a Stripe customer of her own at once", async () => {
    await page.close();
    page = await signUp(ada, app.url, "Ada");
    expect((await customerOf(entityIn(page))).email, "ada@example.com", "the customer's email");
    await lookAround(page, "3-no-plan");
  });

  await step("she subscribes, and is known as a subscriber when she comes back", async () => {
    await choose(page, "Studio");
    await heading(page, "Subscribe");
    expect(await page.getByLabel("Email").inputValue(), "ada@example.com", "the email");
    const first = page.waitForResponse(/\/api\/for\/[^/]+$/);
    await payFor(page, /^Subscribe/);
    const { subscription } = await (await first).json();
    expect(subscription?.status, "active", "the subscription when the page loads");
    await page.getByText("Thank you! Studio is yours").waitFor();
    expect(await mailed("ada", 1), "Your plan has begun", "what she was mailed");
    await lookAround(page, "4-active");
  });

  await step("she cancels in the portal, and the page says when it ends", async () => {
    await page.getByRole("button", { name: "Manage billing" }).click();
    await page.getByRole("link", { name: "Cancel plan" }).click();
    await page.getByRole("button", { name: "Cancel plan" }).click();
    await page.getByRole("link", { name: "Return to the website" }).click();
    const shown = await page.getByText("Ends on").locator("time").textContent();
    const [subscription] = (await boughtBy(entityIn(page))).subscriptions;
    const end = (subscription?.items.data[0]?.current_period_end ?? 0) * 1000;
    const day = new Intl.DateTimeFormat("en-GB", { dateStyle: "long" }).format(end);
    expect(shown, day, "the day on which it ends");
    await lookAround(page, "5-ending");
  });

  await step("she buys something once, and it is hers by a reaction, with a mail", async () => {
    await page.getByRole("button", { name: "Buy for $15" }).click();
    await payFor(page, /^Pay/);
    await page.getByText(/^Paid on \d/).waitFor();
    const both = "Your plan has begun,10,000 extra sends: thank you";
    expect(await mailed("ada", 2), both, "what she was mailed");
    expect((await boughtBy(entityIn(page))).paid, "1500,2900", "what she was charged");
    await lookAround(page, "6-paid-once");
  });

  let organisation = "";
  await step("her organisation has a plan and a customer of its own", async () => {
    await page.getByLabel("Name of the organisation").fill("Analytical Engines");
    await page.getByRole("button", { name: "Create" }).click();
    await page.getByText("for Analytical Engines").waitFor();
    await page.getByText("No plan yet").waitFor();
    organisation = entityIn(page);
    await page.getByLabel("Yearly").check();
    await choose(page, "Starter");
    await heading(page, "Subscribe");
    await page.getByLabel("Email").fill("office@example.com");
    await payFor(page, /^Subscribe/);
    await page.getByText("$90 per year").first().waitFor();
    await page.getByText("Active", { exact: true }).waitFor();
    await lookAround(page, "7-organisation");
    expect((await boughtBy(organisation)).paid, "9000", "what the organisation was charged");
    await page.getByLabel("Account").selectOption("Ada");
    await page.getByText("Ending").waitFor();
  });

  const grace = await visitor();
  await step("nobody acts for what is not theirs", async () => {
    const other = await signUp(grace, app.url, "Grace");
    const stranger = await visitor();
    for (const action of [
      "subscribe",
      "preview",
      "change",
      "cancel",
      "resume",
      "send",
      "invite",
      "remove",
      "pay",
      "portal",
    ]) {
      const request = { data: { key: action === "pay" ? "sends" : "starter:monthly" } };
      const address = `${app.url}/api/for/${organisation}/${action}`;
      const refused = await grace.request.post(address, request);
      expect((await refused.text()).includes("not yours"), true, `${action} by another is refused`);
      expect((await stranger.request.post(address, request)).status(), 401, `${action} by nobody`);
    }
    const account = await grace.request.get(`${app.url}/api/for/${organisation}`);
    expect(account.status(), 404, "the account, read by another");
    await other.goto(`${app.url}/for/${organisation}`);
    await other.getByText("for Grace").waitFor();
    await stranger.close();
  });

  await step("two tabs at once get one checkout page, which is paid once", async () => {
    const tabs = [await grace.newPage(), await grace.newPage()] as const;
    for (const tab of tabs) {
      await tab.goto(app.url);
      await tab.getByText("No plan yet").waitFor();
    }
    await Promise.all(tabs.map((tab) => choose(tab, "Starter")));
    for (const tab of tabs) {
      await tab.waitForURL(/\/c\/pay\//);
      await fillCard(tab, CARD);
    }
    expect(tabs[0].url(), tabs[1].url(), "the page of the other tab");
    await Promise.all(tabs.map((tab) => tab.getByRole("button", { name: "Subscribe" }).click()));
    const done = await Promise.all(
      tabs.map((tab) =>
        tab
          .getByText(/Active|You’re all done here/)
          .first()
          .textContent(),
      ),
    );
    const entity = entityIn(tabs[done.indexOf("Active")] ?? tabs[0]);
    const { subscriptions, paid } = await boughtBy(entity);
    expect(`${subscriptions.length} for ${paid}`, "1 for 900", "subscriptions");
  });

  await step("two tabs with two plans: the page that was opened last is the only one", async () => {
    const hedy = await visitor();
    const first = await signUp(hedy, app.url, "Hedy");
    const [second, stale] = [await hedy.newPage(), await hedy.newPage()];
    for (const tab of [second, stale]) await tab.goto(app.url);
    await choose(first, "Starter");
    await first.waitForURL(/\/c\/pay\//);
    await fillCard(first, CARD);
    await choose(second, "Studio");
    await second.waitForURL(/\/c\/pay\//);
    await first.getByRole("button", { name: "Subscribe" }).click();
    await heading(first, "This checkout has expired");
    await payFor(second, /^Subscribe/);
    await second.getByText("Active", { exact: true }).waitFor();
    // A tab from before, which still offers both.
    await choose(stale, "Starter");
    await stale.waitForURL(/\/p\/session\//);
    await lookAround(stale, "8-subscribed-already");
    const { subscriptions, paid } = await boughtBy(entityIn(second));
    expect(`${subscriptions.length} for ${paid}`, "1 for 2900", "subscriptions");
    await hedy.close();
  });

  await step(
    "forty requests at once, for two plans and an extra: one page of each kind",
    async () => {
      const crowd = await visitor();
      const entity = entityIn(await signUp(crowd, app.url, "Radia"));
      const plans = ["starter:monthly", "studio:monthly"];
      const answers = await Promise.all(
        Array.from({ length: 40 }, async (_, index) => {
          const [action, key] =
            index % 4 === 0 ? ["pay", "sends"] : ["subscribe", plans[index % 2]];
          const address = `${app.url}/api/for/${entity}/${action}`;
          const answer = await crowd.request.post(address, { data: { key } });
          return answer.status();
        }),
      );
      const { id: customer } = await customerOf(entity);
      const open = await stripe.checkout.sessions.list({ customer, status: "open", limit: 100 });
      const modes = open.data.map(({ mode }) => mode).sort();
      console.log(
        `    ${answers.filter((status) => status === 200).length} of 40 were given a page`,
      );
      expect(modes.join(), "payment,subscription", "pages on which something can be paid");
      await crowd.close();
    },
  );

  await step("ten invitations at once do not pass the plan's room", async () => {
    const crowd = await visitor();
    const address = `${app.url}/api/for/${entityIn(await signUp(crowd, app.url, "Katherine"))}`;
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, index) =>
        crowd.request.post(`${address}/invite`, { data: { emails: `${index}@example.com` } }),
      ),
    );
    const invited = answers.filter((answer) => answer.status() === 200);
    const { members } = await (await crowd.request.get(address)).json();
    expect(`${invited.length} of ${members.length}`, "2 of 2", "invited, and members");
    await crowd.close();
  });

  await step(
    "two letters, each ten times at once: the sends are enough for one, once",
    async () => {
      const crowd = await visitor();
      const address = `${app.url}/api/for/${entityIn(await signUp(crowd, app.url, "Annie"))}`;
      const answers = await Promise.all(
        Array.from({ length: 20 }, (_, index) =>
          crowd.request.post(`${address}/send`, {
            data: { id: `letter ${index % 2}`, readers: 60 },
          }),
        ),
      );
      const sent = answers.map((answer) => answer.status() === 200);
      const both = [0, 1].map((letter) => sent.filter((is, index) => is && index % 2 === letter));
      expect(
        both
          .map(({ length }) => length)
          .sort()
          .join(),
        "0,10",
        "answers that it was sent",
      );
      const { sends } = await (await crowd.request.get(address)).json();
      expect(sends.remaining, 40, "sends that are left");
      await crowd.close();
    },
  );

  const running = { url: app.url, stripe, double };
  await walkSends(browser, step, app.url, "node");
  await walkChange(browser, step, running, "node");
  await walkSeats(browser, step, running, "node");

  await step("a page that waits says so, and one that cannot be loaded; both go on", async () => {
    let answer = () => {};
    const waiting = new Promise<void>((resolve) => {
      answer = resolve;
    });
    await page.route("**/api/for/*", async (route) => {
      await waiting;
      await route.abort();
    });
    await page.reload();
    await page.getByText("$29").first().waitFor();
    await lookAround(page, "9-loading");
    answer();
    await page.getByText("That did not work").waitFor();
    await lookAround(page, "10-failed");
    await page.unroute("**/api/for/*");
    await page.getByRole("button", { name: "Try again" }).click();
    await page.getByText("Ending").waitFor();
    // As if Stripe had been too slow to tell of the payment before the page was loaded.
    const sends = { remaining: 100, resetsAt: null };
    const nothing = { json: { subscription: null, orders: [], members: [], room: 2, sends } };
    await page.route("**/api/for/*", (route) => route.fulfill(nothing), { times: 1 });
    await page.goto(`${app.url}/for/${organisation}?from=checkout`);
    await page.getByText("Your plan is here in a moment").waitFor();
    await page.getByText("Thank you! Starter is yours").waitFor();
    await page.getByLabel("Account").selectOption("Ada");
  });

  await step("she signs out, and in again; a wrong password does not do", async () => {
    await signOutAndIn(page, "11-wrong-password");
    await page.getByText("Ending").waitFor();
  });

  await step("nothing was mailed twice", async () => {
    const hers = "Your plan has begun,10,000 extra sends: thank you,Your plan has begun";
    expect(mailsTo("ada").join(), hers, "what was mailed to her, and for her organisation");
  });

  await step("the app complained of nothing", async () => {
    const lines = app.output().split("\n");
    const said = lines.filter(
      (line) =>
        !/^(Paperboat is at|Stripe is a double|Pay with the card|A mail to)|^\s*$/.test(line),
    );
    expect(said.join("\n"), "", "what it printed");
  });

  await ada.close();
  await grace.close();
  await app.stop();
  await server?.stop();
}
