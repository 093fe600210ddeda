/** The specification's neutral names, and ours. */
import {
  type ResourceName,
  resourceNames,
} from "../../packages/backend-billing/src/core/catalogue/catalogue.js";
import { resources } from "../../packages/backend-billing/src/core/catalogue/resources.js";
import { eventGroups } from "./event-rules.js";

export interface Name {
  readonly theirs: string;
  /** On both platforms, or on Node and PostgreSQL where Convex has a name of its own. */
  readonly ours: string;
  readonly convex?: string;
}

/** `promotion_code` is the type `PromotionCode`. */
const typeName = (object: string): string =>
  object.replace(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase());

/** Whether the specification itself names the table. */
const isNamed = (name: ResourceName): boolean => eventGroups.some(({ table }) => table === name);

export const names: readonly Name[] = [
  { theirs: "the provider, PROVIDER", ours: "Stripe" },
  {
    theirs: "the platform",
    ours: "Node with PostgreSQL: `backend-billing/postgres`",
    convex: "Convex: `backend-billing/convex`",
  },
  { theirs: "initialization of variant A", ours: "`createStripe(config)`" },
  { theirs: "initialization of variant B", ours: "`createBilling(config)`" },
  { theirs: "the client of variant A", ours: "the export `stripe`" },
  { theirs: "the client of variant B, `billing`", ours: "the export `billing`" },
  { theirs: "`PROVIDER_SECRET_KEY`", ours: "`STRIPE_SECRET_KEY`" },
  { theirs: "`PROVIDER_WEBHOOK_SECRET`", ours: "`STRIPE_WEBHOOK_SECRET`" },
  { theirs: "`secret_key`", ours: "`secret_key`" },
  { theirs: "`webhook_secret`", ours: "`webhook_secret`, one or a list of several" },
  {
    theirs: "`{base_url}`",
    ours: "the setting `base_url`",
    convex: "`CONVEX_SITE_URL`, which Convex sets, or the setting `base_url`",
  },
  {
    theirs: "`POST {base_url}/provider/webhook`",
    ours: "`POST {base_url}/stripe/webhook`; the setting `path` changes `/stripe`",
  },
  { theirs: "`GET {base_url}/provider/return/*`", ours: "`GET {base_url}/stripe/return/*`" },
  {
    theirs: "internal action",
    ours: "a plain server function, which no route leads to",
    convex: "an internal action, and a function of the client for use inside an action",
  },
  {
    theirs: "`context`, the first argument in variant A",
    ours: "`{}`, or `{ db }` for another pool",
    convex: "the `ctx` of an action",
  },
  { theirs: "`requestOptions`", ours: "`Stripe.RequestOptions`" },
  {
    theirs: "`addHttpRoutes(router)`",
    ours: "`addHttpRoutes(app)` for Hono; `fetch` and `nodeHandler` are the same routes for others",
    convex: "`addHttpRoutes(http)`, with the router of `httpRouter()`",
  },
  {
    theirs: "`addCronJobs(crons)`",
    ours: "`addCronJobs(boss)`, with a pg-boss",
    convex: "`addCronJobs(crons)`, with the registry of `cronJobs()`",
  },
  {
    theirs: "the table set, spread into the schema",
    ours: '`export * from "backend-billing/drizzle"`, or `store.migrate()` without Drizzle',
    convex: "`...billingTables` in `defineSchema`",
  },
  {
    theirs: "the fields of a row",
    ours: "the same names; the columns of PostgreSQL are in snake case, as `product_id`",
    convex:
      "the same names; keys of metadata that Convex refuses are escaped, and `decode` reads them",
  },
  {
    theirs: "the indexes of a table",
    ours: "the same names behind that of the table, as `backend_billing_products_byActive`",
    convex: "the same names",
  },
  { theirs: "the field `provider`", ours: "`stripe`" },
  ...resourceNames.filter(isNamed).map((name) => {
    const type = typeName(resources[name].object);
    return {
      theirs: `\`Provider.${type}\` in \`${resources[name].table}\``,
      ours: `\`Plain<Stripe.${type}>\`, the row is \`Row<"${name}">\``,
      convex: `\`Plain<Stripe.${type}>\`, the document is \`Doc<"${resources[name].table}">\``,
    };
  }),
  {
    theirs: "“the action throws an error”",
    ours: "`BillingError`, with a `code`",
    convex: "`ConvexError`, whose data has the `code`; `billingErrorOf` reads it",
  },
];
