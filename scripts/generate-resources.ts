// Writes docs/resources.md from the catalogue of resources and the table of peers. Run by `npm run generate`;
// packages/backend-billing/test/docs/resources.test.ts fails when the page is stale.
import { writeFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import {
  grantsFor,
  keyLink,
  READS,
} from "../packages/backend-billing/src/cli/doctor/permissions.js";
import {
  columnsOf,
  defaultResources,
  type ResourceName,
  resourceNames,
} from "../packages/backend-billing/src/core/catalogue/catalogue.js";
import type { Entry as AnyEntry } from "../packages/backend-billing/src/core/catalogue/resource.js";
import { resources } from "../packages/backend-billing/src/core/catalogue/resources.js";
import { codes } from "./resources/codes.js";
import { peersSection } from "./resources/peers.js";

const file = new URL("../docs/resources.md", import.meta.url);

/** An entry without the types of its Stripe object, which differ from one to the next. */
type Entry = Pick<
  AnyEntry,
  | "table"
  | "object"
  | "idField"
  | "indexes"
  | "longTexts"
  | "lists"
  | "listsByCreated"
  | "hides"
  | "silent"
  | "listedAfter"
  | "idsReturn"
  | "emptyRowPer"
> & {
  readonly listsPer?: {
    readonly owner: string;
    readonly eventful: boolean;
    readonly relistedBy?: readonly string[];
  };
  readonly upsertedBy: readonly string[];
  readonly deletedBy: readonly string[];
  readonly refreshedBy?: readonly string[];
  readonly cutLists?: readonly { readonly path: string }[];
};

const entryOf = (name: ResourceName): Entry => resources[name] as unknown as Entry;

export function generateResources(): string {
  return `<!-- Generated from src/core/catalogue and scripts/resources by \`npm run generate\`. Do not edit. -->

# Resources

What can be mirrored, and what is known of each. A table is named after its resource, and holds a row for each object.

**By default** ${defaultResources.length} of ${resourceNames.length} are mirrored: ${codes(defaultResources)}.

## Choose others

\`resources\` takes names, or \`"all"\`. The tables need the same choice.

\`\`\`ts
import { createBilling } from "backend-billing/postgres";
import pg from "pg";

const { store } = createBilling({
  secret_key: process.env.STRIPE_SECRET_KEY,
  webhook_secret: process.env.STRIPE_WEBHOOK_SECRET,
  db: new pg.Pool({ connectionString: process.env.DATABASE_URL }),
  resources: ["customers", "subscriptions", "products", "prices", "invoices", "credit_notes"],
});
await store.migrate(); // the tables of these
\`\`\`

| tables by | |
|---|---|
| \`store.migrate()\` | takes the choice from the settings |
| \`migrate(pool, { resources })\` | give it the same choice |
| \`npx backend-billing migrate\` | \`--resources customers,subscriptions\`, or \`--resources all\`; the other commands take it too |
| Convex | \`...createTables(["customers", "subscriptions"])\` or \`...createTables("all")\` in the schema, in the place of \`...billingTables\` |
| Drizzle | \`export * from "backend-billing/drizzle"\` has the tables of the default. For others take \`createBillingTables("billing")\` apart: \`export const { billingSchema, billingVersions, billingReceipts, billingRecords, billingCustomers, … } = createBillingTables("billing")\`, and leave out no table but those of resources that you do not mirror. \`credit_notes\` is \`billingCreditNotes\` |

${owned()}

The reads of subscriptions need some of them: see [Reading](./reading.md#the-other-reads).

**To add one later**, change the choice and migrate. What exists at Stripe is copied by a backfill of it alone, which the next scheduled
catch-up starts by itself; where there is no schedule, call \`sync()\`. \`sync({ webhook: true })\` adds its events to the
endpoint: until then the catch-up brings them. A restricted key must be allowed to read it.

**To remove one**, leave it out. Its rows stay as they are, and nothing keeps them current any more: added back, it is
copied again. With Drizzle go on exporting its table, or drizzle-kit drops it.

## Restricted keys

[This link](${keyLink(defaultResources)}) opens Stripe's form for a key with what the default set needs, as far as the
ids of permissions are known. ${byHand(defaultResources)}

“Write” on Subscriptions and on Invoices is there to change running subscriptions, and to let an unfinished one make way for
another; for an application that does neither, “Read” will do.
\`npx backend-billing doctor\` says what a key lacks, with the link for your choice: [Doctor](./doctor.md).

## All of them

| resource | mirrored | Stripe's object |
|---|---|---|
${resourceNames.map(line).join("\n")}

${peersSection()}

## One by one

Every row has \`stripe\`, the whole object, \`last_synced_at\` and \`_id\` beside the columns below. An index is on a column, or on a
field inside \`stripe\`.

A list **by time of creation** is split into ranges that are read at the same time; one that is read **in one go** is read page
after page. What has no event is found by the reconcile, by default daily at 03:37 UTC: see [Sync](./sync.md). It also finds what
was deleted without an event. Of a list that takes **a request for each** owner it is said below whether that daily
reconcile reads it; one that you call does.

${resourceNames.map(section).join("\n\n")}

## What is not mirrored

| | why |
|---|---|
| invoice lines, subscription items | They are inside their invoice or subscription. Where Stripe cuts that list, the rest is fetched. |
| discounts of customers, items and invoices | A customer's is inside the customer. Stripe neither lists nor answers the others by id, and items and invoices hold the ids of theirs. |
| lines of checkout sessions | They are the same for ever once a page is paid, and what was bought is read by [purchases](./purchases.md). |
| mandates | Stripe does not list them. |
| capabilities | Stripe lists them for one connected account at a time, and their states are in \`capabilities\` of the account. |
| test clocks | They exist only in test mode, and Stripe deletes them after a while. Customers that are on one, and their subscriptions, schedules and quotes, are in none of these lists; events bring them all the same. |
`;
}

const isDefault = (name: ResourceName): boolean =>
  (defaultResources as readonly ResourceName[]).includes(name);

/** What Stripe lists only for the objects of another resource. */
function owned(): string {
  const byOwner = new Map<string, ResourceName[]>();
  for (const name of resourceNames) {
    const owner = entryOf(name).listsPer?.owner;
    if (owner !== undefined) byOwner.set(owner, [...(byOwner.get(owner) ?? []), name]);
  }
  return [...byOwner]
    .map(
      ([owner, names]) =>
        `With ${codes(names, "or")} choose \`${owner}\` too: Stripe lists them for one owner at a time.`,
    )
    .join(" ");
}

/** What the link cannot fill in. */
function byHand(chosen: readonly ResourceName[]): string {
  const rows = grantsFor(chosen).filter(({ id }) => id === null);
  const named = rows.map(({ row, access }) => `“${access}” on ${row}`);
  return named.length === 0 ? "" : `Add by hand: ${named.join(", ")}.`;
}

/** In words, because hosts of pages make different anchors of an underscore. */
const titleOf = (name: ResourceName): string =>
  `${name.charAt(0).toUpperCase()}${name.slice(1).replaceAll("_", " ")}`;

function line(name: ResourceName): string {
  const mirrored = isDefault(name) ? "by default" : "by name";
  return `| [\`${name}\`](#${name.replaceAll("_", "-")}) | ${mirrored} | \`${entryOf(name).object}\` |`;
}

function section(name: ResourceName): string {
  const entry = entryOf(name);
  const { row, id } = READS[name];
  const { emptyRowPer: owner, refreshedBy = [], cutLists = [], listsPer } = entry;
  const relistedBy = listsPer?.relistedBy ?? [];
  const facts: readonly (readonly [what: string, text: string | undefined])[] = [
    ["name", `\`${name}\``],
    ["table", `\`${entry.table}\``],
    ["id", `\`${entry.idField}\``],
    ["columns", columns(name)],
    ["indexes", indexes(entry)],
    ["rows of nulls", owner && `one for each of the \`${owner}\` that has none of these`],
    ["written after", codes(entry.upsertedBy) || "no event"],
    ["its customer's are read anew after", codes(refreshedBy) || undefined],
    ["all of its owner's are listed anew after", codes(relistedBy) || undefined],
    ["deleted after", deletions(entry)],
    ["no event of", entry.silent],
    ["listed", listing(entry)],
    ["lists hide", entry.hides],
    ["lists inside it, fetched to their end", codes(cutLists.map(({ path }) => path)) || undefined],
    ["restricted key", `“Read” on ${row}${id === null ? "; no id is published" : `, \`${id}\``}`],
  ];
  return [
    `### ${titleOf(name)}`,
    "",
    "| | |",
    "|---|---|",
    ...facts.flatMap(([what, text]) => (text === undefined ? [] : [`| ${what} | ${text} |`])),
  ].join("\n");
}

function columns(name: ResourceName): string | undefined {
  const described = columnsOf(name).map(({ field, from, nullable }) => {
    if (from === "link") return `\`${field}\`, the entity that it is linked to, or null`;
    if (from === "owner") return `\`${field}\`, whose list shows it`;
    return `\`${field}\`, from \`${from}\`${nullable ? ", or null" : ""}`;
  });
  return described.length === 0 ? undefined : described.join("; ");
}

function indexes({ indexes: all, longTexts = [] }: Entry): string {
  return Object.entries(all)
    .map(([name, field]) => {
      const cut = longTexts.includes(field) ? ", on PostgreSQL its beginning" : "";
      return `\`${name}\` on \`${field}\`${cut}`;
    })
    .join("; ");
}

function deletions({ deletedBy, idsReturn, listsPer }: Entry): string {
  const anew = codes(listsPer?.relistedBy ?? []);
  const events = codes(deletedBy) || (anew && `${anew}: what is listed no longer`) || "no event";
  return idsReturn ? `${events}; another one can be made under the same id` : events;
}

function listing({ lists, listsByCreated, listsPer, listedAfter }: Entry): string {
  const order = listsByCreated ? "by time of creation" : "in one go";
  const several = lists.length > 1 ? `, ${lists.length} lists that show all of them together` : "";
  const all = lists.length === 0 ? [] : [`${order}${several}`];
  const each = listsPer === undefined ? [] : [perOwner(listsPer)];
  const after = listedAfter === undefined ? "" : `; after \`${listedAfter}\``;
  return `${[...all, ...each].join(", and ")}${after}`;
}

/** What lists for each owner cost, and when. */
function perOwner({ owner, eventful }: NonNullable<Entry["listsPer"]>): string {
  const daily = eventful
    ? "not in the daily reconcile, because all that happens to these has an event"
    : "in the daily reconcile too";
  return `a request for each of the \`${owner}\` (${daily})`;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  writeFileSync(file, generateResources());
}
