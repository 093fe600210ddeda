/** How requests are refused: unknown and missing parameters, objects that are not there, wrong keys. */
import type { Theme } from "../../harness/behaviour.js";
import { at, idOf, refusal, statusOf } from "../../harness/read.js";
import { docs, reference, thread } from "../../harness/sources.js";

const names = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`key_${index}`, "v"]));

export const errors: Theme = {
  name: "Errors",
  behaviours: [
    {
      name: "an unknown parameter",
      source: docs("error-codes#parameter-unknown"),
      expected: { status: 400, code: "parameter_unknown", param: "emial" },
      async see({ stripe }) {
        const sent = stripe.rawRequest("POST", "/v1/customers", { emial: "ada@example.com" });
        const { status, code, param } = await refusal(sent);
        return { status, code, param };
      },
    },
    {
      name: "an unknown parameter inside of another",
      source: docs("error-codes#parameter-unknown"),
      expected: { status: 400, code: "parameter_unknown", param: "address[citty]" },
      async see({ stripe }) {
        const sent = stripe.rawRequest("POST", "/v1/customers", { address: { citty: "London" } });
        const { status, code, param } = await refusal(sent);
        return { status, code, param };
      },
    },
    {
      name: "an address that is not of the API",
      source: thread("stripe/stripe-php#968, remi-stripe: unrecognized request URL"),
      expected: { status: 404, type: "StripeInvalidRequestError", words: true },
      async see({ stripe }) {
        const { status, type, message } = await refusal(stripe.rawRequest("GET", "/v1/custmers"));
        return { status, type, words: /Unrecognized request URL/.test(message ?? "") };
      },
    },
    {
      name: "an object that is not there",
      source: docs("error-codes#resource-missing"),
      expected: {
        status: 404,
        code: "resource_missing",
        param: "id",
        message: "No such customer: 'cus_none'",
        links: [true, true],
      },
      async see({ stripe }) {
        const { status, code, param, message, raw } = await refusal(
          stripe.customers.retrieve("cus_none"),
        );
        const links = ["doc_url", "request_log_url"].map(
          (link) => typeof at(raw, link) === "string",
        );
        return { status, code, param, message, links };
      },
    },
    {
      name: "a reference to an object that is not there",
      source: docs("error-codes#resource-missing"),
      expected: { status: 400, code: "resource_missing", param: "customer" },
      async see({ subscribe }) {
        const { status, code, param } = await refusal(subscribe(1000, { customer: "cus_none" }));
        return { status, code, param };
      },
    },
    {
      name: "a required parameter that is missing",
      source: docs("error-codes#parameter-missing"),
      expected: { status: 400, code: "parameter_missing", param: "product" },
      async see({ stripe }) {
        const sent = stripe.rawRequest("POST", "/v1/prices", { currency: "usd", unit_amount: 1 });
        const { status, code, param } = await refusal(sent);
        return { status, code, param };
      },
    },
    {
      name: "a value that is not one of those allowed",
      source: docs("api/errors"),
      expected: { status: 400, type: "StripeInvalidRequestError", param: "duration" },
      async see({ stripe }) {
        const sent = stripe.rawRequest("POST", "/v1/coupons", { percent_off: 5, duration: "ever" });
        const { status, type, param } = await refusal(sent);
        return { status, type, param };
      },
    },
    {
      name: "a number that is none",
      source: docs("error-codes#parameter-invalid-integer"),
      expected: { status: 400, code: "parameter_invalid_integer", param: "limit" },
      async see({ stripe }) {
        const sent = stripe.rawRequest("GET", "/v1/customers?limit=many");
        const { status, code, param } = await refusal(sent);
        return { status, code, param };
      },
    },
    {
      name: "metadata: 50 names of 40 characters, values of 500",
      source: docs("metadata#data"),
      expected: { most: 200, names: 400, name: 400, value: 400 },
      async see({ stripe }) {
        const make = (metadata: { [name: string]: string }) =>
          statusOf(stripe.customers.create({ metadata }));
        return {
          most: await make(names(50)),
          names: await make(names(51)),
          name: await make({ ["n".repeat(41)]: "v" }),
          value: await make({ n: "v".repeat(501) }),
        };
      },
    },
    {
      name: "a wrong key, which is masked",
      source: docs("api/authentication"),
      expected: { status: 401, type: "StripeAuthenticationError", masked: true },
      async see({ client }) {
        const { status, type, message } = await refusal(
          client("sk_test_wrongwrongwrong").customers.list(),
        );
        return { status, type, masked: /Invalid API Key provided: \S*\*+/.test(message ?? "") };
      },
    },
    {
      name: "any test key is taken, where the double is told to",
      source: thread("stripe/stripe-mock, README: requests with the key sk_test_123"),
      secretKey: "any",
      expected: { one: 200, other: 200, live: 401 },
      async see({ client }) {
        const list = (key: string) => statusOf(client(key).customers.list());
        return {
          one: await list("sk_test_123"),
          other: await list("sk_test_456"),
          live: await list("sk_live_123"),
        };
      },
    },
    {
      name: "a revoked key",
      source: docs("keys#revoke-keys"),
      expected: { before: 200, after: 401 },
      async see({ double, client }) {
        const key = double.restrictedKey({ customers: "read" });
        const before = await statusOf(client(key).customers.list());
        double.revokeKey(key);
        return { before, after: await statusOf(client(key).customers.list()) };
      },
    },
    {
      name: "a restricted key names the permission it lacks",
      source: thread("PostHog's Stripe source: Having the 'rak_…' permission would allow"),
      expected: { status: 403, type: "StripePermissionError", names: true },
      async see({ double, client }) {
        const key = double.restrictedKey({ customers: "read" });
        const { status, type, message } = await refusal(client(key).products.list());
        return { status, type, names: /rak_product_read/.test(message ?? "") };
      },
    },
    {
      name: "an id of live mode is not found with a test key, and the message says why",
      source: thread("Dolibarr/dolibarr, stripe.class.php quotes Stripe's message"),
      expected: { status: 404, code: "resource_missing", hint: true },
      async see({ double, stripe, client }) {
        const live = await client(double.liveSecretKey).customers.create();
        const { status, code, message } = await refusal(stripe.customers.retrieve(live.id));
        const hint = /similar object exists in live mode/.test(message ?? "");
        return { status, code, hint };
      },
    },
    {
      name: "each answer has the id of its request",
      source: docs("api/request_ids"),
      expected: { success: true, failure: true },
      async see({ stripe }) {
        const made = await stripe.customers.create();
        const { raw } = await refusal(stripe.customers.retrieve("cus_none"));
        const isRequest = (id: unknown) => typeof id === "string" && id.startsWith("req_");
        return {
          success: isRequest(made.lastResponse.requestId),
          failure: isRequest(at(raw, "requestId")),
        };
      },
    },
    {
      name: "a deleted customer can be read, and not changed",
      source: reference("customers/delete"),
      expected: { read: true, update: 404, subscribe: 400 },
      async see({ stripe, customer, subscribe }) {
        const id = await customer();
        await stripe.customers.del(id);
        const gone = await stripe.customers.retrieve(id);
        return {
          read: gone.deleted ?? false,
          update: await statusOf(stripe.customers.update(id, { name: "Ada" })),
          subscribe: await statusOf(subscribe(1000, { customer: idOf(gone) })),
        };
      },
    },
  ],
};
