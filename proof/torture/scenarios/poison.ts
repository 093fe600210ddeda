/** One object that a table may refuse, among fifty good ones. */
import { longText } from "../../../support/long-text.js";
import type { Family, Scenario } from "../harness/scenario.js";
import type { Stage } from "../harness/stage.js";

interface Poison {
  readonly name: string;
  readonly what: string;
  /** What is odd about the product. */
  readonly fields: { readonly [field: string]: unknown };
}

const deep = (levels: number): object => (levels === 0 ? {} : { inner: deep(levels - 1) });

const POISONS: readonly Poison[] = [
  {
    name: "long-name",
    what: "a name of 5,000 characters that do not compress",
    fields: { name: longText(5000) },
  },
  { name: "nul", what: "a NUL in its name", fields: { name: "a\u0000b" } },
  {
    name: "lone-surrogate",
    what: "half of a surrogate pair in its name",
    fields: { name: "a\ud800b" },
  },
  {
    name: "beyond-every-limit",
    what: "two megabytes of text (in an event as much as Stripe sends), a nesting of 70 and a field name of 1,100 characters",
    fields: {
      name: "Beyond",
      description: longText(700_000),
      metadata: { ["k".repeat(1100)]: "v", deep: deep(70) },
    },
  },
];

/** As large as Stripe makes an event: 256 kB at most. */
function asEvent(poison: Poison): Poison {
  const { description, ...fields } = poison.fields;
  if (typeof description !== "string") return poison;
  return { ...poison, fields: { ...fields, description: description.slice(0, 60_000) } };
}

const GOOD = 50;

interface Product {
  readonly id: string;
  readonly object: "product";
}

/** Fifty good products, and the bad one in their middle. No events tell of them. */
async function makeProducts(t: Stage, { fields }: Poison): Promise<string> {
  const { id, ...likeness } = await t.stripe.products.create({ name: "Good" });
  t.lose(t.held());
  const { lastResponse: _, ...plain } = likeness as typeof likeness & { lastResponse?: unknown };
  await t.later(); // they are made after what is there already
  const now = new Date(t.double.clock.now());
  t.double.populate({
    object: "product",
    count: GOOD + 1,
    from: now,
    to: now,
    make: (index, seed) =>
      ({
        ...structuredClone(plain),
        ...seed,
        name: `Good ${index}`,
        ...(index === GOOD / 2 ? fields : {}),
      }) as never,
  });
  const products = t.double.objects("product").filter((each) => each.id !== id);
  const bad = products.find(({ name }) => name === fields.name);
  if (bad === undefined) throw new Error("The bad product was not made");
  return bad.id;
}

/** The good ones are all there; the bad one is there too, or the subject says that it is not. */
async function judge(t: Stage, bad: string): Promise<void> {
  await t.settle();
  const stored = new Set((await t.instance().rows("product")).map(({ id }) => id));
  const missing = t.double.objects("product").filter(({ id }) => !stored.has(id));
  const good = missing.filter(({ id }) => id !== bad);
  t.check(good.length === 0, `${good.length} good products are missing`);
  const reported = (await t.instance().setAside?.()) ?? [];
  const isTold = stored.has(bad) || reported.includes(bad);
  t.check(isTold, "the bad product is neither stored nor reported");
}

const WAYS: readonly (Pick<Scenario, "needs"> & {
  readonly name: string;
  readonly what: string;
  come(t: Stage, poison: Poison): Promise<string>;
})[] = [
  {
    name: "webhook",
    what: "events tell of them",
    come: async (t, poison) => {
      const bad = await makeProducts(t, asEvent(poison));
      const products = t.double.objects("product") as unknown as readonly Product[];
      let wrong = 0;
      for (const product of products) {
        const event = t.event("product.created", product);
        let status = await t.post(event);
        if (status >= 300) status = await t.post(event); // as Stripe does
        if (status >= 300) wrong++;
      }
      t.check(wrong === 0, `${wrong} events are refused whenever they are sent`);
      return bad;
    },
  },
  {
    name: "backfill",
    what: "a backfill copies them",
    needs: ["backfill"],
    come: async (t, poison) => {
      const bad = await makeProducts(t, poison);
      await t.backfill();
      return bad;
    },
  },
  {
    name: "missed",
    what: "no event tells of them, and a repair finds them",
    needs: ["repair"],
    come: async (t, poison) => {
      await t.backfill();
      const bad = await makeProducts(t, poison);
      await t.later();
      await t.repair();
      return bad;
    },
  },
];

export const poison: Family = {
  name: "poison",
  title: "Poison",
  why: "Names and ids are as long and as odd as the people who choose them, and a table has limits.",
  scenarios: POISONS.flatMap((each) =>
    WAYS.map(
      ({ name, what, needs, come }): Scenario => ({
        name: `${each.name}-by-${name}`,
        what: `One of fifty products has ${each.what}; ${what}.`,
        must: "The others are all there, and that one is there or reported.",
        about: ["product"],
        judged: "by itself",
        ...(needs === undefined ? {} : { needs }),
        play: async (t) => judge(t, await come(t, each)),
      }),
    ),
  ),
};
