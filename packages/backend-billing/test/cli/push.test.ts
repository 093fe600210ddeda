// @module-tag slow
// `push` and `pull` as processes, with catalogues in files, against the double.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import Stripe from "stripe";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createPatientDouble } from "../../../../support/patient-double.js";
import type { StripeDouble } from "../../src/testing/index.js";
import { runCommand } from "./command.js";
import { converse, hasScript } from "./converse.js";
import { jsonLines } from "./kit.js";

/** Catalogues of applications import the package by its name, which is not built here. */
const library = resolve(import.meta.dirname, "../../src/catalogue/index.js");

const fileOf = (amount: string, more = "") => `
  import { defineCatalogue, usd } from "${library}";
  const name: string = "Pro";
  export const catalogue = defineCatalogue({
    app: "acme",
    features: { sso: "boolean", calls: { meter: "calls" }, seats: { limit: "highest" } },
    plans: {
      free: { name: "Free", default: true },
      pro: {
        name,
        trialDays: 14,
        prices: { monthly: usd("${amount}").perSeat().monthly(), yearly: usd("200").yearly() },
        features: { sso: true, seats: "unlimited", calls: { included: 5, overage: usd("0.001"), cap: 9 } },
      },
      ${more}
    },
    packs: { "calls-100": { name: "100 calls", price: usd("5"), credits: { calls: 100 } } },
  });`;

let double: StripeDouble;
let stripe: Stripe;
let folder: string;

beforeEach(async () => {
  double = await createPatientDouble();
  stripe = new Stripe(double.secretKey, double.stripeConfig);
  folder = mkdtempSync(join(tmpdir(), "push-"));
});
afterEach(async () => {
  rmSync(folder, { recursive: true, force: true });
  await double.close();
});

function write(path: string, text: string): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), text);
}

const env = (key = double.secretKey) => ({ STRIPE_SECRET_KEY: key, STRIPE_HOST: double.url });

const run = (...args: string[]) => runCommand(args, { cwd: folder, env: env() });

async function runJson(...args: string[]) {
  const { code, stdout } = await run(...args, "--json");
  return { code, line: jsonLines(stdout)[0] as { [name: string]: unknown } };
}

const productIds = async () => (await stripe.products.list()).data.map(({ id }) => id).sort();

describe("push", () => {
  it("shows what it would do, does it on request, and then has nothing to do", async () => {
    write("billing/catalogue.ts", fileOf("20"));
    const shown = await run("push");
    expect(shown).toMatchObject({ code: 3, stderr: "" });
    expect(shown.stdout).toContain("billing/catalogue.ts → Stripe, test mode, app acme");
    expect(shown.stdout).toContain("+ price acme:pro:monthly, 20 USD each month, by the seat");
    expect(shown.stdout).toMatch(/11 requests to do: add --apply\./);
    expect(await productIds()).toEqual([]);

    const done = await run("push", "--apply");
    expect(done).toMatchObject({ code: 0, stderr: "" });
    expect(await productIds()).toEqual(["acme_free", "acme_pack_calls-100", "acme_pro"]);

    const again = await run("push");
    expect(again.code).toBe(0);
    expect(again.stdout).toContain("Stripe is as the catalogue says.");
  });

  it("says as JSON what it did, and that a new price takes the key over", async () => {
    write("catalogue.ts", fileOf("20"));
    await run("push", "--apply");
    write("catalogue.ts", fileOf("25"));
    const planned = await runJson("push");
    expect(planned).toMatchObject({ code: 3, line: { mode: "test", applied: false } });
    const { code, line } = await runJson("push", "--apply");
    expect(code).toBe(0);
    expect(line).toMatchObject({
      applied: true,
      operations: [],
      done: [
        { do: "create_price", key: "acme:pro:monthly", takesKey: true },
        { do: "set_default", product: "acme_pro" },
        { do: "archive_price", slot: "monthly" },
      ],
    });
  });

  it("shows an edit by hand, and overwrites it only when asked", async () => {
    write("src/catalogue.ts", fileOf("20"));
    await run("push", "--apply");
    await stripe.products.update("acme_pro", { name: "Best" });
    const shown = await run("push", "--apply");
    expect(shown.code).toBe(3);
    expect(shown.stdout).toContain("plans.pro: the product acme_pro was edited by hand:");
    expect(shown.stdout).toContain("name: Best → Pro");
    expect((await stripe.products.retrieve("acme_pro")).name).toBe("Best");
    expect((await run("push", "--apply", "--overwrite")).code).toBe(0);
    expect((await stripe.products.retrieve("acme_pro")).name).toBe("Pro");
  });

  it("makes a price anew that was deleted in the dashboard, though Stripe remembers the request", async () => {
    write("catalogue.ts", fileOf("20"));
    await run("push", "--apply");
    const [price] = (await stripe.prices.list({ lookup_keys: ["acme:calls-100"] })).data;
    await stripe.products.update("acme_pack_calls-100", { default_price: "" });
    double.dashboard.deletePrice(String(price?.id));
    expect((await run("push", "--apply")).code).toBe(0);
    const [again] = (await stripe.prices.list({ lookup_keys: ["acme:calls-100"] })).data;
    expect(again?.id).toBeDefined();
    expect(again?.id).not.toBe(price?.id);
  });

  it("changes a live account only with a word", async () => {
    write("catalogue.ts", fileOf("20"));
    const live = (...args: string[]) =>
      runCommand(["push", ...args], { cwd: folder, env: env(double.liveSecretKey) });
    expect(await live()).toMatchObject({ code: 3 });
    const refused = await live("--apply");
    expect(refused.code).toBe(2);
    expect(refused.stderr).toContain("Pass --live");
    expect(await live("--apply", "--live")).toMatchObject({ code: 0, stderr: "" });
    expect(await productIds()).toEqual([]);
  });

  const needs = "needs `script` of util-linux for a pseudo-terminal";
  it.skipIf(!hasScript)(`asks before a live account is changed (${needs})`, async () => {
    write("catalogue.ts", fileOf("20"));
    const options = { cwd: folder, env: env(double.liveSecretKey) };
    const no = await converse(["push", "--apply"], options, [[/live account/, "n"]]);
    expect(no).toMatchObject({ code: 130, unasked: 0 });
    expect(no.stdout).toContain("Nothing was changed.");
    const yes = await converse(["push", "--apply"], options, [[/live account/, "y"]]);
    expect(yes).toMatchObject({ code: 0, unasked: 0 });
  });

  it("names what a restricted key lacks", async () => {
    write("catalogue.ts", fileOf("20"));
    const key = double.restrictedKey({ products: "write", "billing/meters": "write" });
    const { code, stderr } = await runCommand(["push"], { cwd: folder, env: env(key) });
    expect(code).toBe(2);
    expect(stderr).toMatch(/lacks rak_plan_read\..*Products: Write, Prices: Write/);
    expect(stderr).toContain("permissions[]=rak_product_write");
  });

  it.each([
    ["no file", undefined, /There is no catalogue here/],
    ["another export", "export const plans = 1;", /exports no catalogue/],
    ["a syntax error", "export const = 1;", /catalogue\.ts cannot be loaded/],
    [
      "a catalogue with problems",
      `import { defineCatalogue } from "${library}";
       export default defineCatalogue({ app: "a!", plans: {} });`,
      /The catalogue has a problem:\n- app: "a!"/,
    ],
    [
      "a catalogue without a name",
      `import { defineCatalogue } from "${library}"; export default defineCatalogue({});`,
      /has no `app`/,
    ],
  ])("is used wrongly with %s", async (_, text, message) => {
    if (text !== undefined) write("catalogue.ts", text);
    const { code, stderr } = await run("push");
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringMatching(message) });
  });
});

describe("pull", () => {
  it("writes a file with which push has nothing to do, and lists the rest", async () => {
    write(
      "catalogue.ts",
      fileOf("20", `old: { name: "Old", prices: { once: usd("1").every(3, "month") } },`),
    );
    await run("push", "--apply");
    write(
      "catalogue.ts",
      fileOf(
        "20",
        `older: { name: "Old", was: "old", retired: true, prices: { once: usd("1").every(3, "month") } },`,
      ),
    );
    await run("push", "--apply");
    await stripe.products.create({ id: "poster", name: "Poster" });
    const pulled = await run("pull", "--out", "pulled/catalogue.ts");
    expect(pulled).toMatchObject({ code: 0, stderr: "" });
    expect(pulled.stdout).toContain('· product poster, "Poster"');
    const text = readFileSync(join(folder, "pulled/catalogue.ts"), "utf8");
    expect(text).toMatchInlineSnapshot(`
      "import { defineCatalogue, usd } from "backend-billing/catalogue";

      export const catalogue = defineCatalogue({
        app: "acme",
        features: { sso: "boolean", seats: { limit: "highest" }, calls: { meter: "calls" } },
        plans: {
          free: { name: "Free", default: true },
          pro: {
            name: "Pro",
            trialDays: 14,
            prices: { monthly: usd("20").perSeat().monthly(), yearly: usd("200").yearly() },
            features: {
              sso: true,
              seats: "unlimited",
              calls: { included: 5, overage: usd("0.001"), cap: 9 },
            },
          },
          older: {
            name: "Old",
            was: "old",
            retired: true,
            prices: { once: usd("1").every(3, "month") },
          },
        },
        packs: { "calls-100": { name: "100 calls", price: usd("5"), credits: { calls: 100 } } },
      });
      "
    `);
    write("again.ts", text.replace("backend-billing/catalogue", library));
    expect(await run("push", "--catalogue", "again.ts")).toMatchObject({ code: 0 });
    const twice = await run("pull", "--out", "pulled/catalogue.ts");
    expect(twice.code).toBe(2);
  });

  it("prints the file, and asks whose plans where several applications push", async () => {
    expect((await run("pull")).stderr).toContain("Push has made nothing");
    write("catalogue.ts", fileOf("20"));
    await run("push", "--apply");
    expect((await run("pull")).stdout).toMatch(/^import \{ defineCatalogue, usd \}/);
    write("catalogue.ts", fileOf("20").replace('"acme"', '"other"'));
    await run("push", "--apply");
    expect(await run("pull")).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("acme, other. Say which: --app acme"),
    });
    const { code, line } = await runJson("pull", "--app", "other");
    expect({ code, app: line.app }).toEqual({ code: 0, app: "other" });
    expect(line.unmanaged).toContainEqual(expect.objectContaining({ id: "acme_pro", app: "acme" }));
  });
});
