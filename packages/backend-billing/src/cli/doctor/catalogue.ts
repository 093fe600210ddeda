/**
 * Every finding of `doctor`: what is wrong and what mends it, with `{names}` for what is found at
 * run time. docs/doctor.md is generated from this, so that nothing can be said in two ways.
 */

/** An `error` must be mended, and ends the command with 3; a `warning` is worth knowing. */
export type Severity = "error" | "warning";

interface Entry {
  readonly severity: Severity;
  readonly what: string;
  readonly fix: string;
}

export const catalogue = {
  // The key
  key_missing: {
    severity: "error",
    what: "There is no Stripe secret key.",
    fix: "Take one from https://dashboard.stripe.com/apikeys and set it: {setKey}",
  },
  key_malformed: {
    severity: "error",
    what: "STRIPE_SECRET_KEY is {kind}, not a secret key: it starts with sk_ or rk_.",
    fix: "Take the secret key from https://dashboard.stripe.com/apikeys and set it: {setKey}",
  },
  key_refused: {
    severity: "error",
    what: "Stripe does not accept the key: {reason}",
    fix: "It was deleted, rolled or mistyped. Take the current one from https://dashboard.stripe.com/apikeys and set it: {setKey}",
  },
  stripe_unreachable: {
    severity: "error",
    what: "Stripe did not answer: {reason}",
    fix: "Check this machine's way to the Internet, its proxy and its firewall; then https://status.stripe.com",
  },
  permission_missing: {
    severity: "error",
    what: "The restricted key may not {action}.",
    fix: "Edit the key at https://dashboard.stripe.com/apikeys and give it “{access}” on {resource} ({permission}). Or make another one, with most of it filled in: {link}",
  },
  permission_for_changes: {
    severity: "warning",
    what: "The restricted key may not {action}. The application runs without it, but cannot change subscriptions, nor let an unfinished one make way for another.",
    fix: "If your application does that: edit the key at https://dashboard.stripe.com/apikeys and give it “{access}” on {resource} ({permission}). Or make another one, with most of it filled in: {link}",
  },
  permission_for_setup: {
    severity: "warning",
    what: "The restricted key may not {action}. The application runs without it; `sync` with `webhook` or `portal`, and parts of this check, do not.",
    fix: "Edit the key at https://dashboard.stripe.com/apikeys and give it “{access}” on {resource} ({permission}), at least while you set things up. Or make another one, with most of it filled in: {link}",
  },
  mode_mismatch: {
    severity: "error",
    what: "The key is a {mode} key, but the tables hold {other} data.",
    fix: "Set a {other} key ({setKey}), or give {mode} data a database or schema of its own.",
  },
  account_mismatch: {
    severity: "error",
    what: "The key belongs to the Stripe account {account}, but the tables hold the data of {other}.",
    fix: "Set a key of {other} ({setKey}), or give this account a database or schema of its own.",
  },

  // The application's address
  url_missing: {
    severity: "warning",
    what: "The application's address is not known, so neither the webhook endpoint nor the route was checked.",
    fix: "npx backend-billing doctor --url https://app.example",
  },
  url_malformed: {
    severity: "error",
    what: "{url} is not an address of an application: {reason}.",
    fix: "Give the http(s) address where the application is reached, without a query, such as https://app.example; `base_url` has the same form.",
  },
  url_insecure: {
    severity: "error",
    what: "{url} is not https, which Stripe asks of webhooks in live mode.",
    fix: "Put TLS in front of the application, and use its https address as `base_url` and here.",
  },
  url_local: {
    severity: "warning",
    what: "Stripe cannot reach {url}: it is an address of this machine or network.",
    fix: "While you develop: stripe listen --forward-to {webhook}, or npx backend-billing emulator --webhook {webhook}",
  },

  // The endpoint at Stripe
  endpoint_missing: {
    severity: "error",
    what: "Stripe has no webhook endpoint for {webhook}.{elsewhere}",
    fix: "{syncWebhook}",
  },
  endpoint_disabled: {
    severity: "error",
    what: "The webhook endpoint {id} is disabled: Stripe sends it nothing.",
    fix: "{syncWebhook}",
  },
  endpoint_events_missing: {
    severity: "error",
    what: "The webhook endpoint {id} is not sent {events}.",
    fix: "{syncWebhook}",
  },
  endpoint_version: {
    severity: "warning",
    what: "The webhook endpoint {id} sends events of API version {theirs}, and the installed stripe package expects {ours}: each event costs a request to Stripe.",
    fix: "{syncWebhook}, which makes a new endpoint; then set its secret beside the old one, and call it again.",
  },
  endpoint_duplicate: {
    severity: "warning",
    what: "{count} enabled webhook endpoints point at {webhook}: {ids}. Each event comes as often, and is refused where STRIPE_WEBHOOK_SECRET lacks the endpoint's secret.",
    fix: "{replaceWebhook}, once STRIPE_WEBHOOK_SECRET holds the secret of the one that stays. Without replacing, only endpoints that the library made are disabled.",
  },
  deliveries_failing: {
    severity: "warning",
    what: "{count} of the last {seen} events are older than {minutes} minutes and were not delivered everywhere yet.",
    fix: "Look at the endpoint's attempts at https://dashboard.stripe.com/webhooks; what was missed is caught up with by: {sync}",
  },

  // The signing secret
  secret_missing: {
    severity: "error",
    what: "There is no signing secret, so every webhook is refused.",
    fix: "{syncWebhook} answers it when it makes the endpoint. Then: {setSecret}",
  },
  secret_malformed: {
    severity: "error",
    what: "STRIPE_WEBHOOK_SECRET is not a signing secret: it starts with whsec_.",
    fix: "Take the endpoint's signing secret from https://dashboard.stripe.com/webhooks, then: {setSecret}",
  },
  secret_stale: {
    severity: "error",
    what: "STRIPE_WEBHOOK_SECRET is not the secret of the endpoint {id}, so what Stripe sends is refused.",
    fix: "Take the signing secret of {id} from https://dashboard.stripe.com/webhooks, then: {setSecret}",
  },

  // The application's own route
  webhook_unreachable: {
    severity: "error",
    what: "Nothing answers at {webhook}: {reason}",
    fix: "Start the application, or correct --url. Behind a firewall, let POST {webhook} through.",
  },
  webhook_route_missing: {
    severity: "error",
    what: "{webhook} answers {status}: the library's routes are not there.",
    fix: "{mount}",
  },
  webhook_redirected: {
    severity: "error",
    what: "{webhook} redirects ({status}), and Stripe does not follow redirects.",
    fix: "Give the final address as `base_url` and --url, and let {webhook} pass redirects of hosts, slashes and languages.",
  },
  webhook_guarded: {
    severity: "error",
    what: "{webhook} answers {status}: something in front of it asks for a sign-in.",
    fix: "Let POST {webhook} past your authentication, CSRF check and firewall; the signature protects it.",
  },
  webhook_body_parsed: {
    severity: "error",
    what: "A body parser reads the webhook before the library can, so no signature can be checked.",
    fix: "Mount the library's handler before express.json() and other body parsers, or keep the bytes as `rawBody`.",
  },
  webhook_secret_differs: {
    severity: "error",
    what: "The application at {webhook} refuses what is signed with this STRIPE_WEBHOOK_SECRET: it runs with another.",
    fix: "Set the same secret where the application runs, and restart it: {setSecret}",
  },
  webhook_mode_differs: {
    severity: "error",
    what: "The application at {webhook} does not run with a {mode} key, as this command does.",
    fix: "Set the same key where the application runs, and restart it: {setKey}",
  },
  webhook_forgery_accepted: {
    severity: "error",
    what: "{webhook} accepts an event with a wrong signature: anybody can write into your tables.",
    fix: "{mount} Remove whatever else answers there.",
  },
  webhook_not_ours: {
    severity: "error",
    what: "{webhook} answers {status}, but not as this library does.",
    fix: "{mount} Remove whatever else answers there, such as a page that catches every path.",
  },
  webhook_failing: {
    severity: "error",
    what: "The application at {webhook} fails with {status}: {reason}",
    fix: "Its log says why. The secrets and the database must be set where it runs too.",
  },

  // The database
  database_missing: {
    severity: "error",
    what: "There is no database address.",
    fix: "Set DATABASE_URL to a connection string, such as postgres://localhost:5432/app",
  },
  database_unreachable: {
    severity: "error",
    what: "The database did not answer: {reason}",
    fix: "Check DATABASE_URL, that the server runs, and that this machine may connect to it.",
  },
  migrations_pending: {
    severity: "error",
    what: "The schema {schema} lacks these migrations: {steps}.",
    fix: "{migrate}",
  },
  migrations_newer: {
    severity: "error",
    what: "The schema {schema} was migrated by a newer version of this package: {steps} is not known here.",
    fix: "npm install backend-billing@latest",
  },
  tables_missing: {
    severity: "error",
    what: "drizzle-kit owns the tables of the schema {schema}, and these are missing: {tables}.",
    fix: "npx drizzle-kit generate && npx drizzle-kit migrate",
  },
  schema_undecided: {
    severity: "error",
    what: "No schema is given, and the schema public holds tables of this package. The default is billing, where an installation would begin anew.",
    fix: 'Pass --schema public here and set schema: "public" in your code, or move the tables: docs/upgrading.md, "Tables in public".',
  },
  schema_public: {
    severity: "warning",
    what: "The tables are in the schema public, which data APIs expose and where default privileges apply.",
    fix: 'Move them to a schema of their own: docs/upgrading.md, "Tables in public".',
  },
  role_unusable: {
    severity: "error",
    what: "The role {role} connects here and cannot use the tables in the schema {schema}: {reason}.",
    fix: "As the owner of the tables: npx backend-billing migrate --roles {role}. Or connect as the owner.",
  },
  row_security_off: {
    severity: "warning",
    what: "Row level security is switched off in the schema {schema} for {tables}.",
    fix: "As the owner of the tables: ALTER TABLE {schema}.… ENABLE ROW LEVEL SECURITY, for each of them.",
  },
  access_open: {
    severity: "error",
    what: "Roles that `roles` does not name can use the tables in the schema {schema}: {roles}.",
    fix: "As the owner of the tables: {revoke}; and drop policies that open rows to them. If your application connects as one of them, name it: npx backend-billing migrate --roles …",
  },
  access_granted: {
    severity: "warning",
    what: "Roles that `roles` does not name have privileges in the schema {schema}, and only row level security or the schema's own privileges hold them back: {roles}.",
    fix: "As the owner of the tables: {revoke}",
  },
  never_synced: {
    severity: "warning",
    what: "What exists at Stripe was never copied to the end, so the tables may lack it.",
    fix: "{sync}",
  },

  objects_set_aside: {
    severity: "error",
    what: "{count} objects are at Stripe and cannot be stored, or not all of it: {objects}",
    fix: "Change the object at Stripe, or what the reason names in the database, or update the library. Then: npx backend-billing reconcile",
  },

  // Reactions
  changes_parked: {
    severity: "error",
    what: "{count} changes could not be told to the application for so long that they were set aside: {changes}",
    fix: "The application's log says how its handler failed. Mend that, then: npx backend-billing hooks retry --all-parked. To give one up: npx backend-billing hooks skip …",
  },
  changes_waiting: {
    severity: "warning",
    what: "A change is due to be told for {waited}, and no process takes it up: {object}",
    fix: "Run the application with a handler for it, and with its background work, pg-boss or `tick()`. If none is to be told of it any more: npx backend-billing hooks skip …",
  },

  // Usage
  usage_reported: {
    severity: "warning",
    what: "{count} batches of usage are not known to be billed as they should: {batches}",
    fix: "npx backend-billing usage batches shows each with its customer, meter and minute: look there in Stripe's dashboard. What is missing and is younger than 35 days: npx backend-billing usage send … What is late may not be on its invoice, and what is older can only be billed by hand. Then: npx backend-billing usage drop …",
  },
  usage_uncounted: {
    severity: "warning",
    what: "Stripe could not count {count} meter events of the last seven days that it had taken: {codes}",
    fix: "They are not billed. The row `meter errors` of kind `setting` in `backend_billing_records` has the identifiers of some of them. Mend what the codes say (a customer that was deleted, a meter that was archived), and bill them by hand.",
  },

  // Erasures
  erasures_failing: {
    severity: "error",
    what: "{count} entities that were to be erased could not be yet, the last of them because of: {reason}",
    fix: "The application's log says more. Mend what it names; each is tried again by itself, at least once an hour while the background work runs. npx backend-billing status counts them.",
  },

  // Several applications on one account
  app_mismatch: {
    severity: "error",
    what: "The tables are of the application {stored}, and the name given here {given}. Processes without the right name are refused.",
    fix: 'Set app: "{stored}" in your code, and BILLING_APP={stored} where this command runs.',
  },
  app_missing: {
    severity: "warning",
    what: "Customers of other applications are on this Stripe account: {apps}. This application has no name, so any customer without one that carries an entity's id is taken for its own.",
    fix: "Set `app` in your code to a name of its own, and BILLING_APP where this command runs. Then: {fixCustomers}",
  },
  customers_unmarked: {
    severity: "warning",
    what: "Of {linked} linked customers that were looked at, {count} do not carry this application's name: they were made before it had one.",
    fix: "{fixCustomers}",
  },
  customers_of_others: {
    severity: "error",
    what: "{count} linked customers carry another application's name: {customers}. An entity of each application may see the same cards and invoices.",
    fix: 'Where the customer is this application\'s, set its metadata.billingApp at Stripe to {app}. Where it is not: docs/upgrading.md, "A customer that two applications share".',
  },
  customers_unnamed: {
    severity: "warning",
    what: "A customer carries an entity's id and no application's name, and is not linked: {customer}. There may be more.",
    fix: "If it is this application's, set its metadata.billingApp at Stripe to {app}. If it is not, remove its metadata.entityId.",
  },
  customers_malformed: {
    severity: "warning",
    what: "A customer's metadata.entityId cannot be an entity's id, and is not followed: {customer}. There may be more.",
    fix: "Correct or remove metadata.entityId of that customer at Stripe.",
  },

  // Clocks
  clock_wrong: {
    severity: "error",
    what: "This machine's clock is {seconds} s {direction} Stripe's; beyond 300 s every webhook is refused.",
    fix: "Turn on time synchronisation: timedatectl set-ntp true",
  },
  clock_drifts: {
    severity: "warning",
    what: "This machine's clock is {seconds} s {direction} Stripe's.",
    fix: "Turn on time synchronisation: timedatectl set-ntp true",
  },
  database_clock_differs: {
    severity: "warning",
    what: "The database's clock is {seconds} s {direction} this machine's.",
    fix: "Turn on time synchronisation on both: timedatectl set-ntp true",
  },

  // The portal
  portal_missing: {
    severity: "error",
    what: "There is no active configuration of the customer portal, so links to it fail.",
    fix: "{syncPortal}",
  },
  portal_not_chosen: {
    severity: "error",
    what: "Stripe has no default configuration of the customer portal, and none is remembered here, so links to it fail.",
    fix: "{syncPortal}",
  },
  portal_inactive: {
    severity: "error",
    what: "The portal configuration {id}, which is used here, is not active any more, so links to it fail.",
    fix: "{syncPortal}",
  },
  portal_changed: {
    severity: "warning",
    what: "The portal configuration {id}, which the library made, was changed at Stripe: {features}.",
    fix: "{syncPortal}",
  },
  portal_outdated: {
    severity: "warning",
    what: "The portal lets people change to prices that are not for sale any more: {prices}.",
    fix: "{syncPortal}",
  },
} as const satisfies { readonly [code: string]: Entry };

export type Code = keyof typeof catalogue;

/** The names in braces of a text. */
type Names<T extends string> = T extends `${string}{${infer Name}}${infer Rest}`
  ? Name | Names<Rest>
  : never;

/** The values that a finding's texts contain. */
export type Details<C extends Code> = {
  readonly [N in Names<(typeof catalogue)[C]["what"]> | Names<(typeof catalogue)[C]["fix"]>]:
    | string
    | number;
};
