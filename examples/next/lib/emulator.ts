/** Another Stripe, where STRIPE_HOST says so, such as the emulator. Leave it out of your app. */
const { STRIPE_HOST } = process.env;
const host = STRIPE_HOST ? new URL(STRIPE_HOST) : undefined;

export const stripe_options = host && {
  protocol: "http" as const,
  host: host.hostname,
  port: host.port,
};
