// Run by run.ts, one process for each subject, so that subjects cannot disturb each other: plays
// scenarios and tells what came of each.
import { createTemplate } from "./harness/database.js";
import { Late, message, within } from "./harness/patience.js";
import type { Outcome, Scenario } from "./harness/scenario.js";
import { play, TooSlow } from "./harness/stage.js";
import type { Subject } from "./harness/subject.js";
import { families } from "./scenarios/index.js";
import { subjects } from "./subjects/index.js";

/** What the process is told. */
export interface Order {
  readonly subject: string;
  readonly scenarios: readonly string[];
  readonly postgres: string;
  readonly slow: boolean;
}

export interface Told {
  readonly scenario: string;
  readonly outcome: Outcome;
  readonly seconds: number;
}

const ATTEMPTS = 5;
/** These end what would never end, and say nothing about speed. */
const LIMIT = { usual: 900_000, slow: 1_800_000 };
const CONCURRENCY = 6;
const TOO_LONG = "On this machine it";

const order = JSON.parse(process.argv[2] ?? "") as Order;
const tell = (told: Told) => process.send?.(told);

// A subject's mistakes must not end the run. What they do to its data is judged by the scenario.
const stray: string[] = [];
process.on("uncaughtException", (error) => stray.push(String(error)));
process.on("unhandledRejection", (error) => stray.push(String(error)));
process.on("disconnect", () => process.exit());
if (process.env.TORTURE_LOG === undefined) {
  for (const method of ["log", "info", "warn", "error", "debug"] as const) {
    console[method] = () => {};
  }
}

function notOffered(subject: Subject, { about, needs = [] }: Scenario): string | undefined {
  const kinds = about.filter((kind) => !subject.mirrors.includes(kind));
  if (kinds.length > 0) return `does not mirror ${kinds.join(", ").replaceAll("_", " ")}`;
  const missing = needs.filter((ability) => !subject.abilities.includes(ability));
  return missing.length > 0 ? `no ${missing.join(", ")}` : undefined;
}

const found = subjects.find(({ name }) => name === order.subject);
if (found === undefined) throw new Error(`There is no subject ${order.subject}`);
const subject = found;
const template = order.postgres === "" ? undefined : await createTemplate(order.postgres);
if (template !== undefined) await subject.prepare?.(template.url);

async function attempt(name: string, scenario: Scenario): Promise<Outcome> {
  const why = notOffered(subject, scenario);
  if (why !== undefined) return { result: "not offered", why };
  if (scenario.slow && !order.slow) return { result: "not run", why: "takes minutes: --slow" };
  for (let round = 1; round <= ATTEMPTS; round++) {
    const database = await template?.copy();
    try {
      const limit = scenario.slow ? LIMIT.slow : LIMIT.usual;
      const seed = `${name} ${round}`;
      const wrong = await within(
        limit,
        TOO_LONG,
        play(subject, scenario, { database, seed, template }),
      );
      if (wrong.length === 0) return { result: "pass" };
      const more = wrong.length > 1 ? ` (and ${wrong.length - 1} more)` : "";
      return { result: "fail", wrong: `${wrong[0]}${more}` };
    } catch (error) {
      if (error instanceof TooSlow) continue;
      if (error instanceof Late && error.message.startsWith(TOO_LONG)) {
        return { result: "not run", why: error.message };
      }
      console.error(error);
      return { result: "fail", wrong: message(error).split("\n")[0] ?? "" };
    } finally {
      await database?.drop();
    }
  }
  return { result: "not run", why: "too slow here, or too fast, for what has to meet" };
}

/** The longest first, so that none is left over at the end. */
function duration({ slow, long, ownProcess }: Scenario): number {
  return slow ? 2 : long || ownProcess ? 1 : 0;
}

const queue = families
  .flatMap((family) =>
    family.scenarios.map((scenario) => ({ name: `${family.name}/${scenario.name}`, scenario })),
  )
  .filter(({ name }) => order.scenarios.includes(name))
  .sort((a, b) => duration(b.scenario) - duration(a.scenario));

const concurrency = Number(process.env.TORTURE_CONCURRENCY ?? subject.concurrency ?? CONCURRENCY);
await Promise.all(
  Array.from({ length: concurrency }, async () => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
      const started = performance.now();
      const outcome = await attempt(next.name, next.scenario);
      tell({ scenario: next.name, outcome, seconds: (performance.now() - started) / 1000 });
    }
  }),
);
if (process.env.TORTURE_LOG !== undefined) for (const error of stray) console.error("stray", error);
