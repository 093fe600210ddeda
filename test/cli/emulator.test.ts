// `emulator` as a process: it says how to reach it, sends signed webhooks, and ends with 0.
import { once } from "node:events";
import { createServer } from "node:http";
import Stripe from "stripe";
import { describe, expect, it, onTestFinished } from "vitest";
import { runCommand, start } from "./command.js";
import { listening } from "./doctor-kit.js";

const timeout = 60_000;

/** Starts it and waits for what it says first. */
async function emulator(...args: readonly string[]) {
  const { child, ended } = start(["emulator", "--port", "0", ...args]);
  onTestFinished(() => {
    child.kill("SIGKILL");
  });
  const [first] = (await once(child.stdout, "data")) as [Buffer];
  return { child, ended, first: first.toString() };
}

interface Told {
  readonly url: string;
  readonly secret_key: string;
  readonly webhook_secret: string;
  readonly stripe_options: Stripe.StripeConfig;
}

describe("emulator", { timeout }, () => {
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
    await expect.poll(() => received.length, { timeout: 10_000 }).toBe(1);
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
      /stripe_options/,
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

  it("says which port is taken, and what to do", async () => {
    const server = createServer();
    onTestFinished(() => void server.close());
    const { port } = new URL(await listening(server));
    const { code, stderr } = await runCommand(["emulator", "--port", port]);
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
