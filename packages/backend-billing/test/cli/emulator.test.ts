// @module-tag slow
// `emulator` as a process: it says how to reach it, sends signed webhooks, and ends with 0.
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer, get } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Stripe from "stripe";
import { describe, expect, it, onTestFinished } from "vitest";
import { defineCatalogue, usd } from "../../src/catalogue/index.js";
import { runCommand, start } from "./command.js";
import { listening } from "./doctor-kit.js";

const timeout = 60_000;

/** Starts it and waits for what it says first. */
async function emulator(...args: readonly string[]) {
  return emulatorIn(undefined, "--no-state", ...args);
}

async function emulatorIn(cwd: string | undefined, ...args: readonly string[]) {
  const { child, ended } = start(["emulator", "--port", "0", ...args], cwd ? { cwd } : {});
  onTestFinished(() => {
    child.kill("SIGKILL");
  });
  const [first] = (await once(child.stdout, "data")) as [Buffer];
  return { child, ended, first: first.toString() };
}

interface Told {
  readonly url: string;
  readonly account: string;
  readonly secret_key: string;
  readonly webhook_secret: string;
  readonly stripe_options: Stripe.StripeConfig;
}

describe("emulator", { timeout }, () => {
  it("begins with the plans of a catalogue", async () => {
    const folder = await mkdtemp(join(tmpdir(), "emulator-plans-"));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    const plans = { pro: { name: "Pro", prices: { monthly: usd("20").monthly() } } };
    const catalogue = defineCatalogue({ app: "acme", plans });
    const text = `export const catalogue = ${JSON.stringify(catalogue)};`;
    await writeFile(join(folder, "plans.mjs"), text);
    const { child, first } = await emulatorIn(
      folder,
      "--no-state",
      "--catalogue",
      "plans.mjs",
      "--json",
    );
    const { secret_key, stripe_options } = JSON.parse(first) as Told;
    const { data } = await new Stripe(secret_key, stripe_options).prices.list();
    expect(data).toMatchObject([
      { lookup_key: "acme:pro:monthly", product: "acme_pro", unit_amount: 2000 },
    ]);
    child.kill("SIGINT");
  });

  it("is a Stripe that the SDK talks to, and that sends signed webhooks", async () => {
    const received: { body: string; signature: string }[] = [];
    const server = createServer(async (request, response) => {
      const parts = await request.toArray();
      const signature = String(request.headers["stripe-signature"]);
      received.push({ body: Buffer.concat(parts).toString(), signature });
      response.end();
    });
    onTestFinished(() => void server.close());
    const webhook = `${await listening(server)}/stripe/webhook`;
    const { child, ended, first } = await emulator("--webhook", webhook, "--seed", "7", "--json");
    const told = JSON.parse(first) as Told;
    const stripe = new Stripe(told.secret_key, told.stripe_options);
    await stripe.customers.create({ email: "ada@example.com" });
    await expect.poll(() => received.length).toBe(1);
    const [{ body, signature } = { body: "", signature: "" }] = received;
    const event = await stripe.webhooks.constructEventAsync(body, signature, told.webhook_secret);
    expect(event.type).toBe("customer.created");
    child.kill("SIGINT");
    expect(await ended).toMatchObject({ code: 0, stderr: "" });
    await expect(fetch(told.url)).rejects.toThrow();
  });

  it("says in words how to point an application at it", async () => {
    const { child, ended } = await emulator("--webhook", "http://localhost:3000/stripe/webhook");
    child.kill("SIGTERM");
    const { code, stdout } = await ended;
    expect(code).toBe(0);
    for (const part of [
      /STRIPE_SECRET_KEY=sk_test_\w{10}/,
      /STRIPE_WEBHOOK_SECRET=whsec_\w{10}/,
      /STRIPE_HOST=http:\/\/127\.0\.0\.1:\d+/,
      /stripe_host/,
      /Checkout {2}http:\/\/127\.0\.0\.1:\d+\/c\/pay/,
    ]) {
      expect(stdout).toMatch(part);
    }
  });

  it("gives the same key for the same seed", async () => {
    const keys = [];
    for (const seed of ["7", "7", "8"]) {
      const { child, first } = await emulator("--seed", seed, "--json");
      child.kill("SIGINT");
      keys.push((JSON.parse(first) as Told).secret_key);
    }
    expect(keys[1]).toBe(keys[0]);
    expect(keys[2]).not.toBe(keys[0]);
  });

  it("gives another account and another key at each fresh start", async () => {
    const told = [];
    for (const _ of [1, 2]) {
      const { child, first } = await emulator("--json");
      child.kill("SIGINT");
      told.push(JSON.parse(first) as Told);
    }
    expect(told[1]?.secret_key).not.toBe(told[0]?.secret_key);
    expect(told[1]?.account).not.toBe(told[0]?.account);
  });

  it("goes on where it was, also after it was killed, until it is told to start anew", async () => {
    const cwd = await mkdtemp(join(tmpdir(), "emulator-"));
    onTestFinished(() => rm(cwd, { recursive: true, force: true }));
    const webhook = "http://localhost:9/stripe/webhook";
    const first = await emulatorIn(cwd, "--json", "--webhook", webhook);
    const told = JSON.parse(first.first) as Told;
    const stripe = new Stripe(told.secret_key, told.stripe_options);
    const customer = await stripe.customers.create({ metadata: { entityId: "user_1" } });
    const other = await runCommand(["emulator", "--port", "0"], { cwd });
    expect(other).toMatchObject({ code: 2, stdout: "" });
    expect(other.stderr).toContain("is in use by the double");
    first.child.kill("SIGKILL");
    await first.ended;

    const second = await emulatorIn(cwd, "--json", "--webhook", webhook);
    const again = JSON.parse(second.first) as Told;
    expect(again).toMatchObject({ account: told.account, secret_key: told.secret_key });
    expect(again.webhook_secret).toBe(told.webhook_secret);
    const restored = new Stripe(again.secret_key, again.stripe_options);
    expect(await restored.customers.retrieve(customer.id)).toMatchObject({ id: customer.id });
    expect((await restored.customers.create({})).id).not.toBe(customer.id);
    expect((await restored.webhookEndpoints.list()).data).toHaveLength(1);
    second.child.kill("SIGINT");
    await second.ended;
    expect(await readFile(join(cwd, ".backend-billing/.gitignore"), "utf8")).toBe("*\n");

    const third = await emulatorIn(cwd, "--json", "--fresh");
    const anew = JSON.parse(third.first) as Told;
    expect(anew.account).not.toBe(told.account);
    expect(anew.secret_key).not.toBe(told.secret_key);
    third.child.kill("SIGINT");
    await third.ended;

    const seeded = await runCommand(["emulator", "--port", "0", "--seed", "7"], { cwd });
    expect(seeded.code).toBe(2);
    expect(seeded.stderr).toContain("--fresh");
  });

  it("answers to names of this machine only", async () => {
    const { first } = await emulator("--json");
    const { url, secret_key } = JSON.parse(first) as Told;
    const asked = (host: string) =>
      new Promise<number | undefined>((done, fail) => {
        const headers = { host, authorization: `Bearer ${secret_key}` };
        get(`${url}/v1/customers`, { headers }, (answer) => {
          answer.resume();
          done(answer.statusCode);
        }).on("error", fail);
      });
    expect(await asked("evil.example")).toBe(403);
    expect(await asked("localhost")).toBe(200);
  });

  it("says which port is taken, and what to do", async () => {
    const server = createServer();
    onTestFinished(() => void server.close());
    const { port } = new URL(await listening(server));
    const { code, stderr } = await runCommand(["emulator", "--no-state", "--port", port]);
    expect(code).toBe(2);
    expect(stderr).toContain(`Port ${port} is in use`);
    expect(stderr).toContain("--port 0");
  });

  it.each([
    ["--port", "70000"],
    ["--webhook", "localhost"],
  ])("refuses %s %s", async (...args) => {
    expect(await runCommand(["emulator", ...args])).toMatchObject({ code: 2, stdout: "" });
  });
});
