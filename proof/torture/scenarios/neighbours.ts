/** An account that is shared, and keys and events of another one. */
import Stripe from "stripe";
import { sleep } from "../harness/patience.js";
import type { Family, Scenario } from "../harness/scenario.js";
import type { Stage } from "../harness/stage.js";
import type { Instance, Surroundings } from "../harness/subject.js";

const ADA = { entityId: "2", email: "ada@example.com" };
const EVE = { entityId: "3", email: "eve@example.com" };
/** Other people, whom another application calls by the same ids. */
const BOB = { entityId: "2", email: "bob@example.org" };
const MAX = { entityId: "3", email: "max@example.org" };

/** Milliseconds after which Stripe's search finds what was written. */
const INDEXED = 21_000;

/** How an application hears of what others did at Stripe. */
interface Way extends Pick<Scenario, "about" | "needs"> {
  readonly name: string;
  readonly words: string;
  /** Before anything happens. */
  begin(t: Stage, on: readonly Instance[]): Promise<void>;
  hear(t: Stage, on: readonly Instance[]): Promise<void>;
}

const WAYS: readonly Way[] = [
  {
    name: "told",
    words: "by webhook",
    about: [],
    needs: ["setup"],
    begin: async () => {},
    hear: async (t) => {
      await t.deliver();
    },
  },
  {
    name: "copied",
    words: "by a backfill, and no webhook arrives",
    about: ["customer"],
    needs: ["setup", "backfill"],
    begin: async () => {},
    hear: async (t, on) => {
      t.lose(t.held());
      for (const each of on) await t.backfill(each);
    },
  },
  {
    name: "caught-up",
    words: "when it looks for what it missed, and no webhook arrives",
    about: ["customer"],
    needs: ["setup", "backfill", "repair"],
    begin: async (t, on) => {
      for (const each of on) await t.backfill(each);
    },
    hear: async (t, on) => {
      t.lose(t.held());
      await t.later();
      for (const each of on) await t.catchUp(each);
    },
  },
];

/** The same history for each way of hearing of it. */
function inEachWay(
  history: Pick<Scenario, "name" | "must"> & {
    what(words: string): string;
    play(t: Stage, way: Way): Promise<void>;
  },
): Scenario[] {
  return WAYS.map((way) => ({
    name: `${history.name}-${way.name}`,
    what: history.what(way.words),
    must: history.must,
    about: way.about,
    needs: way.needs ?? [],
    sharesAccount: true,
    play: (t) => history.play(t, way),
  }));
}

/** What is written by hand: the entity's id under the keys that subjects use, and nothing else. */
const carrying = (entityId: string) => ({ metadata: { entityId, userId: entityId } });

/** Checks that an application's tables give an entity this customer and no other. */
async function checkOwner(t: Stage, on: Instance, entityId: string, customer: string) {
  const owned = Object.entries((await on.owners?.()) ?? {})
    .filter(([, owner]) => owner === entityId)
    .map(([id]) => id);
  t.check(owned.includes(customer), "its tables do not say whose the entity's customer is");
  const others = owned.length - (owned.includes(customer) ? 1 : 0);
  t.check(others === 0, "its tables say that the entity owns a customer of somebody else");
}

async function wasRefused(call: () => Promise<unknown>): Promise<boolean> {
  return call().then(
    (answer) => answer === false,
    () => true,
  );
}

/** The ids of what an application could make there. */
const madeAt = (stripe: Stripe) =>
  Promise.all([stripe.customers.list(), stripe.webhookEndpoints.list()]).then((lists) =>
    lists.flatMap(({ data }) => data.map(({ id }) => id)).join(),
  );

/** Starts the application with another key over its data, has it try everything, and goes back. */
async function playOtherKey(t: Stage, around: Partial<Surroundings>, there: Stripe) {
  const own = await t.setupPatiently(ADA);
  await t.deliver();
  await t.backfill();
  await t.settle();
  const seen = async () =>
    JSON.stringify([await t.instance().rows("customer"), await t.instance().owners?.()]);
  await there.customers.create({ email: ADA.email, metadata: carrying(ADA.entityId).metadata });
  const [before, thereBefore] = [await seen(), await madeAt(there)];

  await t.restart({ around });
  const wrong = t.instance();
  const calls = {
    "a new entity's setup": () => wrong.setup?.(EVE),
    "a known entity's setup": () => wrong.setup?.(ADA),
    "the backfill": () => wrong.backfill?.(["customer"]),
    "the repair": () => wrong.repair?.(["customer"]),
    "the endpoint's installation": () => wrong.endpoint?.(),
  };
  for (const [what, call] of Object.entries(calls)) {
    t.check(await wasRefused(async () => call()), `${what} was not refused`);
  }
  await t.stripe.customers.update(own, { name: "Ada" });
  const answers = await t.deliver();
  t.check(
    answers.every((status) => status >= 400),
    "an event was taken while the key was wrong",
  );
  t.check((await seen()) === before, "its data has changed");
  t.check((await madeAt(there)) === thereBefore, "something was made with the other key");

  await t.restart();
  t.check((await t.setupPatiently(ADA)) === own, "the entity has lost its customer");
}

export const neighbours: Family = {
  name: "neighbours",
  title: "Neighbours",
  why: "Several applications share one account, people write metadata by hand, and keys are mixed up.",
  scenarios: [
    ...inEachWay({
      name: "two-applications",
      what: (words) =>
        `Two applications on one account call different people by the same ids. Each hears of the other's customer ${words}; then its own entity is set up.`,
      must: "Each has a customer of its own, and neither application's tables say otherwise.",
      play: async (t, way) => {
        const first = t.instance();
        const second = await t.neighbour();
        const both = [first, second];
        const hear = async () => {
          await way.hear(t, both);
          for (const each of both) await each.settle();
        };
        await way.begin(t, both);
        const ada = await t.setupPatiently(ADA, first);
        const max = await t.setupPatiently(MAX, second);
        await hear();
        const bob = await t.setupPatiently(BOB, second);
        const eve = await t.setupPatiently(EVE, first);
        t.check(bob !== ada, "the second application was given the first one's customer");
        t.check(eve !== max, "the first application was given the second one's customer");
        await hear();
        t.check((await t.setupPatiently(ADA, first)) === ada, "an entity's customer has changed");
        t.check((await t.setupPatiently(BOB, second)) === bob, "an entity's customer has changed");
        await checkOwner(t, first, ADA.entityId, ada);
        await checkOwner(t, first, EVE.entityId, eve);
        await checkOwner(t, second, BOB.entityId, bob);
        await checkOwner(t, second, MAX.entityId, max);
      },
    }),
    {
      name: "two-applications-at-once",
      what: "Two applications on one account, which call different people by the same id, set them up at the same moment.",
      must: "There are two customers at Stripe, and each application has its own.",
      about: [],
      needs: ["setup"],
      sharesAccount: true,
      play: async (t) => {
        const second = await t.neighbour();
        const [ada, bob] = await Promise.all([
          t.setupPatiently(ADA),
          t.setupPatiently(BOB, second),
        ]);
        t.check(ada !== bob, "both were given the same customer");
        const made = t.double.objects("customer").length;
        t.check(made === 2, `there are ${made} customers at Stripe`);
      },
    },
    ...inEachWay({
      name: "planted",
      what: (words) =>
        `A customer is made in the dashboard whose metadata carries an entity's id. The application hears of it ${words}; then the entity is set up.`,
      must: "The entity does not get that customer, and the tables do not say that it owns it.",
      play: async (t, way) => {
        await way.begin(t, [t.instance()]);
        const planted = await t.stripe.customers.create(carrying(ADA.entityId));
        await way.hear(t, [t.instance()]);
        await t.settle();
        const own = await t.setupPatiently(ADA);
        t.check(own !== planted.id, "the entity was given the planted customer");
        await way.hear(t, [t.instance()]);
        await t.settle();
        await checkOwner(t, t.instance(), ADA.entityId, own);
      },
    }),
    {
      name: "planted-at-stripe",
      what: "A customer is made in the dashboard whose metadata carries an entity's id. Nobody tells the application; when Stripe's search finds it, the entity is set up.",
      must: "The entity does not get that customer.",
      about: [],
      needs: ["setup"],
      sharesAccount: true,
      long: true,
      play: async (t) => {
        const planted = await t.stripe.customers.create(carrying(ADA.entityId));
        t.lose(t.held());
        await sleep(INDEXED);
        const own = await t.setupPatiently(ADA);
        t.check(own !== planted.id, "the entity was given the planted customer");
      },
    },
    ...inEachWay({
      name: "edited",
      what: (words) =>
        `Two customers of nobody get metadata by hand: one a copy of an entity's own customer's, the other the id of an entity without a customer. The application hears of it ${words}.`,
      must: "The first entity keeps its customer, and the second gets a new one.",
      play: async (t, way) => {
        const on = [t.instance()];
        await way.begin(t, on);
        const ada = await t.setupPatiently(ADA);
        const copy = await t.stripe.customers.create({ name: "Copy" });
        const marked = await t.stripe.customers.create({ name: "Marked" });
        await way.hear(t, on);
        await t.later();
        const own = await t.stripe.customers.retrieve(ada);
        if (own.deleted) throw new Error("The entity's customer is gone");
        await t.stripe.customers.update(copy.id, { metadata: own.metadata });
        await t.stripe.customers.update(marked.id, carrying(EVE.entityId));
        await way.hear(t, on);
        await t.settle();
        t.check((await t.setupPatiently(ADA)) === ada, "the first entity's customer has changed");
        const eve = await t.setupPatiently(EVE);
        t.check(eve !== marked.id, "the second entity was given a customer that was edited");
        await way.hear(t, on);
        await t.settle();
        await checkOwner(t, t.instance(), ADA.entityId, ada);
        await checkOwner(t, t.instance(), EVE.entityId, eve);
      },
    }),
    {
      name: "key-of-another-account",
      what: "The application is started over its data with the key of another account, and with its own key again.",
      must: "Everything is refused before anything is written here or there, and then goes on as before.",
      about: ["customer"],
      needs: ["setup", "backfill", "one account"],
      play: async (t) => {
        const { around, stripe } = await t.elsewhere();
        await playOtherKey(t, around, stripe);
      },
    },
    {
      name: "key-of-the-other-mode",
      what: "The application is started over its data with the account's live key, and with its own key again.",
      must: "Everything is refused before anything is written here or there, and then goes on as before.",
      about: ["customer"],
      needs: ["setup", "backfill", "one account"],
      play: async (t) => {
        const secretKey = t.double.liveSecretKey;
        await playOtherKey(t, { secretKey }, new Stripe(secretKey, t.double.stripeConfig));
      },
    },
    {
      name: "events-of-another-account",
      what: "Events that name another account reach the endpoint, as a connected account's and an organisation's do, and one that names the account itself.",
      must: "Only the last is stored, and no entity gets a customer of the other account.",
      about: ["customer"],
      needs: ["setup", "connect"],
      play: async (t) => {
        const own = await t.setupPatiently(ADA);
        await t.deliver();
        const theirs = (number: number, entityId: string) => ({
          id: `cus_theirs${number}`,
          object: "customer",
          created: t.double.clock.seconds(),
          livemode: false,
          name: "Theirs",
          email: null,
          ...carrying(entityId),
        });
        const { account } = t.double;
        const places = [
          { account: "acct_other" },
          { context: "acct_other" },
          { context: `${account}/acct_other` },
        ];
        for (const [index, place] of places.entries()) {
          const entityId = index === 0 ? ADA.entityId : EVE.entityId;
          await t.post({ ...t.event("customer.created", theirs(index, entityId)), ...place });
        }
        const mine = await t.stripe.customers.create({ name: "Ours" });
        t.lose(t.held());
        await t.post({ ...t.event("customer.created", mine), context: account });
        await t.settle();
        const ids = t.double.objects("customer").map(({ id }) => id);
        t.check((await t.setupPatiently(ADA)) === own, "the entity's customer has changed");
        const eve = await t.setupPatiently(EVE);
        t.check(!ids.includes(eve) && !eve.includes("theirs"), "an entity has another's customer");
      },
    },
    {
      name: "events-of-the-other-mode",
      what: "A live endpoint delivers to the application's address, and the application has its secret too.",
      must: "Live customers are not stored, and no entity gets one.",
      about: ["customer"],
      needs: ["setup", "several secrets", "one account"],
      play: async (t) => {
        const own = await t.setupPatiently(ADA);
        await t.deliver();
        const live = new Stripe(t.double.liveSecretKey, t.double.stripeConfig);
        const [endpoint] = t.double.objects("webhook_endpoint");
        const { secret = "" } = await live.webhookEndpoints.create({
          url: endpoint?.url ?? "",
          enabled_events: ["customer.created", "customer.updated"],
        });
        await t.restart({ secrets: [...t.installed.secrets, secret] });
        const ids = [];
        for (const { entityId } of [ADA, EVE]) {
          ids.push((await live.customers.create(carrying(entityId))).id);
        }
        await t.deliver();
        await t.settle();
        t.check((await t.setupPatiently(ADA)) === own, "the entity's customer has changed");
        t.check(!ids.includes(await t.setupPatiently(EVE)), "an entity has a live customer");
      },
    },
  ],
};
