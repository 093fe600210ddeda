/** Another Stripe, where STRIPE_HOST says so, such as the emulator. Leave it out of your app. */
import { env } from "$env/dynamic/private";

const host = env.STRIPE_HOST ? new URL(env.STRIPE_HOST) : undefined;

export const stripe_options = host && {
  protocol: "http" as const,
  host: host.hostname,
  port: host.port,
};
