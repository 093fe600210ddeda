// @module-tag slow
// The real command, as a process, on a real setup with something broken: it names what is wrong and
// what mends it, and ends with 3 if that must be done.
import { createServer } from "node:http";
import express from "express";
import Stripe from "stripe";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createPatientDouble } from "../../../../support/patient-double.js";
import { createPool } from "../../../../support/postgres/database.js";
import { stripePath } from "../../../../support/stripe-path.js";
import type { Code } from "../../src/cli/doctor/catalogue.js";
import { defaultResources } from "../../src/core/catalogue/catalogue.js";
import { createBilling } from "../../src/postgres/index.js";
import type { StripeDouble } from "../../src/testing/index.js";
import { runCommand } from "./command.js";
import { type Change, examine, type Healthy, healthy, listening } from "./doctor-kit.js";

interface Case {
  readonly fault: string;
  /** Breaks it; answers what the command is told otherwise. */
  readonly seed: (setup: Healthy) => Promise<Change> | Change;
  /** Each with what it says, so that it is about this fault, and with its fix. */
  readonly finds: readonly (readonly [Code, says: RegExp, fix: RegExp])[];
  /** 3 if something must be mended. */
  readonly exit: 0 | 3;
}

const dashboardKeys = /https:\/\/dashboard\.stripe\.com\/apikeys/;
const dashboardWebhooks = /https:\/\/dashboard\.stripe\.com\/webhooks/;
const syncWebhook = /npx backend-billing sync --no-data --webhook --url http:\/\/127/;
const syncPortal = /^npx backend-billing sync --no-data --portal$/;

const timeout = 60_000;

async function check(setup: Healthy, { seed, finds, exit }: Case): Promise<void> {
  const { code, findings, healthy: isHealthy, stdout } = await examine(setup, await seed(setup));
  for (const [wanted, says, fix] of finds) {
    const found = findings.filter((each) => each.code === wanted);
    expect(findings.map((each) => each.code)).toContain(wanted);
    expect(found.map(({ what }) => what).join("\n")).toMatch(says);
    expect(found.map((each) => each.fix).join("\n")).toMatch(fix);
  }
  expect({ code, isHealthy }).toEqual({ code: exit, isHealthy: exit === 0 });
  expect(stdout).not.toMatch(/(sk|rk)_(test|live)_\w|whsec_\w|secret-word/);
}

describe("settings and the application", { timeout }, () => {
  let setup: Healthy;
  beforeAll(async () => {
    setup = await healthy();
  }, timeout);
  afterEach(() => setup.repair());
  afterAll(() => setup.close(), timeout);

  it("finds nothing where all is well, and changes nothing", async () => {
    const before = setup.double.dump();
    expect(await examine(setup)).toMatchObject({ code: 0, healthy: true, findings: [] });
    const shown = await runCommand(setup.args, { env: setup.env });
    expect(shown.code).toBe(0);
    expect(shown.stdout).toContain("Everything is as it should be");
    expect(setup.double.dump()).toBe(before);
  });

  it("asks for no database on Convex", async () => {
    const change = { env: { DATABASE_URL: undefined }, args: ["--convex"] };
    expect(await examine(setup, change)).toMatchObject({ code: 0, findings: [] });
  });

  const answering =
    (status: number, body = "", headers = {}) =>
    ({ answerWith }: Healthy): Change => {
      answerWith((request, response) => {
        request.resume().on("end", () => response.writeHead(status, headers).end(body));
      });
      return {};
    };
  const everything = [
    ...defaultResources.map(stripePath),
    ...["events", "account", "webhook_endpoints"],
    ...["billing_portal/sessions", "billing_portal/configurations"],
  ];
  const restricted = (missing: readonly string[]) => (): Change => {
    const allowed = everything.filter((name) => !missing.includes(name));
    const scopes = Object.fromEntries(allowed.map((name) => [name, "write" as const]));
    return { env: { STRIPE_SECRET_KEY: setup.double.restrictedKey(scopes) } };
  };
  const cases: readonly Case[] = [
    {
      fault: "nothing is set",
      seed: () => ({
        env: {
          STRIPE_SECRET_KEY: undefined,
          STRIPE_WEBHOOK_SECRET: undefined,
          DATABASE_URL: undefined,
        },
        args: ["--url", ""],
      }),
      finds: [
        ["key_missing", /no Stripe secret key/, dashboardKeys],
        ["secret_missing", /every webhook is refused/, /sync --no-data --webhook/],
        ["database_missing", /no database address/, /Set DATABASE_URL/],
        ["url_missing", /address is not known/, /doctor --url https:/],
      ],
      exit: 3,
    },
    {
      fault: "settings are mixed up",
      seed: ({ double }) => ({
        env: {
          STRIPE_SECRET_KEY: "pk_test_1234567890abcdefgh",
          STRIPE_WEBHOOK_SECRET: double.secretKey,
        },
        args: ["--url", "app.example"],
      }),
      finds: [
        ["key_malformed", /is a publishable key/, dashboardKeys],
        ["secret_malformed", /starts with whsec_/, dashboardWebhooks],
        ["url_malformed", /app\.example is not an address/, /such as https:\/\/app\.example/],
      ],
      exit: 3,
    },
    {
      fault: "Stripe does not know the key",
      seed: () => ({ env: { STRIPE_SECRET_KEY: "sk_test_deleted1234567890" } }),
      finds: [["key_refused", /Invalid API Key/, dashboardKeys]],
      exit: 3,
    },
    {
      fault: "there is no way to Stripe",
      seed: () => ({ args: ["--stripe-host", "http://127.0.0.1:9"] }),
      finds: [["stripe_unreachable", /ECONNREFUSED/, /status\.stripe\.com/]],
      exit: 3,
    },
    {
      fault: "a restricted key may not do what the application does",
      seed: restricted(["payouts", "checkout/sessions", "billing_portal/sessions"]),
      finds: [
        ["permission_missing", /may not read payouts/, /“Read” on Payouts \(rak_payout_read\)/],
        [
          "permission_missing",
          /may not write checkout sessions/,
          /“Write” on Checkout Sessions \(rak_checkout_session_write\)/,
        ],
        ["permission_missing", /may not write portal sessions/, /“Write” on Customer portal/],
        ["permission_missing", /may not read payouts/, /apikeys\/create\?.*=rak_payout_read&/],
      ],
      exit: 3,
    },
    {
      fault: "a restricted key may not change subscriptions",
      seed: () => {
        const readable = ["subscriptions", "invoices"];
        const scopes = Object.fromEntries(
          everything.map((name) => [name, readable.includes(name) ? "read" : "write"] as const),
        );
        return { env: { STRIPE_SECRET_KEY: setup.double.restrictedKey(scopes) } };
      },
      finds: [
        [
          "permission_for_changes",
          /may not write subscriptions/,
          /“Write” on Subscriptions \(rak_subscription_write\)/,
        ],
        [
          "permission_for_changes",
          /may not write invoices/,
          /\(rak_invoice_write\).*=rak_invoice_write&/,
        ],
      ],
      exit: 0,
    },
    {
      fault: "a restricted key may not bill usage, which the plans have meters for",
      seed: () => {
        const scopes = Object.fromEntries(
          everything.map((name) => [name, name === "billing/meters" ? "read" : "write"] as const),
        );
        return {
          env: { STRIPE_SECRET_KEY: setup.double.restrictedKey(scopes) },
          args: ["--catalogue", "support/usage/world.ts"],
        };
      },
      finds: [
        [
          "permission_missing",
          /may not write meter events/,
          /“Write” on Billing meter events .*=rak_billing_meter_event_write/,
        ],
      ],
      exit: 3,
    },
    {
      fault: "a restricted key may not set things up",
      seed: restricted(["webhook_endpoints", "account"]),
      finds: [
        ["permission_for_setup", /may not write webhook endp/, /\(rak_webhook_endpoint_write\)/],
      ],
      exit: 0,
    },
    {
      fault: "a live key is used over test data",
      seed: ({ double }) => ({ env: { STRIPE_SECRET_KEY: double.liveSecretKey } }),
      finds: [
        ["mode_mismatch", /a live key, but the tables hold test data/, /Set a test key/],
        ["url_insecure", /not https/, /TLS/],
        ["webhook_mode_differs", /does not run with a live key/, /Set the same key/],
      ],
      exit: 3,
    },
    {
      fault: "the secret is that of another endpoint",
      seed: () => ({ env: { STRIPE_WEBHOOK_SECRET: "whsec_of_another_endpoint" } }),
      finds: [
        ["secret_stale", /not the secret of the endpoint we_/, dashboardWebhooks],
        ["webhook_secret_differs", /it runs with another/, /restart it/],
      ],
      exit: 3,
    },
    {
      fault: "Stripe's clock is ten minutes ahead",
      seed: async () => stripeOf(await another({ now: Date.now() + 600_000 })),
      finds: [["clock_wrong", /(5\d\d|600) s behind Stripe's/, /time synchronisation/]],
      exit: 3,
    },
    {
      fault: "events are not delivered",
      seed: async () => {
        const double = await another({ now: Date.now() - 20 * 60_000 });
        const stripe = new Stripe(double.secretKey, double.stripeConfig);
        const url = "http://127.0.0.1:9/stripe/webhook";
        await stripe.webhookEndpoints.create({ url, enabled_events: ["*"] });
        await stripe.customers.create({});
        await double.clock.advance({ minutes: 20 });
        return stripeOf(double);
      },
      finds: [["deliveries_failing", /1 of the last 1 events/, /npx backend-billing sync$/]],
      exit: 3, // it is another account as well
    },
    {
      fault: "the application does not run",
      seed: async () => {
        const server = createServer();
        const url = await listening(server);
        await new Promise((done) => server.close(done));
        return { args: ["--url", url] };
      },
      finds: [["webhook_unreachable", /ECONNREFUSED/, /Start the application/]],
      exit: 3,
    },
    {
      fault: "the routes are not mounted",
      seed: answering(404),
      finds: [["webhook_route_missing", /answers 404/, /Mount the routes/]],
      exit: 3,
    },
    {
      fault: "a body parser comes first",
      seed: ({ answerWith, handler }) => {
        answerWith(express().use(express.json()).use(handler));
        return {};
      },
      finds: [["webhook_body_parsed", /no signature can be checked/, /before express\.json/]],
      exit: 3,
    },
    {
      fault: "a handler checks no signature",
      seed: answering(200, JSON.stringify({ received: "ignored" })),
      finds: [["webhook_forgery_accepted", /with a wrong signature/, /Remove whatever else/]],
      exit: 3,
    },
    {
      fault: "a page answers every path",
      seed: answering(200, "<!doctype html>"),
      finds: [["webhook_not_ours", /answers 200, but not as this library/, /catches every path/]],
      exit: 3,
    },
    {
      fault: "the database is not there",
      seed: () => ({ env: { DATABASE_URL: "postgres://user:secret-word@127.0.0.1:9/app" } }),
      finds: [["database_unreachable", /ECONNREFUSED/, /Check DATABASE_URL/]],
      exit: 3,
    },
    {
      fault: "the schema has no tables",
      seed: () => ({ args: ["--schema", "elsewhere"] }),
      finds: [["migrations_pending", /elsewhere lacks .*: 0001_core/, /backend-billing migrate/]],
      exit: 3,
    },
  ];
  it.each(cases)("$fault", (each) => check(setup, each));
});

const others: StripeDouble[] = [];
afterAll(() => Promise.all(others.map((double) => double.close())));

/** A Stripe of another account. */
async function another(options: { readonly now: number }): Promise<StripeDouble> {
  const double = await createPatientDouble({ seed: "another", ...options });
  others.push(double);
  return double;
}

const stripeOf = ({ secretKey, url }: StripeDouble): Change => ({
  env: { STRIPE_SECRET_KEY: secretKey },
  args: ["--stripe-host", url],
});

describe("what Stripe and the database hold", { timeout }, () => {
  let setup: Healthy;
  beforeEach(async () => {
    setup = await healthy();
  }, timeout);
  afterEach(() => setup.close(), timeout);

  const hidePortals = async ({ stripe }: Healthy) => {
    for (const { id } of (await stripe.billingPortal.configurations.list()).data) {
      await stripe.billingPortal.configurations.update(id, { active: false });
    }
  };
  type Events = Stripe.WebhookEndpointUpdateParams.EnabledEvent[];
  const cases: readonly Case[] = [
    {
      fault: "the endpoint is at another address, and there is no portal",
      seed: async (broken) => {
        const url = "https://old.example/stripe/webhook";
        await broken.stripe.webhookEndpoints.update(broken.endpoint, { url });
        await hidePortals(broken);
        return {};
      },
      finds: [
        ["endpoint_missing", /It has https:\/\/old\.example\/stripe\/webhook/, syncWebhook],
        ["portal_missing", /no active configuration/, syncPortal],
      ],
      exit: 3,
    },
    {
      fault: "the endpoint is disabled, and some events were taken away",
      seed: async ({ stripe, endpoint, double }) => {
        const [known] = double.objects("webhook_endpoint");
        const kept = known?.enabled_events.filter((type) => !type.startsWith("refund."));
        const changes = { disabled: true, enabled_events: kept as Events };
        await stripe.webhookEndpoints.update(endpoint, changes);
        return {};
      },
      finds: [
        ["endpoint_disabled", /we_\w+ is disabled/, syncWebhook],
        [
          "endpoint_events_missing",
          /not sent refund\.created, refund\.failed, refund\.updated\./,
          syncWebhook,
        ],
      ],
      exit: 3,
    },
    {
      fault: "somebody made the endpoint by hand, twice, for an older version",
      seed: async ({ stripe, endpoint, url }) => {
        await stripe.webhookEndpoints.del(endpoint);
        for (const _ of [1, 2]) {
          await stripe.webhookEndpoints.create({
            url: `${url}/stripe/webhook`,
            enabled_events: ["*"],
            api_version: "2025-03-31.basil",
          });
        }
        return {};
      },
      finds: [
        ["endpoint_version", /2025-03-31\.basil, and the installed/, syncWebhook],
        [
          "endpoint_duplicate",
          /2 enabled webhook endpoints point at .*\/stripe\/webhook: we_\w+ \(2025-03-31\.basil\)/,
          /sync --no-data --webhook --replace --url/,
        ],
      ],
      exit: 0,
    },
    {
      fault: "the tables are another account's, were never filled, and chose no portal",
      seed: async ({ query, databaseUrl }) => {
        const records = "billing.backend_billing_records";
        await query(`UPDATE ${records} SET data = '{"id":"acct_other"}' WHERE id = 'account'`);
        await query(`DELETE FROM ${records} WHERE kind = 'run' OR id = 'portal'`);
        await query(`INSERT INTO ${records} (kind, id, revision, due, data) VALUES ('aside', 'products prod_1', 1, 0,
          '{"resource":"products","id":"prod_1","reason":"It is poison.","at":1,"kept":"none","lo":1,"gone":false,"known":false}')`);
        await query(`CREATE FUNCTION public.clock_timestamp() RETURNS timestamptz LANGUAGE sql
          AS $$ SELECT pg_catalog.clock_timestamp() + interval '90 s' $$`);
        const database = new URL(databaseUrl).pathname.slice(1);
        await query(`ALTER DATABASE ${database} SET search_path = public, pg_catalog`);
        return {};
      },
      finds: [
        ["account_mismatch", /hold the data of acct_other/, /Set a key of acct_other/],
        ["never_synced", /never copied/, /^npx backend-billing sync$/],
        ["objects_set_aside", /1 objects .* products prod_1: It is poison\./, /reconcile$/],
        ["portal_not_chosen", /no default configuration/, syncPortal],
        ["database_clock_differs", /[78]\d s ahead of|90 s ahead of/, /time synchronisation/],
      ],
      exit: 3,
    },
    {
      fault: "a newer version migrated the tables, and the portal's settings were put away",
      seed: async (broken) => {
        await broken.query(
          "INSERT INTO billing.backend_billing_migrations VALUES ('9999_later', 0)",
        );
        await hidePortals(broken);
        broken.double.dashboard.savePortalSettings();
        return {};
      },
      finds: [
        ["migrations_newer", /9999_later is not known/, /npm install backend-billing@latest/],
        ["portal_inactive", /bpc_\w+, .* is not active any more/, syncPortal],
      ],
      exit: 3,
    },
    {
      fault: "somebody changed the portal at Stripe, and archived a price that it offers",
      seed: async ({ stripe, query, url, databaseUrl, double }) => {
        const { id: product } = await stripe.products.create({ name: "Plan" });
        const price = await stripe.prices.create({
          product,
          currency: "usd",
          unit_amount: 2000,
          recurring: { interval: "month" },
        });
        const db = createPool(databaseUrl);
        const config = { secret_key: double.secretKey, base_url: url, db };
        const app = createBilling({
          ...config,
          webhook_secret: undefined,
          stripe_options: double.stripeConfig,
        });
        const { portal } = await app.sync({ portal: true });
        await db.end();
        await stripe.billingPortal.configurations.update(portal?.configurationId ?? "", {
          features: { subscription_cancel: { enabled: false } },
        });
        await query(`UPDATE billing.backend_billing_prices
          SET stripe = jsonb_set(stripe::jsonb, '{active}', 'false') WHERE price_id = '${price.id}'`);
        return {};
      },
      finds: [
        ["portal_changed", /bpc_\w+, .* was changed at Stripe: subscription_cancel\./, syncPortal],
        ["portal_outdated", /not for sale any more: price_\w+\./, syncPortal],
      ],
      exit: 0,
    },
    {
      fault: "drizzle-kit owns the tables, and one is missing",
      seed: async ({ query }) => {
        await query(
          "DROP TABLE billing.backend_billing_migrations, billing.backend_billing_refunds",
        );
        return {};
      },
      finds: [["tables_missing", /missing: backend_billing_refunds/, /npx drizzle-kit generate/]],
      exit: 3,
    },
  ];
  it.each(cases)("$fault", (each) => check(setup, each));
});
