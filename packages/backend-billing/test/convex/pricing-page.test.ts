// The functions that `generate pricing-page` writes for Convex, as they are written, under
// `convex-test` and against the double.
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import Stripe from "stripe";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createPatientDouble } from "../../../../support/patient-double.js";
import { placesFor } from "../../src/cli/generate/places.js";
import { pricingPage } from "../../src/cli/generate/pricing-page.js";
import { folderAt, inspectProject } from "../../src/cli/init/project.js";
import type { Variant } from "../../src/cli/init/templates.js";
import type { StripeDouble } from "../../src/testing/index.js";
import {
  type Backend,
  type Caller,
  install,
  leadToDouble,
  payAt,
  push,
  SITE,
} from "./example-kit.js";

const root = resolve(import.meta.dirname, "../../../..");
const templates = join(root, "packages/backend-billing/templates/pricing-page");

let double: StripeDouble;
let stripe: Stripe;
let backend: Backend;
let place: string;
let count = 0;

beforeEach(async () => {
  place = join(root, `artifacts/generated/convex-${process.pid}-${count++}`);
  double = await createPatientDouble({ seed: "pricing" });
  stripe = new Stripe(double.secretKey, double.stripeConfig);
  leadToDouble(double);
});
afterEach(async () => {
  await backend.close();
  vi.unstubAllEnvs();
  vi.unstubAllGlobals();
  await double.close();
  rmSync(place, { recursive: true, force: true });
});

const ENTITY_FOR = `export const entityFor = async (ctx) =>
  (await ctx.auth.getUserIdentity())?.subject ?? null;\n`;

/** An application with the generated functions; what is beside them is as `init` writes it. */
async function open(variant: Variant): Promise<Caller> {
  const folder = folderAt(place);
  const project = inspectProject(folder);
  const places = placesFor(folder, project, { platform: "convex", variant });
  const read = (path: string) => readFileSync(join(templates, path), "utf8");
  const module = variant === "A" ? "stripe" : "billing";
  const [create, exported] =
    variant === "A"
      ? ["createStripe", "stripe, store, sync, setup"]
      : ["createBilling", "billing, store, sync, portal, checkout, setup"];
  const files = {
    ...Object.fromEntries(
      pricingPage(project, places, read).map(({ path, content }) => [path, content]),
    ),
    "convex/entityFor.ts": ENTITY_FOR,
    "convex/catalogue.ts": read("app/catalogue.ts"),
    [`convex/${module}.ts`]: read("app/convex/billing.ts")
      .replace(/createBilling/g, create as string)
      .replace("../catalogue.js", "./catalogue")
      .replace(/export const \{[^}]*\}/, `export const { ${exported} }`),
    "convex/http.ts": `import { httpRouter } from "convex/server";
import { ${module} } from "./${module}";
const http = httpRouter();
${module}.addHttpRoutes(http);
export default http;\n`,
    "convex/schema.ts": `import { billingTables } from "backend-billing/convex/tables";
import { defineSchema } from "convex/server";
export default defineSchema({ ...billingTables });\n`,
  };
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(place, path)), { recursive: true });
    writeFileSync(join(place, path), content);
  }
  const generated = join(root, "examples/convex-billing/convex/_generated");
  cpSync(generated, join(place, "convex/_generated"), { recursive: true });
  const names = ["_generated/api.js", "_generated/server.js", `${module}.ts`, "pricing.ts"];
  const paths = [...names, "http.ts", "schema.ts"].map((name) => join(place, "convex", name));
  backend = await push(
    Object.fromEntries(paths.map((path) => [path, () => import(/* @vite-ignore */ path)])),
    double,
  );
  await fill();
  await install(backend, double, module);
  await backend.settle();
  return backend.as({ subject: "ada" });
}

/** What a push of the catalogue would make of two of its prices, by hand. */
async function fill(): Promise<void> {
  const product = await stripe.products.create({ id: "acme_team", name: "Team" });
  for (const [name, unit_amount, interval] of [
    ["monthly", 1250, "month"],
    ["yearly", 12_500, "year"],
  ] as const) {
    await stripe.prices.create({
      ...{ product: product.id, currency: "usd", unit_amount, recurring: { interval } },
      lookup_key: `acme:team:${name}`,
    });
  }
}

const key = "team:monthly";
type Chosen = { url: string } & { offer: { dueNow: number; quote: string } } & { done: true };
const choose = (by: Caller, args: object) =>
  by.action<Chosen>("pricing:choose", args as Record<string, unknown>);

describe("the generated functions", () => {
  it.each(["A", "B"] as const)("sell, change, end and take that back, in variant %s", async (v) => {
    const ada = await open(v);
    const state = () => ada.query("pricing:state");
    expect(await state()).toMatchObject({ status: "none", productId: null, payUrl: null });

    const { url } = await choose(ada, { key });
    expect(await backend.comeBack(await payAt(url))).toBe(`${SITE}/pricing`);
    const bought = { status: "active", productId: "acme_team", endsAt: null };
    expect(await state()).toMatchObject({
      ...bought,
      lookupKey: expect.stringMatching(/team:monthly$/),
    });

    const { offer } = await choose(ada, { key: "team:yearly" });
    expect(offer).toMatchObject({ currency: "usd", quote: expect.any(String) });
    expect(offer.dueNow).toBeGreaterThan(0);
    const changed = await choose(ada, { key: "team:yearly", quote: offer.quote });
    expect(changed).toEqual({ done: true });
    expect(await state()).toMatchObject({ lookupKey: expect.stringMatching(/team:yearly$/) });

    await ada.action("pricing:cancel");
    expect(await state()).toMatchObject({ status: "active", endsAt: expect.any(Number) });
    await ada.action("pricing:resume");
    expect(await state()).toMatchObject(bought);
    expect((await fetch(await ada.action<string>("pricing:portal"))).status).toBe(200);
  });

  it("refuse who is not signed in, and what is not for sale", async () => {
    const ada = await open("B");
    expect(await backend.query("pricing:state")).toBeNull();
    for (const name of ["portal", "cancel", "resume"]) {
      await expect(backend.action(`pricing:${name}`)).rejects.toThrow("Sign in first");
    }
    await expect(choose(backend, { key })).rejects.toThrow("Sign in first");
    await expect(choose(ada, { key: "gold:monthly" })).rejects.toThrow("This is not for sale");
    await expect(choose(ada, { key: "legacy:monthly" })).rejects.toThrow("retired");
    expect(double.objects("checkout.session")).toEqual([]);
  });
});
