/** One entity, one customer: races, retries, strangers with the same email, deletions. */
import type { Family } from "../harness/scenario.js";

const ADA = { entityId: "user_1", email: "ada@example.com" };

export const customers: Family = {
  name: "customers",
  title: "Customers and races",
  why: "Two customers for one person mean two subscriptions, and one of them pays for nothing.",
  scenarios: [
    {
      name: "race",
      what: "Setup is called twenty times at once for one entity.",
      must: "There is one customer at Stripe, and every call answers it.",
      about: [],
      needs: ["setup"],
      play: async (t) => {
        const calls = Array.from({ length: 20 }, () => t.setupPatiently(ADA));
        const answers = new Set(await Promise.all(calls));
        t.check(answers.size === 1, `${answers.size} different customers were answered`);
        t.checkOneCustomer([...answers][0] ?? "");
      },
    },
    {
      name: "race-of-two-instances",
      what: "Two instances of the application call setup ten times each for one entity.",
      must: "There is one customer at Stripe, and every call answers it.",
      about: [],
      needs: ["setup", "kill"],
      play: async (t) => {
        const other = await t.another();
        const calls = Array.from({ length: 20 }, (_, index) =>
          t.setupPatiently(ADA, index % 2 === 0 ? undefined : other),
        );
        const answers = new Set(await Promise.all(calls));
        t.check(answers.size === 1, `${answers.size} different customers were answered`);
        t.checkOneCustomer([...answers][0] ?? "");
      },
    },
    {
      name: "slow-stripe",
      what: "Stripe takes two seconds to create a customer; the person clicks again meanwhile.",
      must: "There is one customer at Stripe.",
      about: [],
      needs: ["setup"],
      play: async (t) => {
        t.fault({ fault: "latency", on: "POST /v1/customers", milliseconds: 2000 });
        const first = t.setupPatiently(ADA);
        await t.later();
        const answers = new Set(await Promise.all([first, t.setupPatiently(ADA)]));
        t.check(answers.size === 1, `${answers.size} different customers were answered`);
        t.checkOneCustomer([...answers][0] ?? "");
      },
    },
    {
      name: "created-but-told-500",
      what: "Stripe creates the customer and answers 500, which it repeats for the same idempotency key; setup is called until it succeeds.",
      must: "There is one customer at Stripe, and the entity has it.",
      about: [],
      needs: ["setup"],
      long: true,
      play: async (t) => {
        t.fault({ fault: "error_after", on: "POST /v1/customers", times: 1 });
        t.checkOneCustomer(await t.setupPatiently(ADA));
      },
    },
    {
      name: "created-but-cut-off",
      what: "Stripe creates the customer and the connection breaks before the answer, three times; setup is called until it succeeds.",
      must: "There is one customer at Stripe, and the entity has it.",
      about: [],
      needs: ["setup"],
      play: async (t) => {
        t.fault({ fault: "cut_after", on: "POST /v1/customers", times: 3 });
        t.checkOneCustomer(await t.setupPatiently(ADA));
      },
    },
    {
      name: "two-entities-with-one-email",
      what: "Two entities with the same email are set up, such as a user and their company.",
      must: "They have different customers.",
      about: [],
      needs: ["setup", "shared emails"],
      play: async (t) => {
        const one = await t.setupPatiently(ADA);
        await t.deliver();
        const two = await t.setupPatiently({ ...ADA, entityId: "org_1" });
        t.check(one !== two, "both have the same customer");
      },
    },
    {
      name: "stranger-with-the-email",
      what: "A customer with somebody's email was made in the dashboard; then a new entity signs up with that email.",
      must: "The new entity does not get the stranger's customer, with its cards and invoices.",
      about: [],
      needs: ["setup"],
      play: async (t) => {
        const stranger = await t.stripe.customers.create({ email: ADA.email, name: "A stranger" });
        await t.deliver();
        const own = await t.setupPatiently(ADA);
        t.check(own !== stranger.id, "it was given a stranger's customer because of its email");
      },
    },
    {
      name: "deleted-and-set-up-again",
      what: "An entity's customer is deleted at Stripe, and the entity is set up again.",
      must: "It has a new customer that exists.",
      about: [],
      needs: ["setup"],
      play: async (t) => {
        const old = await t.setupPatiently(ADA);
        await t.deliver();
        await t.later();
        await t.stripe.customers.del(old);
        await t.deliver();
        await t.settle();
        const anew = await t.setupPatiently(ADA);
        const alive = t.double.objects("customer").map(({ id }) => id);
        t.check(alive.includes(anew), "it was given a customer that is deleted");
      },
    },
    {
      name: "customer-of-nobody",
      what: "After an entity is set up, a customer without any metadata is made in the dashboard and changed.",
      must: "The entity still has its own customer, untouched.",
      about: [],
      needs: ["setup"],
      play: async (t) => {
        const own = await t.setupPatiently(ADA);
        await t.deliver();
        const nobody = await t.stripe.customers.create({ name: "Nobody" });
        await t.deliver();
        await t.later();
        await t.stripe.customers.update(nobody.id, { name: "Nobody else" });
        await t.deliver();
        await t.settle();
        const rows = t.subject.mirrors.includes("customer")
          ? await t.instance().rows("customer")
          : [];
        const row = rows.find(({ id }) => id === own);
        t.check(rows.length === 0 || row !== undefined, "the entity's customer was overwritten");
        t.check((await t.setupPatiently(ADA)) === own, "the entity was given another customer");
      },
    },
    {
      name: "edited-metadata",
      what: "Somebody edits a customer's metadata at Stripe so that it names another entity.",
      must: "Both entities keep their own customers.",
      about: [],
      needs: ["setup"],
      play: async (t) => {
        const ada = await t.setupPatiently(ADA);
        const bob = await t.setupPatiently({ entityId: "user_2", email: "bob@example.com" });
        await t.deliver();
        await t.later();
        const { metadata } = await t.stripe.customers.retrieve(ada).then((each) => {
          if (each.deleted) throw new Error("It is gone");
          return each;
        });
        // Whatever key the subject uses for the entity.
        const edited = Object.keys(metadata).map((key) => [key, metadata[key]?.replace("1", "2")]);
        await t.stripe.customers.update(ada, {
          metadata: Object.fromEntries(edited) as Record<string, string>,
        });
        await t.deliver();
        await t.settle();
        const again = await t.setupPatiently({ entityId: "user_2", email: "bob@example.com" });
        t.check(again === bob, "the second entity was given the first one's customer");
        t.check((await t.setupPatiently(ADA)) === ada, "the first entity lost its customer");
      },
    },
  ],
};
