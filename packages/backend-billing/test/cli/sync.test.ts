// @module-tag slow
// `sync` as a real process: it is interrupted by a real signal, goes on, and tells the truth.
import { execFile, spawnSync } from "node:child_process";
import { afterEach, describe, expect, it } from "vitest";
import { listedAtOnce } from "../../../../support/listed-at-once.js";
import { commandLine, runCommand } from "./command.js";
import { type Application, createApplication, until } from "./kit.js";

const CUSTOMERS = 3_000;
const LIST = "GET /v1/customers";
const LISTED = ["--resources", listedAtOnce.join(",")];
const ESCAPE = "\u001b";

let app: Application;
afterEach(() => app.close());

const rowsOf = async (table: string) =>
  Number((await app.query<{ n: string }>(`SELECT count(*) AS n FROM ${table}`))[0]?.n);

async function createPlan(): Promise<string> {
  const product = await app.stripe.products.create({ name: "Plan" });
  return product.id;
}

interface Result {
  runId: string;
  state: string;
  interrupted: boolean;
  resources: { [name: string]: { rows: number; state: string; error?: string } };
  process: { [name: string]: number };
}

describe("sync, interrupted by Ctrl-C", () => {
  it("ends with 130 and says how to go on, and the next one goes on where it was", async () => {
    app = await createApplication();
    app.double.populate({ object: "customer", count: CUSTOMERS });
    await app.query("CREATE SCHEMA whole");
    await app.run("migrate", "--schema", "whole");
    const whole = await app.runJson("sync", "--schema", "whole");
    expect(whole.code).toBe(0);
    const [alone, aloneInAll] = [app.double.requests.count(LIST), app.double.requests.count()];
    app.double.requests.clear();

    const { child, ended } = app.start("sync", "--rate", "8");
    await until(() => app.double.requests.count(LIST) >= 8);
    child.kill("SIGINT");
    const first = await ended;
    expect(first.code).toBe(130);
    expect(first.stdout).toContain("Run the same command again");
    const before = await rowsOf("billing.backend_billing_customers");
    expect(before).toBeGreaterThan(0);
    expect(before).toBeLessThan(CUSTOMERS);

    const { code, lines } = await app.runJson("sync");
    expect(code).toBe(0);
    const result = lines.at(-1) as Result;
    expect(result).toMatchObject({ state: "done", interrupted: false });
    expect(await rowsOf("billing.backend_billing_customers")).toBe(CUSTOMERS);
    // Pages that were under way are finished, so none is read twice but those that were fetched
    // ahead. How many pages there are depends on where the list was divided.
    const [stored] = await app.query(
      `SELECT sum((data ->> 'pages')::int)::int AS pages FROM billing.backend_billing_records
        WHERE kind = 'partition' AND data ->> 'task' = 'list' AND data ->> 'resource' = 'customers'`,
    );
    const pages = Number((stored as { pages: number }).pages);
    const listed = app.double.requests.count(LIST);
    expect(listed).toBeGreaterThanOrEqual(pages);
    expect(listed).toBeLessThanOrEqual(pages + 4);
    // Each process asks for its account.
    expect(app.double.requests.count() - listed).toBeLessThanOrEqual(aloneInAll - alone + 8);
    expect(result.process.seen).toBeLessThan(CUSTOMERS);
    expect(result.resources.customers?.rows).toBe(CUSTOMERS);
    const runs = await app.query(
      "SELECT id FROM billing.backend_billing_records WHERE kind = 'run'",
    );
    expect(runs).toHaveLength(1);
  });

  it("says under --json that it was interrupted", async () => {
    app = await createApplication();
    app.double.populate({ object: "customer", count: CUSTOMERS });
    const { child, ended } = app.start("sync", "--rate", "8", "--json");
    await until(() => app.double.requests.count(LIST) >= 3);
    child.kill("SIGINT");
    const { code, stdout } = await ended;
    expect(code).toBe(130);
    const last = JSON.parse(stdout.trimEnd().split("\n").at(-1) ?? "") as Result;
    expect(last).toMatchObject({ state: "running", interrupted: true });
  });

  it("stops at once at the second Ctrl-C", async () => {
    app = await createApplication();
    app.double.populate({ object: "customer", count: CUSTOMERS });
    // The turn of the next page comes after a quarter of an hour, which the first Ctrl-C waits for.
    const { child, ended } = app.start("sync", "--rate", "0.001", "--concurrency", "1");
    await until(() => app.double.requests.count() >= 2);
    let said = "";
    child.stderr?.on("data", (part: Buffer) => {
      said += part.toString();
    });
    child.kill("SIGINT");
    await until(() => said.includes("Once more to stop at once"));
    child.kill("SIGINT");
    expect((await ended).code).toBe(130);
  });
});

describe("sync, summed up", () => {
  it("counts what the double counted, and what the tables hold", async () => {
    app = await createApplication();
    app.double.populate({ object: "customer", count: 250 });
    await createPlan();
    app.double.requests.clear();
    const { code, lines } = await app.runJson("sync");
    const { process, resources } = lines.at(-1) as Result;
    expect(code).toBe(0);
    expect(process.requests).toBe(app.double.requests.count());
    expect(resources).toMatchObject({ customers: { rows: 250 }, products: { rows: 1 } });
    const stored =
      (await rowsOf("billing.backend_billing_customers")) +
      (await rowsOf("billing.backend_billing_products"));
    expect(process.stored).toBe(stored);
    const again = (await app.runJson("sync")).lines.at(-1) as Result;
    expect(again.process).toMatchObject({ stored: 0, unchanged: 251, deleted: 0 });
  });

  it("counts what Stripe refused with 429", async () => {
    app = await createApplication();
    app.double.faults.add({ fault: "rate_limited", times: 3, on: LIST });
    const { code, lines } = await app.runJson("sync");
    expect(code).toBe(0);
    const { process } = lines.at(-1) as Result;
    expect(app.double.requests.countStatus(429)).toBe(3);
    expect(process.limited).toBe(3);
  });

  it("names what failed, and ends with 1", async () => {
    app = await createApplication();
    const scopes = ["products", "prices", "customers", "subscriptions", "events", "accounts"];
    const key = app.double.restrictedKey(Object.fromEntries(scopes.map((name) => [name, "read"])));
    const args = ["sync", "--resources", "products,payouts", "--stripe-host", app.double.url];
    const env = { ...app.env, STRIPE_SECRET_KEY: key };
    const { code, stdout } = await runCommand(args, { env });
    expect(code).toBe(1);
    expect(stdout).toContain("✗ payouts: ");
    expect(stdout).toContain("Let the restricted key read payouts");
    expect(stdout).not.toContain("Synced");
  });
});

describe("sync --webhook", () => {
  const url = "https://app.example";

  it("makes the endpoint, and prints its secret only on request where nobody looks", async () => {
    app = await createApplication();
    const hidden = await app.run("sync", "--no-data", "--webhook", "--portal", "--url", url);
    expect(hidden.code).toBe(0);
    expect(hidden.stdout).toMatch(/Webhook endpoint we_\w+ created/);
    expect(hidden.stdout).toMatch(/Portal configuration bpc_\w+/);
    expect(hidden.stdout + hidden.stderr).not.toMatch(/whsec_\w/);
    const [endpoint] = app.double.objects("webhook_endpoint");
    expect(endpoint?.url).toBe(`${url}/stripe/webhook`);

    const other = ["--url", "https://other.example/stripe/webhook"];
    const shown = await app.runJson("sync", "--no-data", "--webhook", "--show-secret", ...other);
    expect(shown.lines.at(-1)).toMatchObject({
      webhook: { secret: expect.stringMatching(/^whsec_\w/) },
    });
  });

  it("wants the address", async () => {
    app = await createApplication();
    const { code, stderr } = await app.run("sync", "--webhook");
    expect(code).toBe(2);
    expect(stderr).toContain("--url https://app.example");
  });
});

describe("the look of sync", () => {
  it("is plain where there is no terminal", async () => {
    app = await createApplication();
    app.double.populate({ object: "customer", count: 2_000 });
    const env = { ...app.env, NO_COLOR: undefined, FORCE_COLOR: "1" };
    const args = ["sync", "--stripe-host", app.double.url, "--rate", "8", ...LISTED];
    const { code, stdout, stderr } = await runCommand(args, { env });
    expect(code).toBe(0);
    expect(stdout + stderr).not.toContain(ESCAPE);
    expect(stdout).toMatch(
      /^00:\d\d · reading lists · [\d.]+ requests\/s · .*under way: customers/m,
    );
    expect(stdout).toMatch(/customers +2,000/);
  });

  const script = spawnSync("script", ["--version"]);
  it.skipIf(script.status !== 0)(
    "is drawn anew on a terminal, without colour for NO_COLOR",
    async () => {
      app = await createApplication();
      app.double.populate({ object: "customer", count: 500 });
      const args = [...commandLine, "sync", "--stripe-host", app.double.url, ...LISTED].join(" ");
      const onTerminal = (more: { [name: string]: string }) => {
        const env = {
          PATH: process.env.PATH,
          HOME: process.env.HOME,
          TERM: "xterm",
          ...app.env,
          ...more,
        };
        return new Promise<string>((done) => {
          execFile("script", ["-qec", args, "/dev/null"], { env }, (_, stdout) => done(stdout));
        });
      };
      const coloured = await onTerminal({});
      expect(coloured).toContain(`${ESCAPE}[0J`); // erases the drawing before
      expect(coloured).toContain(`${ESCAPE}[32m✓`);
      expect(coloured).toMatch(/requests\/s/);
      const plain = await onTerminal({ NO_COLOR: "1" });
      expect(plain).toContain(`${ESCAPE}[0J`);
      expect(plain).not.toContain(`${ESCAPE}[32m`);
    },
  );
});

it("names what could not be stored, and so does status until it is stored", async () => {
  app = await createApplication();
  await app.query(
    "ALTER TABLE billing.backend_billing_products ADD CONSTRAINT no_poison CHECK (stripe ->> 'name' <> 'poison')",
  );
  await app.stripe.products.create({ name: "Good" });
  const { id } = await app.stripe.products.create({ name: "poison" });
  const said = new RegExp(
    `1 object could not be stored:\\n +products ${id}: .*\\n.*npx backend-billing doctor`,
  );
  expect((await app.run("sync")).stdout).toMatch(said);
  expect((await app.run("status")).stdout).toMatch(said);
  const { lines } = await app.runJson("status");
  expect(lines).toEqual([
    expect.objectContaining({ setAside: expect.objectContaining({ count: 1 }) }),
  ]);
  await app.query("ALTER TABLE billing.backend_billing_products DROP CONSTRAINT no_poison");
  expect((await app.run("reconcile")).code).toBe(0);
  expect((await app.run("status")).stdout).not.toMatch(said);
});
