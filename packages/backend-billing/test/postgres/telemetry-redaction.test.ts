// No secret and nobody's data in a line, a metric or a span, whatever happens and whatever fails.
import { inspect } from "node:util";
import { describe, expect, it } from "vitest";
import { listedAtOnce } from "../../../../support/listed-at-once.js";
import { type Recorded, recorded } from "../../../../support/telemetry.js";
import type { LogDetails } from "../../src/core/runtime/config.js";
import { applications } from "./service/kit.js";
import { CALLED, catalogue, failingHandlers } from "./telemetry-calls.js";
import { CHECKED, type Life, live, RAISED } from "./telemetry-life.js";

const open = applications();

/** All that an object holds, also what JSON leaves out, such as the message of an error. */
const whole = (value: unknown): string =>
  inspect(value, {
    depth: null,
    maxStringLength: null,
    maxArrayLength: null,
    breakLength: Infinity,
  });

async function everythingTold(told: Recorded, lines: readonly string[]): Promise<string[]> {
  const spans = told
    .spans()
    .map(({ name, attributes, status, events, links }) =>
      whole({ name, attributes, status, events, links }),
    );
  const points = (await told.points()).map(whole);
  return [...lines, ...spans, ...points];
}

/** Those of the texts that hold a secret, as it is or as it stands in an address. */
function offending(texts: readonly string[], secrets: ReadonlySet<string>): string[] {
  const all = [...secrets].flatMap((secret) => [secret, encodeURIComponent(secret)]);
  return texts.flatMap((text) => {
    const found = all.find((secret) => text.includes(secret));
    return found === undefined ? [] : [`${found} in ${text}`];
  });
}

/** Keys, secrets, parts of them as Stripe quotes them, emails, links, cards, addresses of databases. */
const FORMS =
  /\b[srp]k_(test|live)_|whsec_|_secret_|@private|\(at\)private|postgres(ql)?:|https?:|\b4242\b|\+49151/;

describe("of a random life in which everything fails", { tags: ["slow"] }, () => {
  let life: Life;
  let told: Recorded;
  const lines: string[] = [];
  const messages = new Set<string>();
  let keys: readonly string[] = [];
  let dump: () => Promise<readonly string[]>;

  it("there is much to be told", async () => {
    told = recorded();
    const write = (details: LogDetails, message: string) => {
      lines.push(whole([details, message]));
      messages.add(message);
    };
    const app = await open({
      config: {
        catalogue,
        on: failingHandlers(() => keys.join()),
        resources: listedAtOnce,
        telemetry: told.telemetry,
        logger: { info: write, warn: write, error: write },
        timing: { claimPatience: 300, claimSettle: 1_000, verifyDelay: 20, returnPatience: 200 },
        rate: { total: 500, perEndpoint: 500 },
      },
    });
    keys = [app.secret, app.double.secretKey];
    life = await live(app, "redaction", 250, () => lines);
    dump = async () => {
      const tables = await app.sql<{ name: string }>(
        `SELECT table_name AS name FROM information_schema.tables WHERE table_schema = '${app.schema}'`,
      );
      const rows = ({ name }: { name: string }) =>
        app.sql<{ row: string }>(`SELECT t::text AS row FROM ${app.schema}."${name}" AS t`);
      return (await Promise.all(tables.map(rows))).flat().map(({ row }) => row);
    };
    expect(lines.length).toBeGreaterThan(200);
    expect(told.spans().length).toBeGreaterThan(700);
    expect(life.secrets.size).toBeGreaterThan(300);
    const expected = [
      "An event was stored",
      "An event was known already",
      "An event was noted, and Stripe is asked about it",
      "An event was not stored; Stripe will send it again",
      "An event of the other mode was refused",
      "An event of another account was ignored",
      "A webhook was refused: its signature fits no secret",
      "A customer was linked to its entity",
      "A link was made",
      "A link was not made",
      "An object was read from Stripe",
      "A page failed and is tried again",
      "A run began",
      "A person could not be sent back",
      ...CALLED,
    ];
    expect(expected.filter((message) => !messages.has(message))).toEqual([]);
    // A constraint's detail quotes the row, and a trigger's message the email.
    for (const state of [CHECKED, RAISED]) {
      expect(
        lines.some((each) => each.includes(state)),
        state,
      ).toBe(true);
    }
  });

  it("callers and the database quote what is private, so there is something to hide", () => {
    const quoted = life.said.filter((text) => offending([text], life.secrets).length > 0);
    expect(quoted.some((text) => text.includes("Invalid email address: ada"))).toBe(true);
    expect(quoted.some((text) => text.includes("Failing row contains"))).toBe(true);
    expect(quoted.some((text) => /^not ada/.test(text))).toBe(true);
    expect(quoted.some((text) => text.includes("cannot become its own"))).toBe(true);
    expect(life.said.some((text) => text.includes("Invalid API Key provided: sk_test_"))).toBe(
      true,
    );
  });

  it("and no line, span or metric holds any of it", async () => {
    const texts = await everythingTold(told, lines);
    expect(offending(texts, life.secrets)).toEqual([]);
    expect(texts.filter((text) => FORMS.test(text))).toEqual([]);
  });

  it("and no table holds a key or a signing secret", async () => {
    const rows = await dump();
    expect(rows.length).toBeGreaterThan(100);
    expect(offending(rows, new Set(keys))).toEqual([]);
    expect(
      rows.filter((row) => /\b[sr]k_(test|live)_|whsec_|postgres(ql)?:\/\//.test(row)),
    ).toEqual([]);
  });

  it("and no metric has an id for an attribute", async () => {
    const values = (await told.points()).flatMap(({ attributes }) => Object.values(attributes));
    expect(
      values.filter((value) =>
        /\d{3}|^(evt|cus|sub|si|mtr|prod|price|cs|in|pi|ch|re|po|req|run|acct)_/.test(
          String(value),
        ),
      ),
    ).toEqual([]);
  });
});
