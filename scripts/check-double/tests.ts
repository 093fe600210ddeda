/**
 * Tests of a stranger: the recipes of the documentation as they stand there, and one in a language
 * that is not JavaScript, over the control API.
 */
import { readFileSync } from "node:fs";
import { blocksOf } from "../docs/blocks.js";

const page = new URL("../../docs/recipes/double.md", import.meta.url);
const recipes = new Map(
  blocksOf(readFileSync(page, "utf8")).map(({ file, code }) => [file, code] as const),
);

function recipe(file: string): string {
  const code = recipes.get(file);
  if (code === undefined) throw new Error(`docs/recipes/double.md has no file ${file}`);
  return code;
}

/** The browser of the machine, instead of one that Playwright would download. */
const browser = `export default {
  use: { launchOptions: { executablePath: "/usr/bin/chromium", args: ["--no-sandbox"] } },
};
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

/** By the file's name, what is in it and how it is run; what is not run is there for the next. */
export const tests: {
  readonly [file: string]: { readonly code: string; readonly run?: readonly string[] };
} = {
  "vitest.test.mts": {
    code: recipe("vitest.test.mts"),
    run: ["npx", "vitest", "run", "vitest.test.mts"],
  },
  "jest.test.cjs": {
    code: recipe("jest.test.cjs"),
    run: ["npx", "jest", "--testMatch", "**/jest.test.cjs"],
  },
  "node.test.mjs": { code: recipe("node.test.mjs"), run: ["node", "--test", "node.test.mjs"] },
  "playwright.config.mjs": { code: browser },
  "playwright.spec.mjs": {
    code: recipe("playwright.spec.mjs"),
    run: ["npx", "playwright", "test", "playwright.spec.mjs", "--reporter=line"],
  },
  "python_test.py": { code: python, run: ["python3", "python_test.py"] },
};
