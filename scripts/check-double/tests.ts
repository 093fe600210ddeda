/** The same small story as a test in each of four ways; every one must find a bug if there is one. */

const STORY = `
  const customer = await stripe.customers.create({ email: "ada@example.com" });
  const again = await stripe.customers.retrieve(customer.id);
  await double.clock.advance({ days: 1 });
  const event = (await stripe.events.list()).data[0];
  double.faults.add({ fault: "error_before", on: "POST /v1/customers", times: 1, kept: false });
  const refused = await stripe.customers.create({}).then(() => undefined, (error) => error);
  await double.close();`;

const START = `
  const double = await createStripeDouble({ seed: 1, now: "2026-01-01T00:00:00Z" });
  const stripe = new Stripe(double.secretKey, { ...double.stripeConfig, maxNetworkRetries: 0 });`;

const vitest = `import Stripe from "stripe";
import { createStripeDouble } from "stripe-double";
import { expect, it } from "vitest";

it("plays Stripe", async () => {${START}${STORY}
  expect(again.email).toBe("ada@example.com");
  expect(event?.type).toBe("customer.created");
  expect(refused).toMatchObject({ statusCode: 500 });
});
`;

const jest = `const Stripe = require("stripe");
const { createStripeDouble } = require("stripe-double");

test("plays Stripe", async () => {${START}${STORY}
  expect(again.email).toBe("ada@example.com");
  expect(event.type).toBe("customer.created");
  expect(refused).toMatchObject({ statusCode: 500 });
});
`;

const node = `import assert from "node:assert";
import { test } from "node:test";
import Stripe from "stripe";
import { createStripeDouble } from "stripe-double";

test("plays Stripe", async () => {${START}${STORY}
  assert.equal(again.email, "ada@example.com");
  assert.equal(event.type, "customer.created");
  assert.equal(refused.statusCode, 500);
});
`;

const python = `import json, subprocess, unittest, urllib.error, urllib.parse, urllib.request


class Double(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        command = ["node_modules/.bin/stripe-double", "--port", "0", "--json"]
        command += ["--now", "2026-01-01T00:00:00Z", "--webhook", "http://127.0.0.1:9/hook"]
        cls.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        cls.told = json.loads(cls.process.stdout.readline())

    @classmethod
    def tearDownClass(cls):
        cls.process.terminate()
        cls.process.wait(10)
        cls.process.stdout.close()

    def control(self, path, body=None, method=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.told["control"] + path, data=data, method=method)
        with urllib.request.urlopen(request) as answer:
            return json.load(answer)

    def stripe(self, path, **form):
        data = urllib.parse.urlencode(form).encode() if form else None
        request = urllib.request.Request(self.told["url"] + path, data=data)
        request.add_header("Authorization", "Bearer " + self.told["secret_key"])
        with urllib.request.urlopen(request) as answer:
            return json.load(answer)

    def setUp(self):
        self.control("/reset", method="POST")

    def subscribe(self):
        price = {"currency": "usd", "unit_amount": 2000, "recurring[interval]": "month"}
        made = self.stripe("/v1/prices", **price, **{"product_data[name]": "Engine"})
        return self.stripe("/v1/checkout/sessions", **{
            "mode": "subscription",
            "line_items[0][price]": made["id"],
            "line_items[0][quantity]": 1,
            "success_url": "https://app.example/back",
        })

    def test_health(self):
        health = self.control("/health")
        self.assertEqual(health["status"], "ok")
        self.assertEqual(health["secret_key"], self.told["secret_key"])
        self.assertEqual(health["webhook"]["secret"], self.told["webhook_secret"])

    def test_pay_and_renew(self):
        session = self.subscribe()
        paid = self.control("/pay", {"session": session["url"], "email": "ada@example.com"})
        self.assertEqual(paid["outcome"], "paid")
        self.assertEqual(paid["return_url"], "https://app.example/back")
        # An endpoint that refuses invoice.created holds the invoice up for three days.
        moved = self.control("/clock", {"advance": {"days": 35}})
        self.assertEqual(moved["now"], "2026-02-05T00:00:00.000Z")
        invoices = self.stripe("/v1/invoices")["data"]
        self.assertEqual([each["status"] for each in invoices], ["paid", "paid"])

    def test_authenticate(self):
        session = self.subscribe()
        entered = {"email": "ada@example.com", "card": "4000002760003184"}
        paid = self.control("/pay", {"session": session["id"], **entered})
        self.assertEqual(paid["outcome"], "requires_action")
        self.assertEqual(self.control("/authenticate", {"payment": session["id"]})["status"], "complete")

    def test_faults_deliveries_and_reset(self):
        self.control("/faults", {"fault": "error_before", "on": "POST /v1/customers", "times": 1})
        with self.assertRaises(urllib.error.HTTPError) as refused:
            self.stripe("/v1/customers", email="ada@example.com")
        self.assertEqual(refused.exception.code, 500)
        refused.exception.close()
        self.stripe("/v1/customers", email="ada@example.com")
        self.control("/settle", {})
        deliveries = self.control("/deliveries?type=customer.created")["deliveries"]
        self.assertEqual([each["state"] for each in deliveries], ["waiting"])
        self.assertEqual(len(deliveries[0]["attempts"]), 1)
        self.control("/reset", {})
        self.assertEqual(self.stripe("/v1/customers")["data"], [])


unittest.main()
`;

/** By the file's name, what is in it and how it is run. */
export const tests = {
  "vitest.test.mts": { code: vitest, run: ["npx", "vitest", "run", "vitest.test.mts"] },
  "jest.test.cjs": { code: jest, run: ["npx", "jest", "--testMatch", "**/jest.test.cjs"] },
  "node.test.mjs": { code: node, run: ["node", "--test", "node.test.mjs"] },
  "python_test.py": { code: python, run: ["python3", "python_test.py"] },
} as const;
