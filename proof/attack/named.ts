/** Attacks that were once tried by hand, each by its name; those that need a test of their own name it. */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { createBilling } from "../../packages/backend-billing/src/postgres/index.js";
import { createStripeDouble } from "../../packages/backend-billing/src/testing/index.js";
import { missingTitle } from "../../support/titles.js";
import { Broken, type Family } from "./family.js";
import { BASE, type Shop, seconds, sign } from "./shop.js";

type Named = readonly [name: string, run: () => Promise<void>];

/** What holds elsewhere (processes that end, clocks, locks): the test, by its file and words of its title. */
const ELSEWHERE: { readonly [attack: string]: readonly [file: string, words: string] } = {
  "a connection that ends while it is idle": [
    "postgres/service/survival.test.ts",
    "is logged, and the next query takes another",
  ],
  "a middleware that answers first": [
    "postgres/service/survival.test.ts",
    "the application's own time limit may answer before the library does",
  ],
  "a middleware that reads the body": [
    "postgres/service/routes.test.ts",
    "with a middleware that read the body first",
  ],
  "a clock that is a day ahead": [
    "postgres/service/skew.test.ts",
    "a claim that it held is finished by the next caller at once",
  ],
  "a failover that forgets a claim": [
    "postgres/service/claims-lost.test.ts",
    "is made again under the same key",
  ],
  "bodies that fill the memory": [
    "postgres/service/large-body.test.ts",
    "senders that hold more than 32 MB together are turned away",
  ],
  "a name that no index takes": [
    "postgres/long-texts.test.ts",
    "stores a product whose name is as long as Stripe allows",
  ],
  "a list with something that cannot be stored": [
    "postgres/sync/set-aside.test.ts",
    "with an id that no index takes is set aside among good ones",
  ],
  "a data API over the tables": ["postgres/roles.test.ts", "sees nothing of a new installation"],
  "a lock of a whole table": ["postgres/share.test.ts", "the application's own queries go on"],
  "personal data after a deletion": [
    "postgres/service/erase.test.ts",
    "leaves nothing personal in any table",
  ],
  "two applications with one entity's id": [
    "postgres/service/neighbours.test.ts",
    "keep their customers apart",
  ],
  "a way back that is taken again and again": [
    "postgres/service/return-refresh.test.ts",
    "are limited for one customer",
  ],
  "a way back that is altered, so that Stripe is asked": [
    "postgres/service/return.test.ts",
    "with %s is refused",
  ],
  "Stripe's words in a browser": [
    "convex/service/errors.test.ts",
    "of a key never leaves the backend",
  ],
  "every export on Convex, called by a browser": ["convex/service/push.test.ts", "%s is internal"],
  "every function of an application on Convex, called by a stranger": [
    "convex/example.test.ts",
    "each that takes an entity refuses strangers",
  ],
};

/** What `npm run failover` plays, by the name of its scenario. */
const PLAYED: { readonly [attack: string]: string } = { "a disk that is full": "disk-full" };

export function namedFamily(shop: Shop): Family {
  const cases: Named[] = [...events(shop), ...targets(shop), ...others(shop), ...elsewhere()];
  return {
    name: "named",
    share: 0,
    batch: cases.length,
    width: 1,
    attack: async (_dice, index) => {
      const [name, run] = cases[index] ?? [];
      if (name === undefined || run === undefined) throw new Broken("broken", `No case ${index}`);
      await run().catch((error: unknown) => {
        if (!(error instanceof Broken)) throw error;
        throw new Broken(error.fault, `${name}: ${error.message}`);
      });
      return name;
    },
  };
}

const must = (holds: boolean, message: string): void => {
  if (!holds) throw new Broken("broken", message);
};

const event = (type: string, object: object, more: object = {}) => ({
  id: `evt_named_${JSON.stringify([type, object, more]).length}`,
  object: "event",
  api_version: null,
  created: seconds(),
  livemode: false,
  type,
  data: { object },
  ...more,
});

async function post(
  app: { fetch(request: Request): Promise<Response> },
  body: string | Buffer,
  header: string,
): Promise<number> {
  const headers = { "stripe-signature": header };
  const sent = { method: "POST", headers, body: new Uint8Array(Buffer.from(body)) };
  return (await app.fetch(new Request(`${BASE}/stripe/webhook`, sent))).status;
}

/** Signed events, and what each must be answered with. */
function events({ b, secret }: Shop): Named[] {
  const customer = (id: unknown, more: object = {}) => ({ id, object: "customer", ...more });
  const updated = (object: object, more?: object) => event("customer.updated", object, more);
  const carrying = (entityId: unknown) => updated(customer("cus_n", { metadata: { entityId } }));
  const table: [string, unknown, number][] = [
    ["an event of live mode", updated(customer("cus_n"), { livemode: true }), 400],
    ["an event of another account", updated(customer("cus_n"), { account: "acct_other" }), 200],
    ["an event with another context", updated(customer("cus_n"), { context: "acct_other" }), 200],
    ["an event of an unknown type", event("foo.bar", { id: "x" }), 200],
    ["an event of the type __proto__", event("__proto__", { id: "x" }), 200],
    ["a list in place of an event", [], 400],
    ["an event whose id is a number", updated(customer("cus_n"), { id: 5 }), 400],
    ["a time that is a text", updated(customer("cus_n"), { created: "5" }), 400],
    ["a time with a fraction", updated(customer("cus_n"), { created: 1.5 }), 400],
    ["an object whose id is a number", updated(customer(17)), 400],
    ["an object whose id is a list", updated(customer(["q"])), 400],
    ["an object whose id is another path", updated(customer("search")), 400],
    ["an event whose id has half a pair", updated(customer("cus_n"), { id: "evt_\ud800" }), 400],
    ["an object whose id has NUL", updated(customer("cus_\u0000x")), 200],
    ["an object whose id has half a pair", updated(customer("cus_\ud800")), 200],
    ["an object whose id has 3,000 letters", updated(customer("y".repeat(3_000))), 200],
    ["a name with NUL", updated(customer("cus_nul", { name: "a\u0000b" })), 200],
    ["an entity that is an object", carrying({ a: 1 }), 200],
    ["an entity that is a number", carrying(42), 200],
    ["an entity with NUL", carrying("a\u0000b"), 200],
    ["an entity with U+001F", carrying("acct_1\u001fuser_1"), 200],
    ["metadata that is a text", updated(customer("cus_n", { metadata: "entityId" })), 200],
    [
      "an invoice whose customer has NUL",
      event("invoice.paid", { id: "in_2", customer: "c\u0000" }),
      200,
    ],
    [
      "a subscription without a customer",
      event("customer.subscription.updated", { id: "sub_n" }),
      200,
    ],
  ];
  return table.map(([name, body, wanted]) => [
    name,
    async () => {
      const text = JSON.stringify(body);
      const status = await post(b.billing, text, sign(text, secret, seconds()));
      if (status >= 500) throw new Broken("crash", `It was answered with ${status}`);
      must(status === wanted, `It was answered with ${status}, not ${wanted}`);
    },
  ]);
}

/** Addresses that people must not be sent to. */
function targets({ b }: Shop): Named[] {
  const all = [
    "https://evil.example/",
    "//evil.example",
    "javascript:alert(1)",
    "data:text/html,x",
    "https://shop.example@evil.example/",
    "https://shop.example.evil.example/",
    "http://shop.example/",
    "https://{CHECKOUT_SESSION_ID}.shop.example/",
    "https://shop.example{CHECKOUT_SESSION_ID}.evil.example/",
    "blob:https://shop.example/x",
    "ftp://shop.example/",
  ];
  const codeOf = (call: Promise<unknown>) =>
    call.then(
      () => "none",
      (error: { code?: string }) => error.code ?? "none",
    );
  return all.map((target) => [
    `people are sent to ${target}`,
    async () => {
      const args = { entityId: "org_3", lookupKey: "pro:monthly" };
      for (const given of [
        { successUrl: target, cancelUrl: "/" },
        { successUrl: "/", cancelUrl: target },
      ]) {
        const code = await codeOf(b.billing.checkout({ ...args, ...given } as never));
        if (code !== "invalid_argument") throw new Broken("accepted", `The code is ${code}`);
      }
    },
  ]);
}

function others(shop: Shop): Named[] {
  const { b, config, secret, pool, double, stripe } = shop;
  const body = JSON.stringify(event("foo.bar", { id: "x" }));
  const now = () => seconds();
  return [
    [
      "a recorded webhook is made new by a second time",
      async () => {
        const old = sign(body, secret, now() - 5_000);
        for (const header of [`t=${now()},${old}`, `${old},t=${now()}`, `x, t=${now()},${old}`]) {
          const status = await post(b.billing, body, header);
          if (status !== 400) throw new Broken("accepted", `${header}: ${status}`);
        }
      },
    ],
    [
      "bytes that a lenient reader takes for the signed ones",
      async () => {
        const marked = Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), Buffer.from(body)]);
        const status = await post(b.billing, marked, sign(body, secret, now()));
        if (status !== 400) throw new Broken("accepted", `It was answered with ${status}`);
      },
    ],
    [
      "no signing secret, or an empty one",
      async () => {
        for (const webhook_secret of [undefined, "", [], ["", " "]]) {
          const app = createBilling({ ...config, webhook_secret });
          const status = await post(app.billing, body, sign(body, "", now()));
          if (status < 400) throw new Broken("accepted", `${webhook_secret}: ${status}`);
          await app.billing.close();
        }
      },
    ],
    [
      "two signing secrets in one text",
      async () => {
        const app = createBilling({ ...config, webhook_secret: "whsec_old,whsec_new" });
        for (const each of ["whsec_old", "whsec_new"]) {
          must((await post(app.billing, body, sign(body, each, now()))) === 200, each);
        }
        const status = await post(app.billing, body, sign(body, "whsec_old,whsec_new", now()));
        if (status < 400) throw new Broken("accepted", "The whole text is no secret");
        await app.billing.close();
      },
    ],
    [
      "a key of another account",
      async () => {
        const other = await createStripeDouble({ seed: "another account" });
        const app = createBilling({
          ...config,
          secret_key: other.secretKey,
          stripe_options: other.stripeConfig,
        });
        const planted = JSON.stringify(event("customer.updated", { id: "cus_of_the_other" }));
        const status = await post(app.billing, planted, sign(planted, secret, now()));
        const found = await pool.query(
          "SELECT 1 FROM billing.backend_billing_customers WHERE customer_id = 'cus_of_the_other'",
        );
        await app.billing.close();
        await other.close();
        must(status >= 400 && found.rowCount === 0, `${status}, ${found.rowCount} rows`);
      },
    ],
    [
      "a customer that another application planted",
      async () => {
        const { id } = await stripe.customers.create({ metadata: { entityId: "victim" } });
        await double.settle();
        const { customerId } = await b.setup({ entityId: "victim" });
        must(customerId !== id, "The victim was given the planted customer");
      },
    ],
    [
      "entities with odd ids",
      async () => {
        for (const entityId of [
          "'; DROP TABLE x; --",
          "__proto__",
          "\u202eabc",
          "💥".repeat(250),
        ]) {
          must((await b.setup({ entityId })).customerId !== "", entityId);
        }
      },
    ],
  ];
}

const at = (path: string): string => fileURLToPath(new URL(`../../${path}`, import.meta.url));

const elsewhere = (): Named[] => [
  ...Object.entries(ELSEWHERE).map(
    ([name, [file, words]]): Named => [
      `${name} (${file}: ${words})`,
      async () => {
        const missing = missingTitle(at(`packages/backend-billing/test/${file}`), words);
        must(missing === undefined, missing ?? "");
      },
    ],
  ),
  ...Object.entries(PLAYED).map(
    ([name, scenario]): Named => [
      `${name} (npm run failover -- --only ${scenario})`,
      async () => {
        const scenarios = readFileSync(at("proof/failover.ts"), "utf8");
        must(scenarios.includes(`  "${scenario}": `), `There is no scenario ${scenario} any more`);
      },
    ],
  ),
];
