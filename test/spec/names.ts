/** The specification's neutral names, and ours. */
import { resourceNames } from "../../src/core/catalogue.js";
import { resources } from "../../src/core/resources.js";

export interface Name {
  readonly theirs: string;
  readonly ours: string;
}

/** `promotion_code` is the type `PromotionCode`. */
const typeName = (object: string): string =>
  object.replace(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase());

export const names: readonly Name[] = [
  { theirs: "the provider, PROVIDER", ours: "Stripe" },
  {
    theirs: "the platform",
    ours: "Node with PostgreSQL, `backend-billing/postgres`, and Convex, `backend-billing/convex`",
  },
  { theirs: "initialization of variant A", ours: "`createStripe(config)`" },
  { theirs: "initialization of variant B", ours: "`createBilling(config)`" },
  { theirs: "the client of variant A", ours: "the export `stripe`" },
  { theirs: "the client of variant B, `billing`", ours: "the export `billing`" },
  { theirs: "`PROVIDER_SECRET_KEY`", ours: "`STRIPE_SECRET_KEY`" },
  { theirs: "`PROVIDER_WEBHOOK_SECRET`", ours: "`STRIPE_WEBHOOK_SECRET`" },
  { theirs: "`secret_key`", ours: "`secret_key`" },
  { theirs: "`webhook_secret`", ours: "`webhook_secret`, one or a list of several" },
  { theirs: "`{base_url}`", ours: "the setting `base_url`" },
  {
    theirs: "`POST {base_url}/provider/webhook`",
    ours: "`POST {base_url}/stripe/webhook`; the setting `path` changes `/stripe`",
  },
  { theirs: "`GET {base_url}/provider/return/*`", ours: "`GET {base_url}/stripe/return/*`" },
  {
    theirs: "internal action",
    ours: "a plain server function, which no route leads to",
  },
  {
    theirs: "`context`, the first argument in variant A",
    ours: "`{}`, or `{ db }` for another pool",
  },
  { theirs: "`requestOptions`", ours: "`Stripe.RequestOptions`" },
  {
    theirs: "`addHttpRoutes(router)`",
    ours: "`addHttpRoutes(app)` for Hono; `fetch` and `nodeHandler` are the same routes for others",
  },
  { theirs: "`addCronJobs(crons)`", ours: "`addCronJobs(boss)`, with a pg-boss" },
  {
    theirs: "the table set, spread into the schema",
    ours: '`export * from "backend-billing/drizzle"`, or `store.migrate()` without Drizzle',
  },
  {
    theirs: "the fields of a row",
    ours: "the same names; the columns of PostgreSQL are in snake case, as `product_id`",
  },
  {
    theirs: "the indexes of a table",
    ours: "the same names behind that of the table, as `backend_billing_products_byActive`",
  },
  { theirs: "the field `provider`", ours: "`stripe`" },
  ...resourceNames.map((name) => {
    const type = typeName(resources[name].object);
    return {
      theirs: `\`Provider.${type}\` in \`${resources[name].table}\``,
      ours: `\`Plain<Stripe.${type}>\`, the row is \`Row<"${name}">\``,
    };
  }),
  { theirs: "“the action throws an error”", ours: "`BillingError`, with a `code`" },
];
