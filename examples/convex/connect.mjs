// `npm run connect`: gives the deployment its Stripe key, creates the webhook endpoint and the
// portal's settings at Stripe, and starts the first copy. With `-- --prod`, for production.
import { spawnSync } from "node:child_process";

const target = process.argv.slice(2);

/** Runs a command of Convex; answers what it printed. */
function convex(...args) {
  const command = ["node_modules/convex/bin/main.js", ...args, ...target];
  const { status, stdout } = spawnSync(process.execPath, command, {
    stdio: ["inherit", "pipe", "inherit"],
    encoding: "utf8",
  });
  if (status !== 0) process.exit(status ?? 1);
  return stdout;
}

for (const name of ["STRIPE_SECRET_KEY", "SITE_URL"]) {
  const value = process.env[name];
  if (value) convex("env", "set", name, value);
}
const options = JSON.stringify({ webhook: true, portal: true });
const { webhook } = JSON.parse(convex("run", "stripe:sync", options));
// Stripe tells it once, when it creates the endpoint.
if (webhook?.secret) convex("env", "set", "STRIPE_WEBHOOK_SECRET", webhook.secret);
console.log(`Connected: Stripe sends its events to the endpoint ${webhook?.id}.`);
