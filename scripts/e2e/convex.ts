/**
 * The page of examples/convex in a browser, with its own functions behind it. Convex itself is stood
 * in for, by convex-server.ts and convex-client.ts; the rest is the example's own.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import type { Browser } from "playwright-core";
import Stripe from "stripe";
import { build } from "vite";
import { heading, LAPTOP, lookAround, PATIENCE } from "./browser.js";
import { freePort } from "./example.js";
import { payFor, signOutAndIn } from "./paperboat.js";
import { walkChange, walkSeats } from "./running.js";
import { walkSends } from "./sends.js";
import { expect, type Step } from "./steps.js";

const root = resolve(import.meta.dirname, "../..");

export async function walkConvex(browser: Browser, step: Step): Promise<void> {
  const dist = await mkdtemp(join(tmpdir(), "page-"));
  await build({
    root: join(root, "examples/convex"),
    logLevel: "warn",
    resolve: { alias: { "convex/react": join(import.meta.dirname, "convex-client.ts") } },
    build: { outDir: dist, emptyOutDir: true },
  });
  const app = await startServer(dist);
  const context = await browser.newContext({ viewport: LAPTOP });
  context.setDefaultTimeout(PATIENCE);
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on("pageerror", ({ message }) => complaints.push(message));
  const charged = async () => {
    const charges = await app.stripe.charges.list();
    return charges.data.map(({ amount }) => amount).join();
  };

  await step("a visitor sees what there is, and what it costs", async () => {
    await page.goto(app.url);
    await page.getByText("$29").waitFor();
    await lookAround(page, "convex-1-landing");
  });

  await step("she signs up, subscribes, and is active when she comes back", async () => {
    await page.getByRole("button", { name: "Choose Studio" }).click();
    await page.getByLabel("Name").fill("Ada");
    await page.getByLabel("Email").fill("ada@example.com");
    await page.getByLabel("Password").fill("correct horse");
    await page.getByRole("button", { name: "Create account" }).click();
    await page.getByText("No plan yet").waitFor();
    await lookAround(page, "convex-2-no-plan");
    await page.getByRole("button", { name: "Choose Studio" }).click();
    await heading(page, "Subscribe");
    await payFor(page, /^Subscribe/);
    await page.getByText("Thank you! Studio is yours").waitFor();
    await lookAround(page, "convex-3-active");
  });

  await step("she cancels in the portal, and a tab that is open says when it ends", async () => {
    const other = await context.newPage();
    await other.goto(app.url);
    await other.getByText("Active", { exact: true }).waitFor();
    await page.getByRole("button", { name: "Manage billing" }).click();
    await page.getByRole("link", { name: "Cancel plan" }).click();
    await page.getByRole("button", { name: "Cancel plan" }).click();
    await other.getByText("Ends on").waitFor();
    await other.close();
    await page.getByRole("link", { name: "Return to the website" }).click();
    await page.getByText("Ends on").waitFor();
    await lookAround(page, "convex-4-ending");
  });

  await step("she buys something once, and it is noted as paid", async () => {
    await page.getByRole("button", { name: "Buy for $15" }).click();
    await payFor(page, /^Pay/);
    await page.getByText(/^Paid on \d/).waitFor();
    await lookAround(page, "convex-5-paid-once");
  });

  await step("two tabs of her organisation get one page, which is paid once", async () => {
    await page.getByLabel("Name of the organisation").fill("Analytical Engines");
    await page.getByRole("button", { name: "Create" }).click();
    await page.getByText("for Analytical Engines").waitFor();
    const other = await context.newPage();
    await other.goto(page.url());
    const tabs = [page, other];
    for (const tab of tabs) await tab.getByText("No plan yet").waitFor();
    await Promise.all(
      tabs.map((tab) => tab.getByRole("button", { name: "Choose Starter" }).click()),
    );
    for (const tab of tabs) await heading(tab, "Subscribe");
    expect(page.url(), other.url(), "the page of the other tab");
    await page.getByLabel("Email").fill("office@example.com");
    await payFor(page, /^Subscribe/);
    await page.getByText("Active", { exact: true }).waitFor();
    expect(await charged(), "900,1500,2900", "what was charged, the latest first");
    await other.close();
  });

  await walkSends(browser, step, app.url, "convex");
  await walkChange(browser, step, app, "convex");
  await walkSeats(browser, step, app, "convex");

  await step("she signs out, and in again; a wrong password does not do", async () => {
    await signOutAndIn(page, "convex-6-wrong-password");
    await page.getByText("Ending").waitFor();
  });

  await step("neither the page nor the functions complained", async () => {
    expect([...complaints, app.complaints()].join("\n"), "", "what they said");
  });

  await context.close();
  await app.stop();
  await rm(dist, { recursive: true });
}

async function startServer(dist: string) {
  const port = String(await freePort());
  // Stripe's build for workers is the one that Convex takes.
  const args = ["--conditions=worker", "--import", "tsx", "scripts/e2e/convex-server.ts"];
  const child = spawn(process.execPath, [...args, port, dist], {
    cwd: root,
    stdio: ["ignore", "pipe", "pipe"],
  });
  process.once("exit", () => child.kill());
  const said = { stdout: "", stderr: "" };
  const [, address = "", key = ""] = await new Promise<RegExpExecArray>((done, fail) => {
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      said.stderr += text;
    });
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      said.stdout += text;
      const ready = /ready (\S+) (\S+)\n/.exec(said.stdout);
      if (ready) done(ready);
    });
    child.once("exit", () => fail(new Error(`The stand-in ended.\n${said.stderr}`)));
  });
  const { hostname, port: at } = new URL(address);
  return {
    url: `http://localhost:${port}`,
    double: address,
    stripe: new Stripe(key, { protocol: "http", host: hostname, port: Number(at) }),
    complaints: () => said.stderr,
    async stop() {
      const ended = once(child, "exit");
      child.kill();
      await ended;
    },
  };
}
