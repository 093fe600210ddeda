/** What the specification calls "not shown" or leaves open, and what was decided. */

export interface Decision {
  readonly section: string;
  readonly open: string;
  readonly decided: string;
}

export const decisions: readonly Decision[] = [
  {
    section: "1",
    open: "when the settings are checked",
    decided:
      "At first use, not at load: the first deployment happens before the secrets exist. A missing one is `invalid_config`, and the message names the variable.",
  },
  {
    section: "2",
    open: "the unit of `last_synced_at`",
    decided:
      "Milliseconds since 1970. It is when the content of the row was last written. A sync that finds the content equal writes nothing: on Convex a rewritten document runs every query again that reads it.",
  },
  {
    section: "2",
    open: "the fields behind `byActive`, `byName`, `byProductId`, `byRecurringInterval`, `byCurrency`",
    decided:
      "`stripe.active`, `stripe.name`, `stripe.product`, `stripe.recurring.interval`, `stripe.currency`. Every table also has an index on its own id. On PostgreSQL `byName` covers the first 200 characters of the name, because a name may be longer than PostgreSQL can index.",
  },
  {
    section: "2",
    open: "`entityId` of customers that no entity owns",
    decided:
      "Null, as for those made in Stripe's dashboard. A second customer with an entity's id is mirrored with null too, and reported.",
  },
  {
    section: "2",
    open: "when there is a subscription row of nulls",
    decided:
      "When a customer without subscriptions is stored; at most one for each customer. The first subscription replaces it.",
  },
  {
    section: "2",
    open: "deleted objects",
    decided:
      "Their rows are removed and do not come back by a late event. A canceled subscription is not deleted: its row stays, with Stripe's status.",
  },
  {
    section: "2",
    open: "names, fields and indexes of variant A's tables",
    decided:
      "One table set for both variants, so that an application changes from one to the other without a migration.",
  },
  {
    section: "2",
    open: "what variant A mirrors beyond products, prices, customers and subscriptions",
    decided:
      "The same eight resources as variant B, and for both of them what a billing page shows: checkout sessions, invoices, subscription schedules, payment intents, charges, payment methods and disputes. The setting `resources` chooses among these and others.",
  },
  {
    section: "3",
    open: "states and transitions",
    decided: "Stripe's own, unchanged, inside the field `stripe`.",
  },
  {
    section: "4.1",
    open: "the webhook's body",
    decided:
      "Stripe's event, whole or thin, in any API version. What the body cannot tell is asked of Stripe.",
  },
  {
    section: "4.1",
    open: "the webhook's answer",
    decided:
      "200 without a body once everything is stored, and 200 with `{ received }` where there was nothing to store, which is `duplicate` or `ignored`. Otherwise `{ error: { code, message } }`: 400 for a missing or wrong signature or what is no event, 405 for another method, 408 for a body that takes more than ten seconds, 413 above 1 MiB, 503 when more than 32 MiB of unproven bodies are under way, 500 for what was not stored, so that Stripe sends it again.",
  },
  {
    section: "4.1",
    open: "a base URL with a path",
    decided:
      "The path is a part of the routes. They answer without it, too, for routers that are mounted below it and proxies that remove it.",
  },
  {
    section: "4.1",
    open: "what the return route does",
    decided:
      "Its links are signed and name where the application wants the person back. It refreshes that customer's subscriptions, within a second and a half and at most ten times at once and then every ten seconds, and answers 303. Any secret that is configured verifies a link that it signed. A link that was altered is answered with 400; one that is ours always leads on.",
  },
  {
    section: "4.2",
    open: "what `setup` updates",
    decided:
      "The email, and each key of the metadata, if it is given and differs; an empty value of a key removes it. What a person changed or removed at Stripe since `setup` last wrote it stays, and so does what is there of a customer that `setup` did not write to. Customers are not matched by email.",
  },
  {
    section: "4.2",
    open: "`subscribe` and `checkout` for an entity that is subscribed already, or was given a page before",
    decided:
      "An entity never has two live subscriptions of one group through these links. The same order leads to the same page again; another order to another page, and the first can be paid no more. Who is subscribed is sent to the invoice that is open, or to the portal. `ifSubscribed`, or the setting `if_subscribed`, chooses otherwise: `refuse`, or `allow` for the plain reading.",
  },
  {
    section: "4.2",
    open: "what a link answers beside `url`",
    decided:
      "`kind`, `sessionId` and `subscriptionId`: `subscribe`, `pay` and `checkout` say what kind of page it is.",
  },
  {
    section: "4.2",
    open: "what `sync` returns",
    decided:
      "`{ runId, state, resources, webhook?, portal? }`. The state is `done` only when every resource was copied to its end.",
  },
  {
    section: "4.2",
    open: "parameters of `sync` in variant B",
    decided: "Those of variant A.",
  },
  {
    section: "4.2",
    open: "an endpoint with another API version",
    decided:
      "A new one is made, and its secret returned. The old one is disabled by the next call, when both secrets are in place.",
  },
  {
    section: "4.2",
    open: "`subscribe` and `pay` for an entity without a customer",
    decided: "They run `setup` first.",
  },
  {
    section: "4.2",
    open: "parameters that are not passed through",
    decided:
      "`customer`, `customer_email`, `ui_mode`, `return_url`, `expand`, and `client_reference_id` in `pay`: the library decides them, and passing one is `invalid_argument`.",
  },
  {
    section: "4.2",
    open: "arguments that variant B does not know",
    decided: "`invalid_argument`, on every platform: what is misspelt is not ignored.",
  },
  {
    section: "4.2",
    open: "which keys `metadata` may have",
    decided:
      "Those that Stripe takes: 1 to 40 characters without square brackets. What Stripe would refuse is `invalid_argument`, before anything is made. Convex carries only some names as arguments; `encode` and `decode` translate the others.",
  },
  {
    section: "4.2",
    open: "how many `subscribe` and `checkout` sell",
    decided:
      "One, or `quantity`; never a quantity of a metered price. An entry of `line_items` for the same price replaces that line.",
  },
  {
    section: "4.2",
    open: "which prices are sold",
    decided:
      "Those that are active and whose product is, as far as the setting `sells` allows. Others are `invalid_argument`. A price that the mirror lacks is asked of Stripe first; `price_data` passes.",
  },
  {
    section: "4.2",
    open: "where `referenceId` goes",
    decided:
      "`client_reference_id` of the session, and `referenceId` in the metadata of the session and of the payment intent.",
  },
  {
    section: "4.2",
    open: "which addresses people may be sent to",
    decided:
      "Any http(s) address that the application passes: the link to the return route is signed, so nobody else can make one. `return_origins`, when set, narrows it to those origins and `base_url`'s own. After success and from the portal they come through the return route, after cancel directly.",
  },
  {
    section: "4.2",
    open: "schedule and interval of the cron jobs",
    decided:
      "At start-up a backfill the first time, then a catch-up, which also runs every five minutes; a reconcile daily at an odd minute. All can be set.",
  },
  {
    section: "5",
    open: "signature header and verification scheme",
    decided:
      "Stripe's: `Stripe-Signature`, HMAC-SHA256, at most five minutes old. The header is judged before the body is read. Any one of several secrets may fit.",
  },
  {
    section: "5",
    open: "live and test data",
    decided: "One table set holds one mode. A key or an event of the other is `livemode_mismatch`.",
  },
  {
    section: "6",
    open: "the events of variant A",
    decided: "Those of variant B.",
  },
  {
    section: "6",
    open: "which table checkout-session, invoice and payment-intent events update",
    decided:
      "The subscriptions of the customer they name are read again from Stripe, a little later and once for many events.",
  },
  {
    section: "6",
    open: "`customer.updated`, which the list leaves out",
    decided: "It is enabled and handled too; an edited customer would stay old without it.",
  },
  {
    section: "6",
    open: "events that are not listed",
    decided: "Answered with 200 and ignored.",
  },
  {
    section: "7",
    open: "error codes and messages",
    decided:
      "One class, `BillingError`, with a stable `code` and a message that says what to do. For a missing customer the code is `customer_not_found`, for a reserved key of metadata (`entityId`, `billingApp`) `reserved_metadata_key`, for a missing argument `invalid_argument`, for what Stripe refuses `provider_error`.",
  },
  {
    section: "8",
    open: "rate limits",
    decided: "A copy that Stripe slows down by 429 waits, longer each time, and goes on.",
  },
  {
    section: "8",
    open: "size limits",
    decided: "A webhook's body has at most 1 MiB, an `entityId` 500 characters.",
  },
  {
    section: "8",
    open: "time-outs",
    decided:
      "The return route waits for Stripe for a second and a half. `setup` waits for another caller for 20 seconds.",
  },
  {
    section: "8",
    open: "retry policy",
    decided:
      "What a webhook did not store, Stripe sends again. What was left to ask is kept in the database and tried until it is answered.",
  },
  {
    section: "8",
    open: "cron interval",
    decided: "Five minutes for the catch-up, a day for the reconcile; both can be set.",
  },
  {
    section: "9",
    open: "version numbers, compatibility, deprecation",
    decided:
      "Semantic versions, with a changelog. `store.migrate()` brings tables of any released version up to date and keeps every row.",
  },
];
