/** Idempotency keys: what is replayed, what is refused, and for how long. */
import type { Theme } from "../../harness/behaviour.js";
import { refusal, statusOf } from "../../harness/read.js";
import { docs } from "../../harness/sources.js";

const REPLAYED = "idempotent-replayed";
const key = { idempotencyKey: "once" };

export const idempotency: Theme = {
  name: "Idempotency",
  behaviours: [
    {
      name: "the same request again is answered as before",
      source: docs("api/idempotent_requests"),
      expected: { same: true, firstReplayed: false, replayed: "true", customers: 1 },
      async see({ stripe }) {
        const one = await stripe.customers.create({ name: "Ada" }, key);
        const two = await stripe.customers.create({ name: "Ada" }, key);
        return {
          same: one.id === two.id,
          firstReplayed: REPLAYED in one.lastResponse.headers,
          replayed: two.lastResponse.headers[REPLAYED],
          customers: (await stripe.customers.list()).data.length,
        };
      },
    },
    {
      name: "other parameters under the same key are refused",
      source: docs("api/idempotent_requests"),
      expected: { status: 400, type: "StripeIdempotencyError" },
      async see({ stripe }) {
        await stripe.customers.create({ name: "Ada" }, key);
        const { status, type } = await refusal(stripe.customers.create({ name: "Eve" }, key));
        return { status, type };
      },
    },
    {
      name: "another address under the same key is refused",
      source: docs("api/idempotent_requests"),
      expected: { status: 400, type: "StripeIdempotencyError" },
      async see({ stripe }) {
        await stripe.customers.create({ name: "Ada" }, key);
        const { status, type } = await refusal(stripe.products.create({ name: "Ada" }, key));
        return { status, type };
      },
    },
    {
      name: "a request that was not valid is not kept",
      source: docs("api/idempotent_requests"),
      expected: { bad: 400, good: 200 },
      async see({ stripe }) {
        const bad = await statusOf(stripe.customers.create({ email: "none" }, key));
        const good = await statusOf(stripe.customers.create({ email: "ada@example.com" }, key));
        return { bad, good };
      },
    },
    {
      name: "a declined payment is kept",
      source: docs("api/idempotent_requests"),
      expected: { statuses: [402, 402], charges: 1 },
      async see({ stripe }) {
        const pay = () =>
          refusal(
            stripe.paymentIntents.create(
              {
                amount: 500,
                currency: "usd",
                payment_method: "pm_card_visa_chargeDeclined",
                confirm: true,
                return_url: "https://app.example/back",
              },
              key,
            ),
          );
        const statuses = [(await pay()).status, (await pay()).status];
        return { statuses, charges: (await stripe.charges.list()).data.length };
      },
    },
    {
      name: "a server's error is kept",
      source: docs("error-low-level#server-errors"),
      expected: { statuses: [500, 500], customers: 0 },
      async see({ double, stripe }) {
        double.faults.add({ fault: "error_before", on: "POST /v1/customers", times: 1 });
        const create = () => statusOf(stripe.customers.create({ name: "Ada" }, key));
        const statuses = [await create(), await create()];
        return { statuses, customers: (await stripe.customers.list()).data.length };
      },
    },
    {
      name: "a key is forgotten after 24 hours",
      source: docs("api/idempotent_requests"),
      expected: { before: true, after: false },
      async see({ double, stripe }) {
        const one = await stripe.customers.create({}, key);
        await double.clock.advance({ hours: 23, minutes: 59 });
        const two = await stripe.customers.create({}, key);
        await double.clock.advance({ minutes: 2 });
        const three = await stripe.customers.create({}, key);
        return { before: one.id === two.id, after: one.id === three.id };
      },
    },
    {
      name: "a key has at most 255 characters",
      source: docs("api/idempotent_requests"),
      expected: { longest: 200, longer: 400 },
      async see({ stripe }) {
        const create = (length: number) =>
          statusOf(stripe.customers.create({}, { idempotencyKey: "k".repeat(length) }));
        return { longest: await create(255), longer: await create(256) };
      },
    },
    {
      name: "accounts have keys of their own",
      source: docs("api/idempotent_requests"),
      expected: false,
      async see({ double, stripe }) {
        const stripeAccount = double.connectAccount();
        const one = await stripe.customers.create({}, key);
        const two = await stripe.customers.create({}, { ...key, stripeAccount });
        return one.id === two.id;
      },
    },
    {
      name: "the request of an event names its key",
      source: docs("api/events/object#event_object-request"),
      expected: { key: "once", id: true },
      async see({ stripe, events }) {
        await stripe.customers.create({}, key);
        const [event] = await events("customer.created");
        const { request } = event ?? {};
        return { key: request?.idempotency_key ?? null, id: request?.id?.startsWith("req_") };
      },
    },
  ],
};
