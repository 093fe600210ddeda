/** What to type, by platform: fixes name these. */
export type PlatformName = "node-postgres" | "convex";

/** Texts that any finding may name. */
export interface Commands {
  readonly setKey: string;
  readonly setSecret: string;
  readonly sync: string;
  readonly syncWebhook: string;
  /** The same, and other endpoints at the address are disabled. */
  readonly replaceWebhook: string;
  readonly syncPortal: string;
  /** Writes the application's name into linked customers. */
  readonly fixCustomers: string;
  readonly migrate: string;
  readonly mount: string;
}

export interface Place {
  readonly platform: PlatformName;
  /** On Convex, the file of the library's exports. */
  readonly module?: string;
}

export function commandsOf({ platform, module }: Place, base = "https://app.example"): Commands {
  return platform === "convex" ? convex(module ?? "billing") : node(base);
}

const node = (base: string): Commands => ({
  setKey: "STRIPE_SECRET_KEY=sk_…",
  setSecret: "STRIPE_WEBHOOK_SECRET=whsec_…",
  sync: "npx backend-billing sync",
  syncWebhook: `npx backend-billing sync --no-data --webhook --url ${base}`,
  replaceWebhook: `npx backend-billing sync --no-data --webhook --replace --url ${base}`,
  syncPortal: "npx backend-billing sync --no-data --portal",
  fixCustomers: "npx backend-billing doctor --fix",
  migrate:
    "npx backend-billing migrate (with Drizzle instead: npx drizzle-kit generate && npx drizzle-kit migrate)",
  mount:
    "Mount the routes, with addHttpRoutes, fetch or nodeHandler, at the path that `path` names; npx backend-billing init shows how.",
});

const convex = (module: string): Commands => ({
  setKey: "npx convex env set STRIPE_SECRET_KEY sk_…",
  setSecret: "npx convex env set STRIPE_WEBHOOK_SECRET whsec_…",
  sync: `npx convex run ${module}:sync`,
  syncWebhook: `npx convex run ${module}:sync '{"data": false, "webhook": true}'`,
  replaceWebhook: `npx convex run ${module}:sync '{"data": false, "webhook": true, "replace": true}'`,
  syncPortal: `npx convex run ${module}:sync '{"data": false, "portal": true}'`,
  fixCustomers: "set metadata.billingApp of your customers at Stripe.",
  migrate: "npx convex deploy",
  mount:
    "Call addHttpRoutes(http) in convex/http.ts and push; --url is the deployment's address that ends in .convex.site.",
});
