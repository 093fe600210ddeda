/**
 * Stands in for a deployment of examples/convex: its own functions and routes under `convex-test`,
 * over HTTP, with its page, which `convex-client.ts` connects, and a double of Stripe. It is a
 * process of its own, because Stripe's package must be the build that Convex takes.
 */
import { readdirSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import { join, resolve } from "node:path";
import { type FunctionReference, type FunctionType, makeFunctionReference } from "convex/server";
import { ConvexError } from "convex/values";
import { convexTest } from "convex-test";
import Stripe from "stripe";
import { catalogue } from "../../examples/convex/convex/catalogue.js";
import { createPatientDouble } from "../../support/patient-double.js";

const [port = "", page = ""] = process.argv.slice(2);
const folder = resolve(import.meta.dirname, "../../examples/convex/convex");
const origin = `http://localhost:${port}`;
const double = await createPatientDouble({ seed: "convex", catalogue });
// The functions read their secrets when they are loaded, so the endpoint comes first.
const stripe = new Stripe(double.secretKey, double.stripeConfig);
const endpoint = { url: `${origin}/stripe/webhook`, enabled_events: ["*" as const] };
const { secret } = await stripe.webhookEndpoints.create(endpoint);
Object.assign(process.env, {
  STRIPE_SECRET_KEY: double.secretKey,
  STRIPE_WEBHOOK_SECRET: secret,
  CONVEX_SITE_URL: origin,
  SITE_URL: origin,
});

// Stripe is at a host that nobody configures.
const { fetch } = globalThis;
globalThis.fetch = (to, init) =>
  fetch(typeof to === "string" ? to.replace("https://api.stripe.com", double.url) : to, init);

const files = readdirSync(folder, { recursive: true, encoding: "utf8" });
const modules = Object.fromEntries(
  files
    .filter((file) => /(?<!\.d)\.[jt]s$/.test(file))
    .map((file) => [`./${file}`, () => import(join(folder, file))]),
);
const { default: schema } = await import(join(folder, "schema.ts"));
const backend = convexTest({ schema, modules });

type Call = (to: FunctionReference<FunctionType>, args: object) => Promise<unknown>;
const calls = backend as unknown as Record<FunctionType, Call>;

async function call(body: string): Promise<object> {
  const { kind, path, args }: { kind: FunctionType; path: string; args: object } = JSON.parse(body);
  const [file = "", name = ""] = path.split(":");
  // A browser reaches public functions only; that is the platform's rule.
  const found = (await modules[`./${file}.ts`]?.())?.[name];
  if (!found?.isPublic) return { refusal: `There is no public function ${path}` };
  try {
    return { value: await calls[kind](makeFunctionReference(path), args) };
  } catch (error) {
    if (error instanceof ConvexError) return { refusal: error.data };
    throw error;
  }
}

createServer(async (request, response) => {
  try {
    let body = "";
    for await (const chunk of request) body += chunk;
    const { url = "/", method = "GET" } = request;
    if (url.startsWith("/stripe/")) {
      const headers = { "stripe-signature": String(request.headers["stripe-signature"]) };
      const answer = await backend.fetch(url, { method, headers, ...(body && { body }) });
      response.writeHead(answer.status, Object.fromEntries(answer.headers));
      response.end(await answer.text());
    } else if (url === "/call") {
      response.end(JSON.stringify(await call(body)));
    } else {
      const file = url.startsWith("/assets/") ? url : "/index.html";
      const types = { css: "text/css", html: "text/html", js: "text/javascript" };
      const type = types[file.split(".").at(-1) as keyof typeof types];
      response.writeHead(200, { "Content-Type": type });
      response.end(readFileSync(join(page, file)));
    }
  } catch (error) {
    console.error(error);
    response.writeHead(500).end();
  }
}).listen(Number(port), "localhost", async () => {
  await backend.action(makeFunctionReference<"action">("stripe:sync"), { portal: true });
  console.log(`ready ${double.url} ${double.secretKey}`);
});
