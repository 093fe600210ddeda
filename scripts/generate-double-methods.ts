// Writes docs/stripe-double-methods.md from the routes of the double and from Stripe's API. Run by
// `npm run generate`; packages/backend-billing/test/docs/double-methods.test.ts fails when the page is stale.
import { writeFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { stripeParameters, stripeRoutes } from "../packages/stripe-double/src/api/known.js";
import { CARDS, type CardBehaviour } from "../packages/stripe-double/src/billing/payments/cards.js";
import { type Route, signatureOf } from "../packages/stripe-double/src/http/route.js";
import { routes } from "../packages/stripe-double/src/resources/index.js";

const file = new URL("../docs/stripe-double-methods.md", import.meta.url);

export function generateMethods(): string {
  const bySection = grouped(routes, ({ pattern }) => sectionOf(pattern));
  const sections = [...bySection].sort(([a], [b]) => (a < b ? -1 : 1));
  const known = new Set(routes.map((route) => general(signatureOf(route))));
  const others = grouped(
    stripeRoutes().filter((signature) => !known.has(signature)),
    (signature) => sectionOf(signature.split(" ")[1] ?? ""),
  );
  return `<!-- Generated from packages/stripe-double/src by \`npm run generate\`. Do not edit. -->

# Methods of the double

What [the double of Stripe](./stripe-double.md) does with each method and each parameter of Stripe's API.

- **modelled**: it has the effect that it has at Stripe.
- **kept**: the object shows it again, and nothing else follows from it.
- **refused**: Stripe has it and the double does not: it answers 501, or with \`unknown: "record"\` goes on without it and
  reports it. Parts of a parameter that is modelled may be refused as well.

What Stripe does not have is answered as Stripe answers it, with 400 or 404. Every method takes \`expand\`.

${sections.map(([name, list]) => section(name, list)).join("\n\n")}

## Test cards

By number on the hosted pages, and as a payment method (\`pm_card_visa\`) or a token (\`tok_visa\`) through the API.

| number | payment method | | what it does |
|---|---|---|---|
${CARDS.map(cardRow).join("\n")}

## Not modelled

Stripe has these, and the double answers 501.

| | methods |
|---|---|
${[...others]
  .sort(([a], [b]) => (a < b ? -1 : 1))
  .map(([name, list]) => `| \`${name}\` | ${list.length} |`)
  .join("\n")}
`;
}

function section(name: string, list: readonly Route[]): string {
  return [
    `## ${name}`,
    "",
    "| method | modelled | kept | refused |",
    "|---|---|---|---|",
    ...list.map(row),
  ].join("\n");
}

function row(route: Route): string {
  const signature = signatureOf(route);
  const shaped = Object.keys(route.shape ?? {}).filter((name) => name !== "expand");
  const kept = Object.keys(route.keeps ?? {});
  const taken = new Set([...shaped, ...kept, "expand"]);
  const refused = stripeParameters(signature).filter((name) => !taken.has(name));
  return `| \`${signature}\` | ${names(shaped)} | ${names(kept)} | ${names(refused)} |`;
}

function cardRow({ number, name, brand, funding, country, behaviour }: (typeof CARDS)[number]) {
  return `| ${number} | \`pm_card_${name}\` | ${brand}, ${funding}, ${country} | ${wordsOf(behaviour)} |`;
}

function wordsOf(behaviour: CardBehaviour): string {
  const words = Object.entries(behaviour).map(([name, value]) =>
    value === true ? name : `${name}: ${String(value).replaceAll("_", " ")}`,
  );
  return words.length === 0 ? "pays" : words.join(", ");
}

const names = (list: readonly string[]): string =>
  [...list]
    .sort()
    .map((name) => `\`${name}\``)
    .join(", ");

const general = (signature: string): string => signature.replace(/:\w+/g, ":id");

/** The resource that an address is of: `customers`, `billing/meters`. */
function sectionOf(pattern: string): string {
  const [, version, first = "", second = ""] = pattern.split("/");
  const spaces = [
    "billing",
    "billing_portal",
    "checkout",
    "entitlements",
    "radar",
    "tax",
    "test_helpers",
  ];
  const resource = spaces.includes(first) || version === "v2" ? `${first}/${second}` : first;
  return version === "v2" ? `v2/${resource}` : resource;
}

function grouped<T>(list: readonly T[], by: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of list) {
    const name = by(item);
    const group = groups.get(name);
    if (group === undefined) groups.set(name, [item]);
    else group.push(item);
  }
  return groups;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  writeFileSync(file, generateMethods());
}
