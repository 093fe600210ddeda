/** Accounts: the key's own, and those connected to it. They cannot be changed through the double. */
import type Stripe from "stripe";
import { ApiError } from "../api/errors.js";
import { route } from "../http/route.js";
import type { Plain } from "../world/plain.js";
import type { World } from "../world/world.js";

type Account = Plain<Stripe.Account>;

/** Long before anything in the double happens. */
const CREATED = Date.UTC(2020, 0, 1) / 1000;

const connected = new WeakMap<World, ReadonlySet<string>>();

/** Tells a world which accounts there are besides its own. */
export function knowAccounts(world: World, accounts: ReadonlySet<string>): void {
  connected.set(world, accounts);
}

const NOTHING_DUE = {
  alternatives: [],
  current_deadline: null,
  currently_due: [],
  disabled_reason: null,
  errors: [],
  eventually_due: [],
  past_due: [],
  pending_verification: [],
};

function account(id: string, own: boolean): Account {
  return {
    id,
    object: "account",
    business_profile: {
      annual_revenue: null,
      estimated_worker_count: null,
      mcc: "5734",
      minority_owned_business_designation: null,
      name: "Stripe double",
      product_description: null,
      specified_commercial_transactions_act_url: null,
      support_address: null,
      support_email: null,
      support_phone: null,
      support_url: null,
      url: null,
    },
    business_type: "company",
    capabilities: { card_payments: "active", transfers: "active" },
    charges_enabled: true,
    controller: own ? { type: "account" } : { type: "application", is_controller: true },
    country: "US",
    created: CREATED,
    default_currency: "usd",
    details_submitted: true,
    email: "double@example.com",
    external_accounts: {
      object: "list",
      data: [],
      has_more: false,
      url: `/v1/accounts/${id}/external_accounts`,
    },
    future_requirements: NOTHING_DUE,
    metadata: {},
    payouts_enabled: true,
    requirements: NOTHING_DUE,
    settings: {
      bacs_debit_payments: { display_name: null, service_user_number: null },
      branding: { icon: null, logo: null, primary_color: null, secondary_color: null },
      card_issuing: { tos_acceptance: { date: null, ip: null } },
      card_payments: {
        decline_on: { avs_failure: false, cvc_failure: false },
        statement_descriptor_prefix: null,
        statement_descriptor_prefix_kana: null,
        statement_descriptor_prefix_kanji: null,
      },
      dashboard: { display_name: "Stripe double", timezone: "Etc/UTC" },
      invoices: { default_account_tax_ids: null, hosted_payment_method_save: "offer" },
      payments: {
        statement_descriptor: "STRIPE DOUBLE",
        statement_descriptor_kana: null,
        statement_descriptor_kanji: null,
        statement_descriptor_prefix_kana: null,
        statement_descriptor_prefix_kanji: null,
      },
      payouts: {
        debit_negative_balances: true,
        schedule: { delay_days: 2, interval: "daily" },
        statement_descriptor: null,
      },
      sepa_debit_payments: {},
    },
    tos_acceptance: { date: CREATED, ip: null, user_agent: null },
    type: "standard",
  };
}

function accountFor(world: World, id: string): Account {
  if (id === world.account) return account(id, true);
  if (connected.get(world)?.has(id)) return account(id, false);
  throw new ApiError(403, {
    type: "invalid_request_error",
    code: "account_invalid",
    message: `The provided key does not have access to account '${id}' (or that account does not exist). Application access may have been revoked.`,
  });
}

export const accounts = [
  route("GET /v1/account", {}, ({ world }) => accountFor(world, world.account)),
  route("GET /v1/accounts/:account", {}, ({ world, path }) => accountFor(world, path.account)),
];
