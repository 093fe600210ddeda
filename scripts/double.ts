/** `npm run double`: a Stripe of your own on loopback, until you stop it. */
import { parseArgs } from "node:util";
import { createStripeDouble } from "../src/testing/index.js";

const USAGE = `Usage: npm run double -- [--port 12111] [--seed 1]

  --port   Where it listens, on 127.0.0.1. Default 12111.
  --seed   Ids, keys and secrets come from it: the same seed gives the same ones. Default 1.
`;

function fail(message: string): never {
  console.error(message);
  process.exit(1);
}

function options(): { port: number; seed: string } {
  try {
    const { values } = parseArgs({
      options: {
        port: { type: "string", default: "12111" },
        seed: { type: "string", default: "1" },
        help: { type: "boolean", short: "h", default: false },
      },
    });
    if (values.help) {
      console.log(USAGE);
      process.exit(0);
    }
    const port = Number(values.port);
    if (!Number.isInteger(port) || port < 0 || port > 65_535) fail(`Not a port: ${values.port}`);
    return { port, seed: values.seed };
  } catch (error) {
    return fail(`${error instanceof Error ? error.message : String(error)}\n\n${USAGE}`);
  }
}

const { port, seed } = options();
const double = await createStripeDouble({ port, seed }).catch((error: unknown) => {
  const taken = error instanceof Error && "code" in error && error.code === "EADDRINUSE";
  return fail(
    taken
      ? `Port ${port} is in use. Stop what listens there, or choose another: npm run double -- --port 0`
      : `The double could not start: ${String(error)}`,
  );
});

console.log(`
The Stripe double listens on ${double.url}, seed ${seed}. No money moves here.

Point the SDK at it:

  import Stripe from "stripe";

  const stripe = new Stripe("${double.secretKey}", {
    host: "127.0.0.1",
    port: ${double.port},
    protocol: "http",
    telemetry: false,
  });

Webhooks: create an endpoint as at Stripe, and keep the secret that comes back.

  const endpoint = await stripe.webhookEndpoints.create({
    url: "http://127.0.0.1:3000/stripe/webhook",
    enabled_events: ["*"],
  });
  // endpoint.secret is what constructEventAsync takes

Pages: open the \`url\` of a checkout session or of a portal session in a browser.

  Checkout  ${double.url}/c/pay/cs_test_…
  Portal    ${double.url}/p/session/test_…

Cards: 4242 4242 4242 4242 pays, 4000 0000 0000 0002 is declined,
       4000 0025 0000 3155 asks for authentication. Any later month, any security code.

Ctrl-C stops it, and all that it holds is gone.
`);

for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.once(signal, async () => {
    await double.close();
    console.log("\nThe Stripe double has stopped.");
    process.exit(0);
  });
}
