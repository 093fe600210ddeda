/**
 * The story of one application's catalogue in an account that it shares: pushed, edited, pushed
 * again, sometimes cut off in the middle, sometimes edited by hand, with people who subscribe. After
 * each push an independent reading says what is wrong.
 */
import Stripe from "stripe";
import * as library from "../../packages/backend-billing/src/catalogue/index.js";
import { observe } from "../../packages/backend-billing/src/push/observed.js";
import { catalogueText } from "../../packages/backend-billing/src/push/pull.js";
import { type PushOptions, planPush, push } from "../../packages/backend-billing/src/push/push.js";
import { stream } from "../../packages/stripe-double/src/world/random.js";
import { createPatientDouble } from "../patient-double.js";
import { catalogueOf } from "./definition.js";
import { handEdits } from "./hand.js";
import { accountOf, wrongIn } from "./reading.js";
import { edited, firstName, type Next, newShop, type Shop } from "./shop.js";

export interface StoryOptions {
  readonly seed: string;
  readonly index: number;
  /** How often the catalogue is edited. */
  readonly edits: number;
}

export interface StoryOutcome {
  /** How often each thing happened. */
  readonly counts: ReadonlyMap<string, number>;
  /** What is wrong, in words; the story ends with the first. */
  readonly wrong: readonly string[];
}

/** A subscription, and the prices that it was made with. */
interface Subscriber {
  readonly id: string;
  readonly product: string;
  readonly prices: string;
}

interface Stage {
  readonly next: Next;
  readonly stripe: Stripe;
  readonly subscribers: Subscriber[];
  /** Ids of products and prices that were ever there. */
  readonly ever: Set<string>;
  count(what: string): void;
}

export async function playStory({ seed, index, edits }: StoryOptions): Promise<StoryOutcome> {
  const counts = new Map<string, number>();
  const next = stream(seed, "push", index);
  const double = await createPatientDouble({ seed: `${seed} ${index}` });
  const stage: Stage = {
    next,
    stripe: new Stripe(double.secretKey, double.stripeConfig),
    subscribers: [],
    ever: new Set(),
    count: (what) => counts.set(what, (counts.get(what) ?? 0) + 1),
  };
  const wrong: string[] = [];
  try {
    await settle(stage);
    let shop = newShop(next, "acme");
    const earlier: Shop[] = [];
    for (let edit = 0; edit <= edits && wrong.length === 0; edit += 1) {
      const done = edit === 0 ? ["the first push"] : [];
      if (edit > 0) {
        const [after, names] = edited(next, shop, earlier);
        earlier.push(shop);
        shop = after;
        done.push(...names);
      }
      for (const name of done) stage.count(name);
      const found = await pushed(stage, shop);
      wrong.push(...found.map((each) => `story ${index}, edit ${edit} (${done}): ${each}`));
      if (wrong.length === 0) await live(stage, shop);
    }
  } catch (error) {
    wrong.push(`story ${index}: ${error instanceof Error ? error.stack : String(error)}`);
  } finally {
    await double.close();
  }
  return { counts, wrong };
}

/** What is there before: another application's plans, and a product made by hand. */
async function settle({ next, stripe }: Stage): Promise<void> {
  await push(stripe, catalogueOf(newShop(next, "acme.eu")));
  const poster = await stripe.products.create({ id: "poster", name: "Poster" });
  const once = { product: poster.id, currency: "usd", unit_amount: 900, lookup_key: "poster" };
  await stripe.prices.create(once);
}

async function pushed(stage: Stage, shop: Shop): Promise<string[]> {
  const { stripe, next } = stage;
  const catalogue = catalogueOf(shop);
  const others = await othersOf(stripe);
  if (next() < 0.4) await cutOff(stage, catalogue);
  const { rest } = await push(stripe, catalogue);
  stage.count("pushes");
  const held = await heldProducts(stage, shop);
  const account = await accountOf(stripe);
  const wrong = wrongIn(shop, account, held);
  if (rest.drift.length > 0) wrong.push(`drift that no person made: ${JSON.stringify(rest.drift)}`);
  const refused = new Set(rest.conflicts.map(({ id }) => id));
  if ([...refused].sort().join() !== [...held].sort().join()) {
    wrong.push(`refused ${[...refused]}, with subscribers are ${[...held]}`);
  }
  for (const _ of refused) stage.count("plans with subscribers that may not leave");
  if (others !== (await othersOf(stripe))) wrong.push("what belongs to others was changed");
  const ids = new Set([...account.products, ...account.prices].map(({ id }) => id));
  for (const id of stage.ever) if (!ids.has(id)) wrong.push(`${id} was deleted`);
  for (const id of ids) stage.ever.add(id);
  const active = account.meters.filter(({ status }) => status === "active");
  if (active.length > 1) wrong.push(`${active.length} meters of one event`);
  wrong.push(...(await movedSubscribers(stage)));
  const again = await planPush(stripe, catalogue);
  if (again.operations.length > 0) wrong.push(`not done: ${JSON.stringify(again.operations)}`);
  if (wrong.length === 0 && refused.size === 0) wrong.push(...(await pulledBack(stage, shop)));
  if (wrong.length === 0 && next() < 0.5) wrong.push(...(await editedByHand(stage, shop, held)));
  return wrong;
}

/** A push that ends in the middle, as one does whose process is killed. */
async function cutOff({ next, stripe, count }: Stage, catalogue: library.AnyCatalogue) {
  let left = 1 + Math.floor(next() * 8);
  const onDone: PushOptions["onDone"] = () => {
    left -= 1;
    if (left === 0) throw new Error("cut off");
  };
  await push(stripe, catalogue, { onDone }).then(
    () => count("pushes with nothing to cut off"),
    (error: Error) => {
      if (error.message !== "cut off") throw error;
      count("pushes cut off");
    },
  );
}

/** Everything of the account that is not the application's, as text. */
async function othersOf(stripe: Stripe): Promise<string> {
  const { products, prices } = await accountOf(stripe);
  const theirs = products.filter(({ metadata }) => metadata.billing_app !== "acme");
  const ids = new Set(theirs.map(({ id }) => id));
  return JSON.stringify([theirs, prices.filter(({ product }) => ids.has(String(product)))]);
}

/** Products that are in no plan any more and have a live subscription. */
async function heldProducts({ stripe, subscribers }: Stage, shop: Shop): Promise<Set<string>> {
  const kept = new Set(shop.plans.map((plan) => `acme_${firstName(plan)}`));
  const held = new Set<string>();
  for (const { id, product } of subscribers) {
    const { status } = await stripe.subscriptions.retrieve(id);
    if (status !== "canceled" && !kept.has(product)) held.add(product);
  }
  return held;
}

const pricesOf = ({ items }: Stripe.Subscription): string =>
  items.data
    .map(({ price }) => price.id)
    .sort()
    .join(" ");

async function movedSubscribers({ stripe, subscribers }: Stage): Promise<string[]> {
  const wrong: string[] = [];
  for (const { id, prices } of subscribers) {
    const now = pricesOf(await stripe.subscriptions.retrieve(id));
    if (now !== prices) wrong.push(`${id} had ${prices}, and has ${now}`);
  }
  return wrong;
}

/** Pulls a file, runs it, and pushes what it says: nothing is to be done. */
async function pulledBack({ stripe, count }: Stage, shop: Shop): Promise<string[]> {
  const observed = await observe(stripe, { app: shop.app, products: [], keys: [] });
  const text = catalogueText(shop.app, observed);
  const body = text
    .replace(/^import .*$/m, "")
    .replace("export const catalogue = defineCatalogue", "return library.defineCatalogue")
    .replace(/(?<![\w".])(usd|eur|money)\(/g, "library.$1(");
  const read = new Function("library", body) as (given: typeof library) => library.AnyCatalogue;
  const plan = await planPush(stripe, read(library));
  const { operations, drift, conflicts, unmanaged } = plan;
  count("files pulled");
  const rest = [...operations, ...drift, ...conflicts];
  const isListed = unmanaged.some(({ id }) => id === "poster");
  return [
    ...(rest.length === 0 ? [] : [`after a pull: ${JSON.stringify(rest)}\n${text}`]),
    ...(isListed ? [] : ["what is not managed is not listed"]),
  ];
}

/** An edit in the dashboard is shown and stays; on request it is overwritten. */
async function editedByHand(
  { stripe, next, count }: Stage,
  shop: Shop,
  held: ReadonlySet<string>,
): Promise<string[]> {
  const catalogue = catalogueOf(shop);
  const possible = handEdits(shop, await accountOf(stripe));
  const edit = possible[Math.floor(next() * possible.length)];
  if (edit === undefined) return [];
  await edit.make(stripe);
  count(`by hand: ${edit.name}`);
  const before = JSON.stringify(await accountOf(stripe));
  const { rest, done } = await push(stripe, catalogue);
  const wrong: string[] = [];
  if (rest.drift.length === 0) wrong.push(`no drift after an edit by hand: ${edit.name}`);
  if (done.length > 0 || JSON.stringify(await accountOf(stripe)) !== before) {
    wrong.push(`overwritten unasked: ${edit.name}, ${JSON.stringify(done)}`);
  }
  await push(stripe, catalogue, { overwrite: true });
  const after = wrongIn(shop, await accountOf(stripe), held);
  return [...wrong, ...after.map((each) => `after --overwrite of ${edit.name}: ${each}`)];
}

/** People come and go. */
async function live({ next, stripe, subscribers, count }: Stage, shop: Shop): Promise<void> {
  for (const { id } of subscribers) {
    if (next() > 0.25) continue;
    const { status } = await stripe.subscriptions.retrieve(id);
    if (status !== "canceled") await stripe.subscriptions.cancel(id);
  }
  const sold = shop.plans.filter(({ isRetired, prices }) => !isRetired && prices.length > 0);
  const plan = sold[Math.floor(next() * sold.length)];
  const price = plan?.prices[Math.floor(next() * plan.prices.length)];
  if (plan === undefined || price === undefined || next() < 0.3) return;
  const key = `acme:${plan.name}:${price.name}`;
  const keys = plan.calls?.mills ? [key, `${key}:calls`] : [key];
  const { data } = await stripe.prices.list({ lookup_keys: keys });
  const customer = await stripe.customers.create();
  const made = await stripe.subscriptions.create({
    customer: customer.id,
    items: data.map(({ id }) => ({ price: id })),
    collection_method: "send_invoice",
    days_until_due: 30,
  });
  count("subscriptions");
  subscribers.push({
    id: made.id,
    product: `acme_${firstName(plan)}`,
    prices: pricesOf(made),
  });
}
