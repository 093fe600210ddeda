/** Every public call of both variants, with arguments that no caller should pass. */
import { BillingError } from "../../packages/backend-billing/src/index.js";
import type { Dice } from "./dice.js";
import { Broken, type Family, shown } from "./family.js";
import { differing, type Shop } from "./shop.js";
import {
  checkComplete,
  localTargets,
  remoteTargets,
  type Target,
  upkeepTargets,
} from "./targets.js";
import { isPolluted, odd, PATHS } from "./values.js";

/** Most are local: a call that reaches Stripe costs ten times as much. */
const LOCAL_TIMES = 3;

export function callFamily(shop: Shop): Family {
  checkComplete(shop);
  const local = localTargets(shop);
  const remote = remoteTargets(shop);
  const targets = [...Array.from({ length: LOCAL_TIMES }, () => local).flat(), ...remote];
  return {
    name: "calls",
    share: 268_000,
    batch: 1_000,
    width: 8,
    attack: (dice) => attack(dice, targets),
    check: () => checkAll(shop),
  };
}

/** The calls that keep the tables right. Whatever they were given, the tables stay what Stripe says. */
export function upkeepFamily(shop: Shop): Family {
  const targets = upkeepTargets(shop);
  let before: Awaited<ReturnType<Shop["mirrored"]>> = {};
  return {
    name: "upkeep",
    share: 2_000,
    batch: 200,
    width: 4,
    begin: async () => {
      await shop.settle(); // as Stripe has it now, also what no event told
      before = await shop.mirrored();
    },
    attack: (dice) => attack(dice, targets),
    check: async () => {
      await checkAll(shop);
      await shop.settle();
      const found = differing(before, await shop.mirrored());
      if (found.length > 0) throw new Broken("rows", found.join("; "));
    },
  };
}

async function attack(dice: Dice, targets: readonly Target[]): Promise<string> {
  const { name, call, args } = dice.pick(targets);
  const given = spoiled(dice, args);
  try {
    await (call as (...all: unknown[]) => Promise<unknown>)(...given);
    return "answered";
  } catch (error) {
    return codeOf(error, name, given);
  }
}

async function checkAll({ double }: Shop): Promise<void> {
  if (isPolluted()) throw new Broken("broken", "Object.prototype has come to have members");
  const strange = double.requests.recent().find(({ url }) => isStrange(url));
  if (strange === undefined) return;
  double.requests.clear();
  throw new Broken("broken", `Stripe was asked for ${strange.method} ${shown(strange.url)}`);
}

/** An error must be the library's, with a code. */
function codeOf(error: unknown, name: string, given: readonly unknown[]): string {
  if (error instanceof BillingError) {
    if (error.code !== "store_error" && error.code !== "unstorable") return error.code;
  }
  const { name: kind = "", message = "" } = (error ?? {}) as Error;
  const words = `${kind} ${(error as BillingError).code ?? ""} ${message.slice(0, 150)}`;
  throw new Broken("crash", `${name}(${given.map((each) => shown(each)).join(", ")}): ${words}`);
}

/** Whether a path has what no id of Stripe's has. */
function isStrange(url: string): boolean {
  const [path = ""] = url.split("?");
  return !path
    .split("/")
    .slice(1)
    .every((part) => part !== "." && part !== ".." && !/%(2f|5c|0|1)/i.test(part));
}

/** The arguments, with something wrong in them. */
function spoiled(dice: Dice, args: readonly unknown[]): unknown[] {
  const given = args.map((each) => structuredClone(each));
  const at = dice.below(given.length || 1);
  const one = given[at];
  if (dice.oneIn(6) || typeof one !== "object" || one === null)
    given[at] = dice.oneIn(3) ? dice.pick([null, undefined]) : odd(dice);
  else {
    const fields = one as { [field: string]: unknown };
    const times = 1 + dice.below(2);
    for (let n = 0; n < times; n++) spoilField(dice, fields);
  }
  return given;
}

function spoilField(dice: Dice, fields: { [field: string]: unknown }): void {
  const names = Object.keys(fields);
  switch (dice.below(8)) {
    case 0:
      delete fields[dice.pick(names)];
      return;
    case 1:
      fields[dice.pick(EXTRA)] = odd(dice);
      return;
    case 2:
      fields[dice.pick(names)] = dice.pick(PATHS);
      return;
    default:
      fields[dice.pick(names)] = odd(dice);
  }
}

const EXTRA = ["customer", "entityId", "params", "quantity", "group", "limit", "metadata", "mode"];
