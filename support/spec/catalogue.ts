/**
 * The specification's rules in our own words, one by one: the single source of the tests' names and
 * of docs/spec.md. An id is the specification's section or item and, after `#`, a name of ours.
 */
import { eventRules } from "./event-rules.js";

export interface Rule {
  readonly id: string;
  readonly text: string;
}

/** A part of the specification and the file of its tests; a rule belongs to the first that fits. */
export interface Part {
  readonly heading: string;
  readonly prefix: string;
  readonly file: string;
}

export const parts = [
  { heading: "What the service does", prefix: "1.", file: "rules/overview.ts" },
  { heading: "Setup steps", prefix: "1 step", file: "rules/installation.ts" },
  { heading: "Tables", prefix: "2#table-", file: "rules/tables/table-shapes.ts" },
  { heading: "Resources and their fields", prefix: "2#", file: "rules/tables/tables.ts" },
  { heading: "States", prefix: "3#", file: "rules/tables/states.ts" },
  { heading: "HTTP routes", prefix: "4.1#", file: "rules/routes.ts" },
  { heading: "`setup`", prefix: "4.2#setup-", file: "rules/setup.ts" },
  { heading: "`sync`", prefix: "4.2#sync-", file: "rules/sync.ts" },
  { heading: "`subscribe`", prefix: "4.2#subscribe-", file: "rules/links/subscribe.ts" },
  { heading: "`pay`", prefix: "4.2#pay-", file: "rules/links/pay.ts" },
  { heading: "`checkout`", prefix: "4.2#checkout-", file: "rules/links/checkout.ts" },
  { heading: "`portal`", prefix: "4.2#portal-", file: "rules/links/portal.ts" },
  { heading: "`addCronJobs`", prefix: "4.2#cron-", file: "rules/cron.ts" },
  { heading: "Authentication", prefix: "5.", file: "rules/authentication.ts" },
  { heading: "Events", prefix: "6#", file: "rules/events/events.ts" },
  { heading: "Errors", prefix: "7#", file: "rules/errors.ts" },
  { heading: "Versions", prefix: "9.", file: "rules/tables/versions.ts" },
] as const satisfies readonly Part[];

const ownRules = {
  "1.1": "is configured with Stripe's secret key and the webhook's signing secret",
  "1.2":
    "receives Stripe's events over HTTP and mirrors their objects into the application's tables",
  "1.3#sync": "copies existing provider data into the tables on demand",
  "1.3#cron": "copies it on a schedule too, in variant B",
  "1.4": "maps an `entityId` to a `customerId`, by `setup`",
  "1.5#subscribe": "creates a subscription checkout page in variant A: `subscribe`",
  "1.5#checkout": "creates a subscription checkout page in variant B: `checkout`",
  "1.5#pay": "creates a one-time payment page: `pay`",
  "1.5#portal": "creates a billing-portal page where an entity manages its subscriptions: `portal`",
  "1.6#internal": "actions can be called only from other backend functions",
  "1.6#wrapped": "the application wraps actions in public ones and adds its own authorization",
  "1.7#plans": "the application lists products and prices from the tables",
  "1.7#customers": "the application looks up customers and their `customerId` in the tables",
  "1.7#subscriptions": "the application checks active subscriptions in the tables",
  "1 step 1": "needs a Stripe account: a key of none is refused",
  "1 step 2#address": "the webhook endpoint points to `{base_url}/stripe/webhook`",
  "1 step 2#events": "every event of section 6 is enabled on the endpoint",
  "1 step 3": "the billing portal must be enabled, which `sync` can do",
  "1 step 4": "both secrets are environment variables, and the library tells when one is not set",
  "1 step 5": "the table set is spread into the application's schema, beside its own tables",
  "1 step 6":
    "initialization takes `{ secret_key, webhook_secret }` read from those variables, and needs no more to sell on a site of another origin",
  "1 step 7#a": "variant A returns the client `stripe`, `store`, `sync` and `setup`",
  "1 step 7#b":
    "variant B returns the client `billing`, `store`, `sync`, `portal`, `checkout` and `setup`",
  "1 step 7#always": "the client, `store` and `sync` are among the exports of both variants",
  "1 step 7#missing": "an export that the library needs and does not find is named",
  "1 step 8#a": "`addHttpRoutes` registers the routes on the application's router in variant A",
  "1 step 8#b": "`addHttpRoutes` registers the routes on the application's router in variant B",
  "1 step 9#cron": "`addCronJobs` syncs at startup and keeps data current after downtime",
  "1 step 9#manual": "cron jobs may be left out if `sync` is run by hand at startup",
  "1 step 10#scheduled":
    "`setup` runs from the callback that creates an entity, scheduled with no delay",
  "1 step 10#email": "`setup` is given the email when it is known, and does without when it is not",
  "1 step 11#import": "`sync` imports existing provider data once after installation",
  "1 step 11#again": "`sync` may be run again in the same deployment",
  "1 step 11#empty": "`sync` may be skipped when the Stripe account is new and empty",

  "2#id": "every row has `_id`, a string that the platform assigns and keeps",
  "2#last-synced-at":
    "every row has `last_synced_at`, a number: when a sync last wrote its content; one that finds it equal leaves it",
  "2#stripe": "the field `stripe` holds the full synced object",
  "2#webhooks": "webhooks fill the tables by themselves",
  "2#cron": "cron jobs fill the tables by themselves in variant B",
  "2#prefix": "table names carry the prefix `backend_billing_`",
  "2#table-products-fields": "`backend_billing_products` has its fields",
  "2#table-products-indexes": "`backend_billing_products` has the indexes `byActive` and `byName`",
  "2#table-prices-fields": "`backend_billing_prices` has its fields",
  "2#table-prices-indexes":
    "`backend_billing_prices` has the indexes `byProductId`, `byActive`, `byRecurringInterval` and `byCurrency`",
  "2#table-customers-fields": "`backend_billing_customers` has its fields",
  "2#table-customers-indexes":
    "`backend_billing_customers` has the indexes `byEntityId` and `byCustomerId`",
  "2#table-subscriptions-fields": "`backend_billing_subscriptions` has its fields",
  "2#table-subscriptions-indexes":
    "`backend_billing_subscriptions` has the indexes `bySubscriptionId` and `byCustomerId`",
  "2#table-coupons-fields": "`backend_billing_coupons` has its fields",
  "2#table-coupons-indexes": "`backend_billing_coupons` has the index `byCouponId`",
  "2#table-promotion_codes-fields": "`backend_billing_promotion_codes` has its fields",
  "2#table-promotion_codes-indexes":
    "`backend_billing_promotion_codes` has the index `byPromotionCodeId`",
  "2#table-payouts-fields": "`backend_billing_payouts` has its fields",
  "2#table-payouts-indexes": "`backend_billing_payouts` has the index `byPayoutId`",
  "2#table-refunds-fields": "`backend_billing_refunds` has its fields",
  "2#table-refunds-indexes": "`backend_billing_refunds` has the index `byRefundId`",
  "2#customers": "the customers table maps application entities to Stripe customers",
  "2#subscriptions-none":
    "a customer without subscriptions has one row whose `subscriptionId` and `stripe` are null",
  "2#subscriptions-some": "a customer with subscriptions has a row for each, and none of nulls",
  "2#variant-a-tables": "variant A syncs tables of the same kinds",
  "2#variant-a-uses":
    "variant A offers the same uses: products and prices, customers, subscriptions",
  "2#one-customer": "an entity has at most one Stripe customer, whoever asks at once",
  "2#no-duplicate": "`setup` on an entity that has a customer creates no duplicate",
  "2#customer-id": "`customerId` is Stripe's own id of the customer",
  "2#metadata": "`metadata` is a free object of keys and values",
  "2#metadata-reserved": "the metadata key `entityId` is reserved and carries the entity",
  "2#features": "products carry `metadata` and `marketing_features` for feature flags and limits",

  "3#states": "a row's states are those of Stripe, as it goes from one to the next",

  "4.1#webhook-a": "`POST {base_url}/stripe/webhook` receives events in variant A",
  "4.1#webhook-b": "`POST {base_url}/stripe/webhook` receives events in variant B",
  "4.1#webhook-body": "the webhook's body is Stripe's event notification, and nothing else",
  "4.1#webhook-address": "the webhook route is the address configured at Stripe",
  "4.1#return-a": "`GET {base_url}/stripe/return/*` leads back to the application in variant A",
  "4.1#return-b": "`GET {base_url}/stripe/return/*` leads back to the application in variant B",
  "4.1#return-path": "the part after `/return/` is a sub-path: checkout and portal have one each",
  "4.1#no-others": "there are no other routes",

  "4.2#setup-creates": "`setup` creates the customer of an entity, by one customer-creation call",
  "4.2#setup-updates": "`setup` updates the customer's email and metadata",
  "4.2#setup-keeps": "`setup` keeps what a person changed at Stripe",
  "4.2#setup-existing": "`setup` returns the existing customer",
  "4.2#setup-entityId": "`setup` requires `entityId`, a string",
  "4.2#setup-email": "`setup` makes `email` the customer's contact email",
  "4.2#setup-email-optional": "`setup` does without `email`",
  "4.2#setup-metadata": "`setup` puts `metadata` on the customer, and does without it",
  "4.2#setup-metadata-reserved": "`setup` refuses `metadata` with the key `entityId`",
  "4.2#setup-returns": "`setup` returns an object containing `customerId`, in both variants",

  "4.2#sync-data-default": "`sync` copies data by default",
  "4.2#sync-data-all":
    "`sync` copies all existing resources, inactive and canceled ones and every page",
  "4.2#sync-data-false": "`sync` with `data: false` copies nothing",
  "4.2#sync-webhook-default": "`sync` leaves webhook endpoints alone by default",
  "4.2#sync-webhook-creates":
    "`sync` with `webhook: true` creates the endpoint and returns its signing secret",
  "4.2#sync-webhook-secret":
    "the secret that `sync` returned, set as `STRIPE_WEBHOOK_SECRET`, validates what is delivered",
  "4.2#sync-webhook-updates":
    "`sync` with `webhook: true` updates an endpoint that exists, and returns no secret",
  "4.2#sync-portal-default": "`sync` leaves the portal's configuration alone by default",
  "4.2#sync-portal-creates": "`sync` with `portal: true` creates the default portal configuration",
  "4.2#sync-portal-existing": "`sync` with `portal: true` creates none where there is one",
  "4.2#sync-all": "`sync` takes its three options together",
  "4.2#sync-b": "`sync` is exported in variant B and copies data",
  "4.2#sync-b-cron": "`sync` is driven by the cron jobs of variant B",

  "4.2#subscribe-session":
    "`subscribe` creates a checkout session in mode `subscription` for the entity's customer and the price",
  "4.2#subscribe-shape": "`subscribe` takes a context, parameters and optional request options",
  "4.2#subscribe-entityId": "`subscribe` requires `entityId`",
  "4.2#subscribe-priceId": "`subscribe` requires `priceId`",
  "4.2#subscribe-mode": "`subscribe` requires `mode` to be `subscription`",
  "4.2#subscribe-success_url": "`subscribe` requires `success_url` and leads there after success",
  "4.2#subscribe-cancel_url": "`subscribe` requires `cancel_url` and leads there after cancel",
  "4.2#subscribe-pass-through": "`subscribe` passes other checkout-session parameters through",
  "4.2#subscribe-request-options":
    "`subscribe` passes its third argument to Stripe as request options",
  "4.2#subscribe-returns": "`subscribe` returns an object with `url`, a checkout link that opens",

  "4.2#pay-session": "`pay` creates a checkout session in mode `payment` for the entity's customer",
  "4.2#pay-shape": "`pay` takes a context, parameters and optional request options",
  "4.2#pay-referenceId": "`pay` puts `referenceId` on what was bought, and does without it",
  "4.2#pay-entityId": "`pay` requires `entityId`",
  "4.2#pay-mode": "`pay` requires `mode` to be `payment`",
  "4.2#pay-line_items": "`pay` requires `line_items` of price and quantity, and charges for them",
  "4.2#pay-success_url": "`pay` requires `success_url` and leads there after success",
  "4.2#pay-cancel_url": "`pay` requires `cancel_url` and leads there after cancel",
  "4.2#pay-pass-through": "`pay` passes other checkout-session parameters through",
  "4.2#pay-request-options": "`pay` passes its third argument to Stripe as request options",
  "4.2#pay-returns": "`pay` returns an object with `url`, a checkout link that opens",

  "4.2#checkout-session": "`checkout` creates a checkout session for the entity and the price",
  "4.2#checkout-entityId": "`checkout` requires `entityId`",
  "4.2#checkout-priceId": "`checkout` requires `priceId`",
  "4.2#checkout-successUrl": "`checkout` requires `successUrl` and leads there after success",
  "4.2#checkout-cancelUrl": "`checkout` requires `cancelUrl` and leads there after cancel",
  "4.2#checkout-default": "`checkout` creates a missing customer by default",
  "4.2#checkout-true":
    "`checkout` creates a missing customer when `createStripeCustomerIfMissing` is true",
  "4.2#checkout-false":
    "`checkout` throws for a missing customer when `createStripeCustomerIfMissing` is false, and works for one that is there",
  "4.2#checkout-deleted":
    "`checkout` replaces a customer that was deleted at Stripe, before any event tells of it",
  "4.2#checkout-returns": "`checkout` returns an object with `url`, a checkout link that opens",

  "4.2#portal-a": "`portal` of variant A creates a portal session for the entity's customer",
  "4.2#portal-b": "`portal` of variant B creates a portal session for the entity's customer",
  "4.2#portal-entityId": "`portal` requires `entityId`",
  "4.2#portal-customer":
    "`portal` requires that the entity has a `customerId`, and never makes one",
  "4.2#portal-deleted":
    "`portal` throws for a customer that was deleted at Stripe, before any event tells of it",
  "4.2#portal-returnUrl": "`portal` requires `returnUrl`, where the portal sends the person back",
  "4.2#portal-pass-through": "`portal` of variant A passes other portal-session parameters through",
  "4.2#portal-request-options":
    "`portal` of variant A takes a context, parameters and optional request options",
  "4.2#portal-single-argument": "`portal` of variant B takes a single argument object",
  "4.2#portal-returns":
    "`portal` returns an object with `url`, a page where subscriptions are managed",

  "4.2#cron-startup": "`addCronJobs` registers a job that syncs data at startup",
  "4.2#cron-current": "`addCronJobs` registers jobs that keep data current",

  "5.1": "authenticates to Stripe with the secret key",
  "5.2": "validates webhook events with the signing secret",
  "5.3": "keeps both secrets in the backend: no link and no answer shows them",
  "5.4#internal": "all actions are reachable only from other backend functions",
  "5.4#wrapped": "a client reaches actions only through the application's public functions",
  "5.5": "performs no end-user authorization of its own",

  "6#emits-none": "emits no events of its own",
  "6#consumes": "consumes events at `POST {base_url}/stripe/webhook` and mirrors their objects",
  "6#enabled": "every listed event is handled and enabled on the endpoint that `sync` makes",
  "6#variant-a": "variant A enables and handles the same events",

  "7#portal-a": "`portal` of variant A throws for an entity without a `customerId`",
  "7#portal-b": "`portal` of variant B throws for an entity without a `customerId`",
  "7#checkout": "`checkout` throws when it may not create the customer that is missing",
  "7#reserved": "`setup` does not allow the metadata key `entityId`, and creates nothing",
  "7#existing": "`setup` for an entity that has a customer is no error",

  "9.1": "both variants exist, each with its own names and parameters",
  "9.2#supported": "variant B supports subscriptions, checkout, billing portal and webhook sync",
  "9.2#cron": "variant B supports cron sync",
  "9.2#tenants": "variant B supports many tenants, each apart from the others",
  "9.2#planned": "variant B has no one-time payments, usage-based billing or credits yet",
  "9.3": "`sync` after an update of the library brings the tables up to date",
} as const;

export type RuleId = keyof typeof ownRules | (typeof eventRules)[number]["id"];

export const rules: readonly (Rule & { readonly id: RuleId })[] = [
  ...(Object.keys(ownRules) as (keyof typeof ownRules)[]).map((id) => ({ id, text: ownRules[id] })),
  ...eventRules,
];

/** Where the specification says it: `§4.2`, `§1 step 7`. */
export const sectionOf = ({ id }: Rule): string => `§${id.split("#")[0]}`;

/** The name of a rule's test. */
export const titleOf = (rule: Rule): string =>
  `${sectionOf(rule)} ${rule.text.replaceAll("`", "")}`;

export function partOf({ id }: Rule): Part {
  const part = parts.find(({ prefix }) => id.startsWith(prefix));
  if (part === undefined) throw new Error(`The rule ${id} belongs to no part`);
  return part;
}
