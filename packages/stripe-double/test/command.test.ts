// The command `stripe-double`, as a process of its own.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";
import { resolve } from "node:path";
import { createInterface } from "node:readline";
import Stripe from "stripe";
import { describe, expect, it, onTestFinished } from "vitest";

const MAIN = resolve(import.meta.dirname, "../src/command/main.ts");

function start(...args: string[]): ChildProcess {
  const child = spawn(process.execPath, ["--import", "tsx", MAIN, ...args], { stdio: "pipe" });
  onTestFinished(() => void child.kill("SIGKILL"));
  return child;
}

/** Everything that a process says until it ends, and how it ends. */
async function ended(child: ChildProcess) {
  const said = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"] as const) {
    child[name]?.on("data", (part: Buffer) => {
      said[name] += part.toString();
    });
  }
  const [code, signal] = (await once(child, "close")) as [number | null, string | null];
  return { ...said, code, signal };
}

async function firstLine(child: ChildProcess): Promise<string> {
  const [line] = await once(createInterface({ input: child.stdout ?? process.stdin }), "line");
  return line as string;
}

describe("the command", () => {
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    it(`says where it listens, answers there, and stops on ${signal}`, async () => {
      const child = start("--port", "0", "--json", "--seed", "7");
      const end = ended(child);
      const said = JSON.parse(await firstLine(child)) as { [name: string]: string };
      expect(said).toMatchObject({ seed: "7", control: `${said.url}/_double` });
      const { hostname, port } = new URL(said.url ?? "");
      const stripe = new Stripe(said.secret_key ?? "", { host: hostname, port, protocol: "http" });
      await expect(stripe.customers.create({ name: "Ada" })).resolves.toMatchObject({
        object: "customer",
      });
      child.kill(signal);
      await expect(end).resolves.toMatchObject({ code: 0, stderr: "" });
      await expect(fetch(said.url ?? "")).rejects.toThrow();
    });
  }

  it("says the same in words, for a person", async () => {
    const child = start("--port", "0", "--webhook", "http://localhost:3000/stripe/webhook");
    const end = ended(child);
    expect(await firstLine(child)).toMatch(
      /^A Stripe of your own listens on http:\/\/127\.0\.0\.1:\d+\. No money moves\.$/,
    );
    child.kill("SIGINT");
    const { stdout, code } = await end;
    expect(code).toBe(0);
    expect(stdout).toMatch(/STRIPE_SECRET_KEY=sk_test_\w+/);
    expect(stdout).toMatch(/STRIPE_WEBHOOK_SECRET=whsec_\w+/);
  });

  it("exits with 2 and says why when it is called in a wrong way", async () => {
    const wrong: [string[], RegExp][] = [
      [["--colour"], /Unknown option '--colour'/],
      [["--port", "many"], /^--port must be a number from 0 to 65535\.\n$/],
      [["--port", "65536"], /^--port must be a number from 0 to 65535\.\n$/],
      [["--webhook", "localhost:3000"], /^--webhook must be like http:\/\/localhost:3000/],
      [["--port", "0", "--now", "yesterday"], /^--now must be a moment in time, such as 2026/],
    ];
    const ends = await Promise.all(wrong.map(([args]) => ended(start(...args))));
    for (const [index, [args, reason]] of wrong.entries()) {
      const { code, stdout, stderr } = ends[index] ?? {};
      expect({ args, code, stdout }).toEqual({ args, code: 2, stdout: "" });
      expect(stderr).toMatch(reason);
      expect(stderr).not.toContain("    at "); // no stack
    }
  });

  it("exits with 2 when the port is taken, and says how to choose another", async () => {
    const other = createServer().listen(0, "127.0.0.1");
    onTestFinished(() => void other.close());
    await once(other, "listening");
    const { port } = other.address() as { port: number };
    const { code, stderr } = await ended(start("--port", String(port)));
    expect(code).toBe(2);
    expect(stderr).toMatch(/EADDRINUSE.*--port 0/);
  });

  it("prints how it is used", async () => {
    const help = await ended(start("--help"));
    expect(help).toMatchObject({ code: 0, stdout: expect.stringMatching(/^Usage: stripe-double/) });
  });
});
