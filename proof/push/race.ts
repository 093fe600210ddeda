// Ten processes that push the same catalogue to one account at once, one of which is killed: one set
// of objects.
import { type ChildProcess, fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import Stripe from "stripe";
import { stream } from "../../packages/stripe-double/src/world/random.js";
import { createPatientDouble } from "../../support/patient-double.js";
import { accountOf, wrongIn } from "../../support/push/reading.js";
import { edited, newShop, type Shop } from "../../support/push/shop.js";
import type { Answer, Order } from "./process.js";

const PROCESSES = 10;
const path = fileURLToPath(new URL("process.ts", import.meta.url));

export interface Raced {
  readonly wrong: readonly string[];
  /** How many ended by themselves, and how many were killed while they pushed. */
  readonly ended: number;
  readonly killed: number;
  readonly objects: number;
  readonly requests: number;
}

/** An empty account, and then the same account with an edited catalogue. */
export async function race(seed: string, index: number): Promise<Raced> {
  const next = stream(seed, "race", index);
  const double = await createPatientDouble({ seed: `race ${seed} ${index}` });
  const stripe = new Stripe(double.secretKey, double.stripeConfig);
  const order = (shop: Shop): Order => {
    return { secretKey: double.secretKey, port: Number(new URL(double.url).port), shop };
  };
  const wrong: string[] = [];
  let [ended, killed] = [0, 0];
  try {
    const first = newShop(next, "acme");
    const [second] = edited(next, first, []);
    for (const shop of [first, second]) {
      const before = await accountOf(stripe);
      const victim = 1 + Math.floor(next() * 3); // operations after which it is killed
      const results = await together(order(shop), victim);
      ended += results.filter((each) => each !== "killed").length;
      killed += results.filter((each) => each === "killed").length;
      wrong.push(...results.flatMap((each) => (typeof each === "string" ? [] : each.error)));
      const account = await accountOf(stripe);
      wrong.push(...wrongIn(shop, account, new Set()));
      wrong.push(...doubled(account.prices, before.prices));
      const names = account.meters.map(({ event_name: name }) => name);
      if (new Set(names).size !== names.length) wrong.push(`${names.length} meters: ${names}`);
    }
    const { products, prices, meters } = await accountOf(stripe);
    const objects = products.length + prices.length + meters.length;
    const named = wrong.map((each) => `race ${index}: ${each}`);
    return { wrong: named, ended, killed, objects, requests: double.requests.count() };
  } finally {
    await double.close();
  }
}

/** Prices that two processes have made: of one product, of one slot, with the same content. */
function doubled(after: readonly Stripe.Price[], before: readonly Stripe.Price[]): string[] {
  const known = new Set(before.map(({ id }) => id));
  const made = after.filter(({ id }) => !known.has(id));
  const names = made.map(({ product, metadata, unit_amount_decimal: amount, currency }) =>
    [product, metadata.billing_price, String(amount), currency].join(" "),
  );
  return names.filter((name, at) => names.indexOf(name) !== at).map((name) => `twice: ${name}`);
}

type Result = "done" | "killed" | { readonly error: string };

async function together(order: Order, victimAfter: number): Promise<Result[]> {
  const children = await Promise.all(Array.from({ length: PROCESSES }, started));
  return Promise.all(
    children.map(
      (child, at) =>
        new Promise<Result>((done) => {
          let [result, steps]: [Result | undefined, number] = [undefined, 0];
          child.on("message", (answer: Answer) => {
            if (answer === "begun" && at === 0 && ++steps === victimAfter) child.kill("SIGKILL");
            else if (typeof answer === "object" && "error" in answer) result = answer;
            else if (typeof answer === "object") {
              result = answer.left === 0 ? "done" : { error: `${answer.left} are left to do` };
            }
          });
          child.on("exit", (_, signal) => {
            done(result ?? (signal === "SIGKILL" ? "killed" : { error: "ended without a word" }));
          });
          child.send(order);
        }),
    ),
  );
}

function started(): Promise<ChildProcess> {
  const child = fork(path, { execArgv: ["--import", "tsx"] });
  return new Promise((done, fail) => {
    child.once("error", fail);
    child.once("message", () => done(child));
  });
}
