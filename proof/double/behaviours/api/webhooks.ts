/** Webhook endpoints: what is sent where, signed how, and how often again. */
import Stripe from "stripe";
import type { Theme } from "../../harness/behaviour.js";
import { at, idOf, statusOf } from "../../harness/read.js";
import { docs, reference, types } from "../../harness/sources.js";
import type { World } from "../../harness/world.js";

const ORIGIN = "https://hooks.example";
type Params = Partial<Stripe.WebhookEndpointCreateParams>;

/** An endpoint that keeps what it gets, and answers with this status. */
async function listen({ double, stripe }: World, params: Params = {}, status = 200) {
  const received: { body: string; signature: string; event: unknown }[] = [];
  double.answer(ORIGIN, async (request) => {
    const body = await request.text();
    const signature = request.headers.get("stripe-signature") ?? "";
    received.push({ body, signature, event: JSON.parse(body) });
    return new Response(null, { status, headers: status === 302 ? { location: "/" } : {} });
  });
  const endpoint = await stripe.webhookEndpoints.create({
    url: `${ORIGIN}/stripe`,
    enabled_events: ["customer.created"],
    ...params,
  });
  return { endpoint, received };
}

export const webhooks: Theme = {
  name: "Webhooks",
  behaviours: [
    {
      name: "signed each time, and sent three times again in a sandbox",
      source: docs("webhooks#retries"),
      expected: { attempts: 4, signed: true, events: 1 },
      async see(world) {
        const { endpoint, received } = await listen(world, {}, 500);
        await world.stripe.customers.create();
        await world.double.settle();
        await world.double.clock.advance({ days: 1 });
        const verified = await Promise.all(
          received.map(({ body, signature }) =>
            world.stripe.webhooks.constructEventAsync(body, signature, endpoint.secret ?? ""),
          ),
        );
        return {
          attempts: received.length,
          signed: verified.length === received.length,
          events: new Set(verified.map(({ id }) => id)).size,
        };
      },
    },
    {
      name: "a redirection counts as a failure",
      source: docs("webhooks#retries"),
      expected: 4,
      async see(world) {
        const { received } = await listen(world, {}, 302);
        await world.stripe.customers.create();
        await world.double.settle();
        await world.double.clock.advance({ days: 1 });
        return received.length;
      },
    },
    {
      name: "live mode tries for three days",
      source: docs("webhooks#retries"),
      expected: { moreThanSandbox: true, afterThreeDays: 0 },
      async see(world) {
        const { double, client } = world;
        const live = client(double.liveSecretKey);
        const { received } = await listen({ ...world, stripe: live }, {}, 500);
        await live.customers.create();
        await double.settle();
        await double.clock.advance({ days: 3, hours: 1 });
        const within = received.length;
        await double.clock.advance({ days: 4 });
        return { moreThanSandbox: within > 4, afterThreeDays: received.length - within };
      },
    },
    {
      name: "a signature with another secret does not verify",
      source: docs("webhooks/signature"),
      expected: { own: true, other: false },
      async see(world) {
        const { endpoint, received } = await listen(world);
        await world.stripe.customers.create();
        await world.double.settle();
        const [{ body, signature } = { body: "", signature: "" }] = received;
        const verifies = async (secret: string) => {
          try {
            await world.stripe.webhooks.constructEventAsync(body, signature, secret);
            return true;
          } catch (error) {
            if (error instanceof Stripe.errors.StripeSignatureVerificationError) return false;
            throw error;
          }
        };
        return { own: await verifies(endpoint.secret ?? ""), other: await verifies("whsec_other") };
      },
    },
    {
      name: "while a secret is rolled there is a signature for each",
      source: docs("webhooks#roll-endpoint-secrets"),
      expected: { during: 2, after: 1 },
      async see(world) {
        const { endpoint, received } = await listen(world);
        const count = async () => {
          await world.stripe.customers.create();
          await world.double.settle();
          return received.at(-1)?.signature.match(/v1=/g)?.length;
        };
        world.double.dashboard.rollWebhookSecret(endpoint.id, { keepOldFor: { hours: 24 } });
        const during = await count();
        await world.double.clock.advance({ hours: 25 });
        return { during, after: await count() };
      },
    },
    {
      name: "events are rendered at the endpoint's API version",
      source: docs("webhooks/versioning"),
      expected: { version: "2024-06-20", periodOnSubscription: true },
      async see(world) {
        const { received } = await listen(world, {
          enabled_events: ["customer.subscription.created"],
          api_version: "2024-06-20",
        });
        await world.subscribe(1000);
        await world.double.settle();
        const event = received[0]?.event;
        return {
          version: String(at(event, "api_version")),
          periodOnSubscription: typeof at(event, "data.object.current_period_end") === "number",
        };
      },
    },
    {
      name: "an endpoint gets the types it asked for",
      source: reference("webhook_endpoints/create#enabled_events"),
      expected: ["product.created"],
      async see(world) {
        const { received } = await listen(world, { enabled_events: ["product.created"] });
        await world.stripe.customers.create();
        await world.stripe.products.create({ name: "Pro" });
        await world.double.settle();
        return received.map(({ event }) => String(at(event, "type")));
      },
    },
    {
      name: "a disabled endpoint gets nothing",
      source: reference("webhook_endpoints/update#disabled"),
      expected: { status: "disabled", received: 0 },
      async see(world) {
        const { endpoint, received } = await listen(world);
        const { status } = await world.stripe.webhookEndpoints.update(endpoint.id, {
          disabled: true,
        });
        await world.stripe.customers.create();
        await world.double.settle();
        return { status, received: received.length };
      },
    },
    {
      name: "the secret is shown only when it is made",
      source: reference("webhook_endpoints/object#secret"),
      expected: { made: true, read: false },
      async see(world) {
        const { endpoint } = await listen(world);
        const read = await world.stripe.webhookEndpoints.retrieve(endpoint.id);
        return { made: endpoint.secret?.startsWith("whsec_"), read: "secret" in read };
      },
    },
    {
      name: "its API version is chosen once",
      source: reference("webhook_endpoints/update"),
      expected: 400,
      async see({ stripe, ...world }) {
        const { endpoint } = await listen({ stripe, ...world });
        const path = `/v1/webhook_endpoints/${endpoint.id}`;
        return statusOf(stripe.rawRequest("POST", path, { api_version: "2024-06-20" }));
      },
    },
    {
      name: "at most 16 in an account",
      source: docs("webhooks/quickstart#create-endpoint"),
      expected: { sixteenth: 200, seventeenth: 400 },
      async see({ stripe }) {
        const create = (index: number) =>
          statusOf(
            stripe.webhookEndpoints.create({
              url: `${ORIGIN}/${index}`,
              enabled_events: ["customer.created"],
            }),
          );
        for (let index = 1; index < 16; index += 1) await create(index);
        return { sixteenth: await create(16), seventeenth: await create(17) };
      },
    },
    {
      name: "a failing invoice.created holds the renewal's invoice back",
      source: docs("billing/subscriptions/webhooks#understand"),
      expected: { answered: "paid", failing: "draft", afterThreeDays: "paid" },
      async see(world) {
        const { double, stripe, subscribe, invoices } = world;
        const { endpoint } = await listen(world, { enabled_events: ["invoice.created"] });
        const { customer } = await subscribe(1000);
        const status = async () => (await invoices(idOf(customer))).at(-1)?.status;
        await double.clock.advanceTo("2026-02-28T12:00:00Z");
        const answered = await status();
        await stripe.webhookEndpoints.del(endpoint.id);
        await listen(world, { enabled_events: ["invoice.created"] }, 500);
        await double.clock.advanceTo("2026-03-31T12:00:00Z");
        const failing = await status();
        await double.clock.advance({ days: 3 });
        return { answered, failing, afterThreeDays: await status() };
      },
    },
    {
      name: "connected accounts: data of their own, and events that name them",
      source: docs("connect/webhooks"),
      expected: { onPlatform: 0, account: true },
      async see(world) {
        const { double, stripe } = world;
        const stripeAccount = double.connectAccount();
        const { received } = await listen(world, { connect: true });
        await stripe.customers.create({}, { stripeAccount });
        await double.settle();
        const { data } = await stripe.customers.list();
        const account = at(received[0]?.event, "account") === stripeAccount;
        return { onPlatform: data.length, account };
      },
    },
    {
      name: "an endpoint for the account itself gets nothing of connected ones",
      source: types("WebhookEndpointCreateParams.connect"),
      expected: 0,
      async see(world) {
        const stripeAccount = world.double.connectAccount();
        const { received } = await listen(world);
        await world.stripe.customers.create({}, { stripeAccount });
        await world.double.settle();
        return received.length;
      },
    },
  ],
};
