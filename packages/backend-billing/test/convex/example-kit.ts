/**
 * An example's own files under `convex-test`, against the double. The files read their secrets from
 * the environment, as they do in a deployment.
 */
import {
  type FunctionType,
  type GenericSchema,
  makeFunctionReference,
  type SchemaDefinition,
} from "convex/server";
import { convexTest, type TestConvex } from "convex-test";
import { vi } from "vitest";
import { cancelAll } from "../../../../support/spec/platforms/convex-deployment.js";
import type { StripeDouble } from "../../src/testing/index.js";

declare global {
  interface ImportMeta {
    /** Vite's: the files that match, each to be imported by a call. */
    glob(pattern: string): Files;
  }
}

export type Files = { [path: string]: () => Promise<Record<string, unknown>> };
type Schema = SchemaDefinition<GenericSchema, boolean>;
type Args = Record<string, unknown>;
type Identity = Parameters<TestConvex<Schema>["withIdentity"]>[0];

/** Where the backend's routes and the application's pages are, as far as anybody can tell. */
const BACKEND = "https://happy-animal-123.convex.site";
export const SITE = "https://app.example";

/** Somebody who calls functions by name, such as `billing:sync`. */
export interface Caller {
  query<Result>(path: string, args?: Args): Promise<Result>;
  mutation<Result>(path: string, args?: Args): Promise<Result>;
  action<Result>(path: string, args?: Args): Promise<Result>;
}

export interface Backend extends Caller {
  as(identity: Identity): Caller;
  /** Opens an address of the backend in a browser; answers where that leads to. */
  comeBack(url: string): Promise<string | null>;
  /** Resolves once nothing is running and nothing is scheduled soon. */
  settle(): Promise<void>;
  /** Ends what is running, and forgets what is scheduled. */
  close(): Promise<void>;
}

/** As `npx convex env set` does, which every function sees from then on. */
function setEnvironment(variables: { readonly [name: string]: string | undefined }): void {
  for (const [name, value] of Object.entries(variables)) vi.stubEnv(name, value);
  vi.resetModules();
}

/** Stripe is at a host that nobody configures, so requests to it are led to the double. */
export function leadToDouble(double: StripeDouble): void {
  const real = globalThis.fetch;
  vi.stubGlobal("fetch", (address: string, init?: RequestInit) => {
    const url = new URL(address);
    return real(
      url.host === "api.stripe.com" ? `${double.url}${url.pathname}${url.search}` : url,
      init,
    );
  });
}

/** Pushes an example before any secret is set: every file must load. */
export async function push(files: Files, double: StripeDouble): Promise<Backend> {
  setEnvironment({ STRIPE_SECRET_KEY: undefined, STRIPE_WEBHOOK_SECRET: undefined });
  const loaded: { [path: string]: Record<string, unknown> } = {};
  for (const [path, load] of Object.entries(files)) loaded[path] = await load();
  const [, schema] = Object.entries(loaded).find(([path]) => path.endsWith("/schema.ts")) ?? [];
  const test = convexTest({ schema: schema?.default as Schema, modules: files });
  const fetch = async (request: Request) => {
    const { pathname, search } = new URL(request.url);
    const body = request.method === "GET" ? null : await request.text();
    const { method, headers } = request;
    return test.fetch(`${pathname}${search}`, { method, headers, body });
  };
  double.answer(BACKEND, fetch);
  return {
    ...callerOf(test),
    as: (identity) => callerOf(test.withIdentity(identity)),
    comeBack: async (url) => (await fetch(new Request(url))).headers.get("location"),
    settle: () => double.settle(test),
    close: () => cancelAll(test as never),
  };
}

function callerOf(test: Pick<TestConvex<Schema>, "query" | "mutation" | "action">): Caller {
  const to = <T extends FunctionType, Result>(path: string) =>
    makeFunctionReference<T, Args, Result>(path);
  return {
    query: (path, args = {}) => test.query(to<"query", never>(path), args),
    mutation: (path, args = {}) => test.mutation(to<"mutation", never>(path), args),
    action: (path, args = {}) => test.action(to<"action", never>(path), args),
  };
}

/** What a newcomer does: sets the key, runs `sync`, and sets the secret that it answers. */
export async function install(
  backend: Backend,
  double: StripeDouble,
  module: string,
): Promise<void> {
  setEnvironment({
    STRIPE_SECRET_KEY: double.secretKey,
    CONVEX_SITE_URL: BACKEND,
    SITE_URL: SITE,
  });
  const report = await backend.action<{ webhook: { secret: string } }>(`${module}:sync`, {
    webhook: true,
    portal: true,
  });
  setEnvironment({ STRIPE_WEBHOOK_SECRET: report.webhook.secret });
}

/** Fills in the form of one of the double's pages; answers where the browser is sent to, if it is. */
export async function submit(url: string, fields: Record<string, string> = {}): Promise<string> {
  const body = new URLSearchParams(fields);
  const answer = await fetch(url, { method: "POST", body, redirect: "manual" });
  return answer.headers.get("location") ?? "";
}

/** Pays on Stripe's page, as a browser does; answers the way back, which is empty if it was refused. */
export function payAt(url: string): Promise<string> {
  const card = { number: "4242424242424242", expiry: "12/34", cvc: "123", name: "Ada Lovelace" };
  return submit(url, { ...card, email: "ada@example.com" }); // asked for if the customer has none
}
