// A whole setup that `doctor` finds nothing wrong with: a double of Stripe, a database, and an
// application that listens. Tests break one thing of it.
import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import Stripe from "stripe";
import { createPatientDouble } from "../../../../support/patient-double.js";
import { createDatabase, createPool } from "../../../../support/postgres/database.js";
import type { Finding } from "../../src/cli/doctor/finding.js";
import { createBilling } from "../../src/postgres/index.js";
import type { StripeDouble } from "../../src/testing/index.js";
import { runCommand } from "./command.js";

export interface Healthy {
  readonly double: StripeDouble;
  readonly stripe: Stripe;
  readonly endpoint: string;
  readonly databaseUrl: string;
  readonly url: string;
  /** The application's handler, and another in its place until `repair`. */
  readonly handler: RequestListener;
  answerWith(handler: RequestListener): void;
  repair(): void;
  query(sql: string): Promise<unknown>;
  /** What a healthy command is told; a test replaces or removes some. */
  readonly env: { readonly [name: string]: string | undefined };
  readonly args: readonly string[];
  close(): Promise<void>;
}

export async function healthy(): Promise<Healthy> {
  const database = await createDatabase();
  const pool = createPool(database.url);
  const double = await createPatientDouble();
  const stripe = new Stripe(double.secretKey, double.stripeConfig);
  let handler: RequestListener = (_, response) => response.writeHead(404).end();
  const server = createServer((request, response) => handler(request, response));
  const url = await listening(server);
  const config = {
    secret_key: double.secretKey,
    db: pool,
    base_url: url,
    stripe_options: double.stripeConfig,
  };
  const first = createBilling({ ...config, webhook_secret: undefined });
  await first.store.migrate();
  const { webhook } = await first.sync({ webhook: true, portal: true });
  const webhook_secret = webhook?.secret ?? "";
  const { billing } = createBilling({ ...config, webhook_secret });
  const own: RequestListener = (request, response) => void billing.nodeHandler(request, response);
  handler = own;
  return {
    double,
    stripe,
    endpoint: webhook?.id ?? "",
    databaseUrl: database.url,
    url,
    handler: own,
    answerWith: (other) => {
      handler = other;
    },
    repair: () => {
      handler = own;
    },
    query: (sql) => pool.query(sql),
    env: {
      STRIPE_SECRET_KEY: double.secretKey,
      STRIPE_WEBHOOK_SECRET: webhook_secret,
      DATABASE_URL: database.url,
    },
    args: ["doctor", "--url", url, "--stripe-host", double.url],
    close: async () => {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
      await double.close();
      await pool.end();
      await database.drop();
    },
  };
}

export async function listening(server: Server): Promise<string> {
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

export interface Told {
  readonly code: number | null;
  readonly healthy: boolean;
  readonly findings: readonly Finding[];
  readonly stdout: string;
}

/** What a command is told beside, or instead of, what a healthy one is. */
export interface Change {
  readonly env?: { readonly [name: string]: string | undefined };
  readonly args?: readonly string[];
}

/** Runs the command with `--json`. */
export async function examine(
  { env, args }: Pick<Healthy, "env" | "args">,
  change: Change = {},
): Promise<Told> {
  const { code, stdout, stderr } = await runCommand([...args, ...(change.args ?? []), "--json"], {
    env: { ...env, ...change.env },
  });
  try {
    return { code, stdout, ...(JSON.parse(stdout) as Pick<Told, "healthy" | "findings">) };
  } catch {
    throw new Error(`Not one JSON value (${code}): ${stdout}${stderr}`);
  }
}
