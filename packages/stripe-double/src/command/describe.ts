/** What the command says once the double listens. Its keys open nothing else, so they are shown. */
import type { StripeDouble } from "../index.js";

export function describe(double: StripeDouble, json: boolean): string {
  const { url, port, secretKey, account, seed, webhook } = double;
  if (json) {
    const said = {
      url,
      port,
      account,
      seed,
      secret_key: secretKey,
      ...(webhook && { webhook: webhook.url, webhook_secret: webhook.secret }),
      control: `${url}/_double`,
    };
    return `${JSON.stringify(said)}\n`;
  }
  return `A Stripe of your own listens on ${url}. No money moves.

Your environment
  STRIPE_SECRET_KEY=${secretKey}
${webhook ? `  STRIPE_WEBHOOK_SECRET=${webhook.secret}\n` : ""}
Stripe's package for Node; those of other languages have an option for the base address
  new Stripe(process.env.STRIPE_SECRET_KEY, { host: "127.0.0.1", port: ${port}, protocol: "http" });

Webhooks
  ${webhook ? `Events go to ${webhook.url}` : "None are sent. Start with --webhook http://localhost:3000/stripe/webhook"}

Time, payments, faults and deliveries, as JSON over HTTP
  ${url}/_double lists what there is

Cards, with any later month and any code
  4242 4242 4242 4242 pays, 4000 0000 0000 0002 is declined,
  4000 0025 0000 3155 asks for authentication

Ctrl-C stops it.
`;
}
