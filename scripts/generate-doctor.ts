// Writes docs/doctor.md from the catalogue of findings. Run by `npm run generate`;
// test/cli/doctor-judgement.test.ts fails when the page is stale.
import { writeFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { type Code, catalogue } from "../packages/backend-billing/src/cli/doctor/catalogue.js";
import { type Commands, commandsOf } from "../packages/backend-billing/src/cli/doctor/commands.js";
import { type Finding, finder } from "../packages/backend-billing/src/cli/doctor/finding.js";

const file = new URL("../docs/doctor.md", import.meta.url);

const parts: readonly (readonly [heading: string, codes: RegExp])[] = [
  ["The key", /^(key|stripe|permission|mode|account)_/],
  ["Your application's address", /^url_/],
  ["The webhook endpoint at Stripe", /^(endpoint|deliveries)_/],
  ["The signing secret", /^secret_/],
  ["Your application's route", /^webhook_/],
  ["The database", /^(database_(missing|unreachable)|migrations|tables|never|objects)/],
  ["Roles and row level security", /^(schema|role|row_security|access)_/],
  ["Reactions", /^changes_/],
  ["Usage", /^usage_/],
  ["Erasures", /^erasures_/],
  ["Several applications on one account", /^(app|customers)_/],
  ["Clocks", /clock/],
  ["The portal", /^portal_/],
];

export function generateDoctor(): string {
  return `<!-- Generated from src/cli/doctor by \`npm run generate\`. Do not edit. -->

# Doctor

\`\`\`sh
npx backend-billing doctor --url https://app.example
\`\`\`

It looks at everything that must fit together, and says for each thing that does not what mends it.
It changes nothing, at Stripe or in the database, unless \`--fix\` is given.

- It reads \`STRIPE_SECRET_KEY\`, \`STRIPE_WEBHOOK_SECRET\` and \`DATABASE_URL\` from the environment,
  from \`.env.local\` and from \`.env\`, and the application's name from \`BILLING_APP\`. Run it with the settings of the deployment that you ask about.
- \`--url\` is where your application is reached, or its webhook's whole address; without it
  \`BASE_URL\` is taken, and with \`--convex\` \`CONVEX_SITE_URL\`. The application's own route is then tried: it is sent an event of a type that
  means nothing, once signed rightly, which it must accept, and once wrongly, which it must refuse.
- \`--convex\` is for Convex, whose database is not looked at. Put the deployment's secrets into the
  environment for it; \`--url\` is the address that ends in \`.convex.site\`.
- What a restricted key may write is found out by asking for changes to objects that do not exist.
- \`--fix\` writes the application's name into the metadata of linked customers that carry none, as
  fast as Stripe allows, and goes on where it was interrupted when it is run again. Customers that
  carry another application's name are reported and not touched. It needs \`BILLING_APP\` and
  PostgreSQL.
- \`--json\` prints \`{ "healthy": …, "findings": [{ "code", "severity", "what", "fix" }] }\`.

An **error** must be mended: the command ends with 3. A **warning** is worth knowing, and ends with 0.

${parts.map(([heading, codes]) => section(heading, codes)).join("\n\n")}
`;
}

function section(heading: string, wanted: RegExp): string {
  const codes = (Object.keys(catalogue) as Code[]).filter((code) => wanted.test(code));
  const rows = codes.map((code) => {
    const { severity, what, fix } = printed(code);
    return `| \`${code}\` | ${severity} | ${cell(what)} | ${cell(fix)} |`;
  });
  return [
    `## ${heading}`,
    "",
    "| finding | | what is wrong | what mends it |",
    "|---|---|---|---|",
    ...rows,
  ].join("\n");
}

/** Node's commands, as code. */
const commands = Object.fromEntries(
  Object.entries(commandsOf({ platform: "node-postgres" })).map(([name, text]) => [
    name,
    text.replace(/^(npx|STRIPE)[^(]*[^( ]/, (command: string) => `\`${command}\``),
  ]),
) as unknown as Commands;

/** What is found at run time stays open. */
const printed = finder(commands) as (code: Code) => Finding;

const cell = (text: string): string => text.replaceAll("|", "\\|").replace(/\{(\w+)\}/g, "*$1*");

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  writeFileSync(file, generateDoctor());
}
