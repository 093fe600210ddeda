/** `npm run sync`, once per deployment: the webhook endpoint, the portal's settings, and a first copy. */
import { sync } from "./billing.ts";

const { webhook, resources } = await sync({ webhook: true, portal: true });
console.table(resources);
if (webhook?.secret) console.log(`STRIPE_WEBHOOK_SECRET=${webhook.secret}`);
process.exit();
