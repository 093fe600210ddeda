// Which resources the peers of the torture suite mirror, read in 2026-11 in what each has published at
// the version below: its tables, the events that it handles, and the lists that it reads. A table counts
// if a handler or a list of the peer writes to it. packages/backend-billing/test/docs/resources.test.ts
// fails when the torture suite has another version: read that one, then move on the version here.
import {
  type ResourceName,
  resourceNames,
} from "../../packages/backend-billing/src/core/catalogue/catalogue.js";
import { codes } from "./codes.js";

interface Peer {
  /** Its folder in proof/torture/peers. */
  readonly folder: string;
  readonly name: string;
  /** At the head of its column. */
  readonly short: string;
  readonly version: string;
  readonly mirrors: readonly ResourceName[];
}

/** What the engine of Supabase and its copy in stripe-no-webhooks have handlers of events for. */
const ENGINE: readonly ResourceName[] = [
  "products",
  "prices",
  "plans",
  "customers",
  "subscriptions",
  "subscription_schedules",
  "invoices",
  "invoice_payments",
  "charges",
  "refunds",
  "disputes",
  "payment_intents",
  "setup_intents",
  "payment_methods",
  "checkout_sessions",
  "credit_notes",
  "tax_ids",
  "reviews",
  "early_fraud_warnings",
  "active_entitlements",
];

export const peers: readonly Peer[] = [
  {
    folder: "stripe-sync-engine",
    name: "@stripe/sync-engine",
    short: "@stripe",
    version: "1.0.32",
    // From its registry of resources. Its tables features and active_entitlements stay empty: it skips
    // the one event of these, because the event's object is not in the registry, and lists neither.
    // Its table accounts has the account of the key alone.
    mirrors: [
      "products",
      "prices",
      "plans",
      "coupons",
      "customers",
      "subscriptions",
      "subscription_schedules",
      "invoices",
      "charges",
      "refunds",
      "disputes",
      "payment_intents",
      "setup_intents",
      "payment_methods",
      "checkout_sessions",
      "credit_notes",
      "tax_ids",
      "reviews",
      "early_fraud_warnings",
    ],
  },
  {
    folder: "supabase-sync-engine",
    name: "@supabase/stripe-sync-engine",
    short: "@supabase",
    version: "0.48.5",
    // Nothing writes to its tables coupons, payouts and events. Features are listed by a method of their own.
    mirrors: [...ENGINE, "features"],
  },
  {
    folder: "stripe-no-webhooks",
    name: "stripe-no-webhooks",
    short: "no-webhooks",
    version: "0.0.16",
    // By @pretzelai/stripe-sync-engine 0.48.3, of which it keeps the list of features to itself, unused.
    mirrors: ENGINE,
  },
  {
    folder: "raideno-convex-stripe",
    name: "@raideno/convex-stripe",
    short: "@raideno",
    version: "0.1.20",
    mirrors: [
      "products",
      "prices",
      "plans",
      "coupons",
      "promotion_codes",
      "customers",
      "subscriptions",
      "subscription_schedules",
      "invoices",
      "charges",
      "refunds",
      "disputes",
      "payouts",
      "payment_intents",
      "setup_intents",
      "payment_methods",
      "checkout_sessions",
      "credit_notes",
      "tax_ids",
      "reviews",
      "early_fraud_warnings",
      "portal_configurations",
    ],
  },
  {
    folder: "convex-dev-stripe",
    name: "@convex-dev/stripe",
    short: "@convex-dev",
    version: "0.1.6",
    // Its table payments has payment intents.
    mirrors: ["customers", "subscriptions", "invoices", "payment_intents", "checkout_sessions"],
  },
  {
    folder: "better-auth",
    name: "@better-auth/stripe",
    short: "@better-auth",
    version: "1.7.6",
    // Of customers it keeps the id, in the tables of users and organizations.
    mirrors: ["subscriptions"],
  },
];

/** The section of the page. */
export function peersSection(): string {
  const mirrored = resourceNames.filter((name) =>
    peers.some(({ mirrors }) => mirrors.includes(name)),
  );
  const others = resourceNames.filter((name) => !mirrored.includes(name));
  const versions = peers.map(({ name, version }) => `\`${name}\` ${version}`);
  return `## Which peers mirror them

✓ where a handler of events or a list of the peer fills a table of these, as read in November 2026 in what was published as
${versions.join(", ")}.

${row("resource", ({ short }) => short)}
|---|${peers.map(() => ":-:|").join("")}
${mirrored.map((name) => row(`\`${name}\``, ({ mirrors }) => (mirrors.includes(name) ? "✓" : ""))).join("\n")}
${row(`of ${resourceNames.length}`, ({ mirrors }) => String(mirrors.length))}

None of them mirrors ${codes(others, "or")}.

A ✓ does not say how much is kept: some keep a few fields, or write after a few of the events. What
\`@stripe/sync-engine\` can copy from Stripe Sigma is not counted. Not mirrored here are mandates, for which
\`@raideno/convex-stripe\` has a table, and the lines of checkout sessions, for which \`@supabase/stripe-sync-engine\` and
\`stripe-no-webhooks\` have one. How well a copy stays true is in [the torture suite](./torture.md).`;
}

const row = (first: string, cell: (peer: Peer) => string): string =>
  `| ${[first, ...peers.map(cell)].join(" | ")} |`;
