/**
 * Rows and records as another role of the database could write them. What is due is done all the same,
 * others are unharmed, errors have codes, and a comparison with Stripe repairs what is mirrored.
 */
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { BillingError } from "../../packages/backend-billing/src/index.js";
import type { Dice } from "./dice.js";
import { Broken, type Family, shown } from "./family.js";
import { BASE, differing, type Shop, seconds, sign } from "./shop.js";
import { oddJson, TEXTS } from "./values.js";

const MIRRORED = [
  "customers",
  "products",
  "prices",
  "subscriptions",
  "invoices",
  "checkout_sessions",
  "charges",
  "payment_methods",
];
const KINDS = [
  "access",
  "aside",
  "batch",
  "change",
  "claim",
  "credits",
  "erased",
  "guard",
  "lapse",
  "notice",
  "partition",
  "purchase",
  "refresh",
  "run",
  "seats",
  "setting",
  "share",
  "watermark",
];
const REFUSED = " (refused by the tables)";
/** Milliseconds for a call: a comparison of everything on a busy machine is one. */
const PATIENCE = 120_000;
/** Whom nobody attacks. */
const OTHER = "user_2";

export function rowFamily(shop: Shop): Family {
  let tables: readonly string[] = [];
  let before: Awaited<ReturnType<Shop["mirrored"]>> = {};
  let theirs = "";
  return {
    name: "rows",
    share: 2_000,
    batch: 10,
    width: 1,
    begin: async () => {
      await shop.settle(); // as Stripe has it now, also what no event told
      tables = await save(shop);
      before = await shop.mirrored();
      theirs = await seenOf(shop, OTHER);
    },
    attack: async (dice, index) => {
      const what = await corrupt(shop, dice, index);
      try {
        await use(shop, what, index);
        if (!what.startsWith("mirrored")) {
          const now = await seenOf(shop, OTHER);
          if (now !== theirs)
            throw new Broken("rows", `${what}: ${OTHER} has ${now}, not ${theirs}`);
        } else {
          await ended(shop.b.billing.reconcile({ maxMissing: 10_000 }), `reconcile after ${what}`);
          const found = differing(before, await shop.mirrored());
          if (found.length > 0)
            throw new Broken("rows", `${what}, then a comparison: ${found.join("; ")}`);
        }
      } finally {
        await restore(shop, tables);
      }
      const [kind = ""] = what.split(" ");
      return what.endsWith(REFUSED) ? `${kind}${REFUSED}` : kind;
    },
  };
}

/** Copies everything, so that one case leaves nothing to the next. */
async function save({ pool }: Shop): Promise<string[]> {
  const { rows } = await pool.query(
    "SELECT relname FROM pg_class WHERE relnamespace = 'billing'::regnamespace AND relkind = 'r'",
  );
  const names = rows.map(({ relname }) => relname as string);
  await pool.query("CREATE SCHEMA saved");
  for (const name of names) await pool.query(`CREATE TABLE saved.${name} AS TABLE billing.${name}`);
  return names;
}

async function restore({ pool }: Shop, tables: readonly string[]): Promise<void> {
  const each = tables.map(
    (name) =>
      `DELETE FROM billing.${name}; INSERT INTO billing.${name} SELECT * FROM saved.${name};`,
  );
  await pool.query(`BEGIN; ${each.join(" ")} COMMIT`);
}

/** What can be stored as JSON. */
const json = (value: unknown): string =>
  (JSON.stringify(value) ?? "null").replaceAll(/\\u0000|\\ud[89a-f][0-9a-f]{2}/gi, "?");
const text = (dice: Dice): string => dice.pick(TEXTS).replaceAll("\u0000", "?").slice(0, 400);

/** Writes something that the library would not, and answers what. */
async function corrupt({ pool }: Shop, dice: Dice, index: number): Promise<string> {
  const at = (table: string, where = "true") =>
    `ctid = (SELECT ctid FROM billing.${table} WHERE ${where} ORDER BY md5(ctid::text || '${index}') LIMIT 1)`;
  // The row of an entity without subscriptions has nothing of Stripe's: docs/security.md says what becomes of it.
  const mirrored = (name: string) => at(name, "stripe IS NOT NULL");
  const run = async (what: string, sql: string, values: unknown[] = []) => {
    // What the tables themselves refuse is no attack.
    const { rowCount } = await pool.query(sql, values).catch(() => ({ rowCount: 0 }));
    return rowCount === 0 ? `${what}${REFUSED}` : what;
  };
  const table = `backend_billing_${dice.pick(MIRRORED)}`;
  const value = json(oddJson(dice));
  switch (dice.below(9)) {
    case 0:
      return run(
        `mirrored ${table} is ${shown(value)}`,
        `UPDATE billing.${table} SET stripe = $1 WHERE ${mirrored(table)}`,
        [value],
      );
    case 1: {
      const field = dice.pick([
        "id",
        "status",
        "customer",
        "items",
        "metadata",
        "active",
        "product",
        "created",
        "object",
      ]);
      return run(
        `mirrored ${table}.${field} is ${shown(value)}`,
        `UPDATE billing.${table} SET stripe = jsonb_set(stripe, ARRAY[$1::text], $2) WHERE ${mirrored(table)}`,
        [field, value],
      );
    }
    case 2:
      return run(
        `mirrored ${table} lacks a row`,
        `DELETE FROM billing.${table} WHERE ${mirrored(table)}`,
      );
    case 3: {
      const column = dice.pick(["data", "ref", "due", "revision"]);
      const given =
        column === "data"
          ? value
          : column === "ref"
            ? text(dice)
            : dice.pick([-1, 0, 1, "9007199254740991"]);
      return run(
        `record.${column} is ${shown(given)}`,
        `UPDATE billing.backend_billing_records SET ${column} = $1 WHERE ${at("backend_billing_records")}`,
        [given],
      );
    }
    case 4:
      return run(
        "record lacks",
        `DELETE FROM billing.backend_billing_records WHERE ${at("backend_billing_records")}`,
      );
    case 5:
    case 6: {
      const kind = dice.pick(KINDS);
      const id = dice.oneIn(2)
        ? text(dice)
        : dice.pick([
            "entity user_1",
            "user_1",
            "subscription sub_1",
            "customers cus_1",
            "account",
          ]);
      return run(
        `record ${kind} ${shown(id)} is ${shown(value)}`,
        "INSERT INTO billing.backend_billing_records (kind, id, revision, ref, due, data) VALUES ($1, $2, 1, $3, 1, $4)",
        [kind, id, dice.oneIn(2) ? null : text(dice), value],
      );
    }
    case 7: {
      const field = dice.pick(["state", "customerId", "leasedUntil", "until", "params", "counter"]);
      return run(
        `record's ${field} is ${shown(value)}`,
        `UPDATE billing.backend_billing_records SET data = jsonb_set(data, ARRAY[$1::text], $2) WHERE ${at("backend_billing_records")}`,
        [field, value],
      );
    }
    default: {
      const column = dice.pick(["lo", "hi", "revision", "ask_at"]);
      return run(
        `version.${column}`,
        `UPDATE billing.backend_billing_versions SET ${column} = $1 WHERE ${at("backend_billing_versions")}`,
        [dice.pick([-1, 0, "4102444800"])],
      );
    }
  }
}

/** Everything that would meet what was written: the schedule, reads, calls, and a webhook. */
async function use(shop: Shop, what: string, index: number): Promise<void> {
  const { b } = shop;
  await ended(b.billing.tick({ budget: 1_000 }), `tick after ${what}`);
  for (const entityId of ["user_1", "org_3"]) {
    await ended(b.store.subscriptionOf(entityId), `subscriptionOf after ${what}`);
    await ended(b.store.planOf(entityId), `planOf after ${what}`);
    await ended(b.store.can(entityId, "sso"), `can after ${what}`);
    await ended(b.store.usageOf(entityId), `usageOf after ${what}`);
    await ended(b.store.purchasesOf(entityId), `purchasesOf after ${what}`);
    await ended(b.store.customerOf(entityId), `customerOf after ${what}`);
  }
  await ended(b.store.plans(), `plans after ${what}`);
  const event = {
    id: `evt_row_${index}`,
    object: "event",
    type: "foo.bar",
    created: seconds(),
    livemode: false,
    data: { object: {} },
  };
  const body = JSON.stringify(event);
  const headers = { "stripe-signature": sign(body, shop.secret, seconds()) };
  const request = new Request(`${BASE}/stripe/webhook`, { method: "POST", headers, body });
  const { status } = await b.billing.fetch(request);
  if (status !== 200)
    throw new Broken("crash", `A webhook is answered with ${status} after ${what}`);
}

/** A read may end in an error of the driver, as docs/errors.md says; what works in the background may not. */
const isOfDriver = (error: unknown, what: string): boolean =>
  error instanceof pg.DatabaseError && !/^(tick|reconcile) /.test(what);

/** A call must end in time, with an answer or an error. */
async function ended(call: Promise<unknown>, what: string): Promise<void> {
  const late = new AbortController();
  const timer = sleep(PATIENCE, "late", { signal: late.signal }).catch(() => "");
  const came = await Promise.race([
    call.then(
      () => "",
      (error: unknown) => error,
    ),
    timer,
  ]);
  late.abort();
  if (came === "late")
    throw new Broken("crash", `${what}: no end after ${PATIENCE / 1000} seconds`);
  if (came === "" || came instanceof BillingError || isOfDriver(came, what)) return;
  const { name, message, stack = "" } = came as Error;
  const [, place = ""] = stack.split("\n    at ");
  throw new Broken("crash", `${what}: ${name} ${message.slice(0, 150)} at ${place.slice(0, 120)}`);
}

/** What an entity has, as an application sees it. */
async function seenOf({ b }: Shop, entityId: string): Promise<string> {
  const seen = await Promise.all([
    b.store.subscriptionOf(entityId),
    b.store.can(entityId, "sso"),
    b.store.customerOf(entityId).then((row) => row?.customerId),
  ]);
  return JSON.stringify(seen);
}
