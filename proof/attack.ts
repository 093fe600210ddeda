// Attacks, by a seed: webhooks that are not signed, and signed ones that are strange; links back that
// were altered; routes, sockets and arguments that no caller should use; rows that another role has
// written; and the double's own HTTP. Nothing unsigned may be taken, nothing may crash or stay
// unhandled, and the tables must stay what Stripe says. Named cases are tried once each, first.
//
//   npm run attack -- [--cases 20000] [--seed 1] [--write]
//   npm run attack -- --only forged [--case 4711]     one family, or one case of it
import { loadavg } from "node:os";
import { parseArgs } from "node:util";
import { startPostgres } from "../support/postgres/server.js";
import { backFamily } from "./attack/back.js";
import { callFamily, upkeepFamily } from "./attack/calls.js";
import { eventsOf } from "./attack/events.js";
import { FAULTS, type Family } from "./attack/family.js";
import { forgedFamily } from "./attack/forged.js";
import { namedFamily } from "./attack/named.js";
import { routeFamily } from "./attack/routes.js";
import { rowFamily } from "./attack/rows.js";
import { runFamily, type Tally } from "./attack/run.js";
import { openShop, type Shop } from "./attack/shop.js";
import { signedFamily } from "./attack/signed.js";
import { socketFamily } from "./attack/sockets.js";
import { stripeFamily } from "./attack/stripe.js";
import { writeFigures } from "./reliability/figures.js";

const { values } = parseArgs({
  options: {
    cases: { type: "string", default: "20000" },
    seed: { type: "string", default: "1" },
    only: { type: "string" },
    case: { type: "string" },
    write: { type: "boolean", default: false },
  },
});
const started = Date.now();
const seconds = () => Math.round((Date.now() - started) / 1000);
const say = (line: string) => console.log(line);

let escaped: string[] = [];
const remember = (error: unknown) => escaped.push(String((error as Error)?.stack ?? error));
process.on("unhandledRejection", remember);
process.on("uncaughtException", remember);
const unhandled = () => {
  const all = escaped;
  escaped = [];
  return all;
};

const server = await startPostgres({ settings: { fsync: "off" } });
const shops: Shop[] = [];
const open = async (): Promise<Shop> => {
  const shop = await openShop(server.url);
  shops.push(shop);
  return shop;
};
const closing: (() => Promise<void>)[] = [];
const closed = <F extends { close(): Promise<void> }>(family: F): F => {
  closing.push(family.close);
  return family;
};

/** Each is opened when its turn has come; those that change no rows share a shop. */
let quiet: Promise<Shop> | undefined;
const still = () => {
  quiet ??= open();
  return quiet;
};
const FAMILIES: { readonly [name: string]: () => Promise<Family> } = {
  named: async () => namedFamily(await open()),
  return: async () => backFamily(await still()),
  forged: async () => forgedFamily(await still(), await eventsOf(await still())),
  routes: async () => routeFamily(await still()),
  sockets: async () => closed(await socketFamily(await still())),
  upkeep: async () => upkeepFamily(await still()),
  calls: async () => callFamily(await open()),
  signed: async () => {
    const shop = await open();
    return signedFamily(shop, await eventsOf(shop));
  },
  rows: async () => rowFamily(await open()),
  double: async () => closed(await stripeFamily()),
};

const tallies: Tally[] = [];
try {
  for (const [name, make] of Object.entries(FAMILIES)) {
    if (values.only !== undefined && values.only !== name) continue;
    const family = await make();
    const share = Math.ceil((Number(values.cases) * family.share) / 1_000_000);
    const count = name === "named" ? family.batch : share;
    const chosen = values.case === undefined ? count : [Number(values.case)];
    const running = { seed: values.seed, report: say, unhandled };
    const tally = await runFamily(family, chosen, running);
    tallies.push(tally);
    const each = (tally.milliseconds / Math.max(1, tally.cases)).toFixed(2);
    const answers = [...tally.answers].sort((a, b) => b[1] - a[1]).slice(0, 30);
    const shown = name === "named" ? "" : answers.map(([what, n]) => `${what} ${n}`).join(", ");
    say(`  ${seconds()} s: ${name}: ${tally.cases} cases, ${each} ms each; ${shown}`);
  }
} finally {
  for (const close of closing) await close();
  for (const shop of shops) await shop.close();
  await server.stop();
}

const sum = (of: (tally: Tally) => number) => tallies.reduce((all, each) => all + of(each), 0);
const peak = Math.round(process.resourceUsage().maxRSS / 1024);
const faults = FAULTS.map((fault) => [fault, sum((tally) => tally.faults[fault])] as const);
const names = {
  accepted: "accepted without a signature",
  crash: "crashes",
  unhandled: "unhandled",
  rows: "rows different",
  broken: "other promises broken",
};
const rows: [string, string | number, string?][] = [
  ["cases", sum((tally) => tally.cases)],
  ...tallies.map((tally): [string, number] => [`of them ${tally.family}`, tally.cases]),
  ...faults.map(([fault, count]): [string, number, string] => [names[fault], count, "0"]),
  ["peak memory", `${peak} MB`],
  ["seconds", seconds()],
];
for (const [name, value] of rows) say(`${name}: ${value}`);
const wrong = faults.reduce((all, [, count]) => all + count, 0);
say(wrong === 0 ? "✓ all as it must be" : `✗ ${wrong} are wrong`);
if (values.write) {
  writeFigures("attack", {
    command: `npm run attack -- --cases ${values.cases}`,
    load: loadavg()[0] ?? 0,
    rows,
    notes: [
      `Seed ${values.seed}; memory is that of the process which attacks, with the application and the double in it.`,
    ],
  });
}
process.exit(wrong === 0 ? 0 : 1);
