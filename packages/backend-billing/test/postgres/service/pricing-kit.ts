/** The routes that `generate pricing-page` writes, in an application over real HTTP. */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { getRequestListener } from "@hono/node-server";
import { onTestFinished, vi } from "vitest";
import { defineCatalogue, usd } from "../../../src/catalogue/index.js";
import { placesFor } from "../../../src/cli/generate/places.js";
import { pricingPage } from "../../../src/cli/generate/pricing-page.js";
import { folderAt, inspectProject } from "../../../src/cli/init/project.js";
import type { Variant } from "../../../src/cli/init/templates.js";
import { packageRoot } from "../../../src/cli/package-root.js";
import { type App, type AppOptions, NOW } from "./kit.js";

const prices = { monthly: usd("20").monthly(), yearly: usd("200").yearly() };
/** @public The files that are loaded import it. */
export const catalogue = defineCatalogue({
  app: "acme",
  plans: {
    free: { name: "Free", default: true },
    solo: { name: "Solo", prices },
    pro: { name: "Pro", prices: { monthly: usd("50").monthly() }, trialDays: 14 },
    old: { name: "Old", prices, retired: true },
  },
});

/** What a push of the catalogue would make, by hand. */
async function fill({ stripe }: App): Promise<void> {
  for (const [name, plan] of Object.entries(catalogue.plans)) {
    if (!("prices" in plan)) continue;
    const { id: product } = await stripe.products.create({ id: `acme_${name}`, name: plan.name });
    for (const [key, { amount, interval }] of Object.entries(plan.prices)) {
      await stripe.prices.create({
        product,
        currency: "usd",
        unit_amount: amount,
        recurring: { interval },
        lookup_key: `acme:${name}:${key}`,
      });
    }
  }
}

type Routes = (request: Request) => Promise<Response | undefined>;

let loading: App | undefined;
/** @public The application whose files are being loaded: their `billing.ts` finds it here. */
export const loaded = (): App => loading as App;

const scratch = resolve(import.meta.dirname, "../../../../../artifacts/generated");
let count = 0;

async function loadRoutes(app: App, variant: Variant): Promise<Routes> {
  const place = join(scratch, `${process.pid}-${process.env.VITEST_POOL_ID}-${count++}`);
  onTestFinished(() => rmSync(place, { recursive: true, force: true }));
  const folder = folderAt(place);
  const project = inspectProject(folder);
  const templates = new URL("templates/pricing-page/", packageRoot);
  const files = pricingPage(project, placesFor(folder, project, { variant }), (path) =>
    readFileSync(new URL(path, templates), "utf8"),
  );
  const kit = JSON.stringify(import.meta.filename);
  const side = variant === "A" ? "stripe, store } = loaded().a" : "billing, store } = loaded().b";
  const own = {
    "billing.ts": `import { loaded } from ${kit};\nexport const { ${side};\n`,
    "catalogue.ts": `export { catalogue } from ${kit};\n`,
    "pricing/entity-for.ts":
      'export const entityFor = async (request: Request) => request.headers.get("x-person");\n',
  };
  const all = Object.fromEntries(files.map(({ path, content }) => [path, content]));
  for (const [path, content] of Object.entries({ ...all, ...own })) {
    mkdirSync(dirname(join(place, path)), { recursive: true });
    writeFileSync(join(place, path), content);
  }
  loading = app;
  vi.stubEnv("BASE_URL", app.url);
  const { pricingRoutes } = await import(join(place, "pricing/pricing-routes.ts"));
  vi.unstubAllEnvs();
  return pricingRoutes;
}

export interface Answer {
  readonly status: number;
  readonly said: {
    readonly url?: string;
    readonly offer?: { readonly quote: string };
    readonly error?: { readonly code: string; readonly message: string };
  };
}

export interface Shop {
  readonly app: App;
  state(): Promise<Answer["said"]>;
  post(name: string, sent?: object, headers?: object): Promise<Answer>;
  ask(path: string, init?: RequestInit): Promise<Answer>;
}

/** An application with the page's routes, and something to sell; a person is signed in. */
export async function openShop(
  open: (options?: AppOptions) => Promise<App>,
  variant: Variant = "B",
): Promise<Shop> {
  let routes: Routes = async () => undefined;
  const listener = getRequestListener(
    async (request) => (await routes(request)) ?? new Response("Not ours", { status: 404 }),
    { overrideGlobalObjects: false },
  );
  const app = await open({
    endpoint: false,
    stripe: { now: NOW },
    config: { catalogue },
    handler: (request, response, next) =>
      request.url?.startsWith("/stripe/") ? next(request, response) : listener(request, response),
  });
  routes = await loadRoutes(app, variant);
  await fill(app);
  const ask = async (path: string, init?: RequestInit): Promise<Answer> => {
    const answer = await fetch(`${app.url}${path}`, init);
    const text = await answer.text();
    return { status: answer.status, said: text.startsWith("{") ? JSON.parse(text) : { text } };
  };
  const person = { "x-person": "user_1" };
  return {
    app,
    ask,
    state: async () => (await ask("/api/pricing/state", { headers: person })).said,
    post: (name, sent = {}, headers = { origin: app.url, ...person }) =>
      ask(`/api/pricing/${name}`, {
        method: "POST",
        headers: { "content-type": "application/json", ...headers },
        body: JSON.stringify(sent),
      }),
  };
}
