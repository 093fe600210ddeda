/**
 * Accounts: the key's own, and those connected to it. What requests say about a connected account is
 * stored and shown again; onboarding and capabilities are not modelled.
 */
import type Stripe from "stripe";
import { ApiError } from "../../api/errors.js";
import { listArray, pageShape } from "../../api/list.js";
import {
  group,
  isMap,
  metadata,
  oneOf,
  type Parsed,
  type Raw,
  text,
  word,
} from "../../api/params.js";
import { route } from "../../http/route.js";
import type { Plain } from "../../world/plain.js";
import type { World } from "../../world/world.js";
import { given, listShape, mergeMetadata } from "../common.js";

type Account = Plain<Stripe.Account>;

/** Long before anything in the double happens. */
const CREATED = Date.UTC(2020, 0, 1) / 1000;

const connected = new WeakMap<World, Set<string>>();

/** Tells a world which accounts there are besides its own. It may add to them. */
export function knowAccounts(world: World, accounts: Set<string>): void {
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

const noAccess = (id: string): ApiError =>
  new ApiError(403, {
    type: "invalid_request_error",
    code: "account_invalid",
    message: `The provided key does not have access to account '${id}' (or that account does not exist). Application access may have been revoked.`,
  });

const isConnected = (world: World, id: string): boolean =>
  id !== world.account && (connected.get(world)?.has(id) ?? false);

function accountFor(world: World, id: string): Account {
  if (id === world.account) return account(id, true);
  if (!isConnected(world, id)) throw noAccess(id);
  return world.objects.account.get(id) ?? account(id, false);
}

/** A connected account that this account may act for; its own is refused. */
export function connectedAccount(world: World, id: string): Account {
  if (isConnected(world, id)) return accountFor(world, id);
  throw noAccess(id);
}

/** Connects another account, which has yet to be onboarded. */
export function connectAccount(world: World, said: Partial<Account> = {}): Account {
  const id = world.id("acct");
  connected.get(world)?.add(id);
  return world.objects.account.add({
    ...account(id, false),
    charges_enabled: false,
    created: world.now(),
    details_submitted: false,
    payouts_enabled: false,
    ...said,
  });
}

export function disconnectAccount(world: World, id: string): void {
  connectedAccount(world, id);
  connected.get(world)?.delete(id);
  world.objects.account.remove(id);
}

/** Capabilities that were asked for are inactive until somebody is onboarded. */
const capabilities = (asked: { readonly [name: string]: unknown } | undefined) =>
  asked && Object.fromEntries(Object.keys(asked).map((name) => [name, "inactive"]));

const anything = { parse: (raw: Raw) => raw };
const shape = {
  business_profile: group({ mcc: text, name: text, product_description: text, url: text }),
  business_type: word,
  capabilities: anything,
  default_currency: word,
  email: text,
  metadata,
};

function fields(params: Partial<Parsed<typeof shape>>, before?: Account): Partial<Account> {
  const { business_profile: profile, metadata: change, capabilities: asked, ...rest } = params;
  return given({
    ...rest,
    business_profile: profile && {
      ...account("", false).business_profile,
      ...before?.business_profile,
      ...given(profile),
    },
    capabilities: capabilities(asked !== undefined && isMap(asked) ? asked : undefined),
    metadata: change === undefined ? undefined : mergeMetadata(before?.metadata ?? {}, change),
  }) as Partial<Account>;
}

export const accounts = [
  route("GET /v1/account", {}, ({ world }) => accountFor(world, world.account)),
  route(
    "POST /v1/accounts",
    { ...shape, controller: anything, country: word, type: oneOf("custom", "express", "standard") },
    ({ world }, { country, type, controller, ...params }) => {
      const made = { ...fields(params), ...given({ country }) };
      return connectAccount(world, { ...made, type: controller ? "none" : (type ?? "standard") });
    },
  ),
  route("GET /v1/accounts", listShape, ({ world }, params) => {
    const all = [...(connected.get(world) ?? [])].filter((id) => id !== world.account).reverse();
    return listArray(
      all.map((id) => accountFor(world, id)),
      params,
      "/v1/accounts",
    );
  }),
  route("GET /v1/accounts/:account", {}, ({ world, path }) => accountFor(world, path.account)),
  route("POST /v1/accounts/:account", shape, ({ world, path }, params) => {
    const before = connectedAccount(world, path.account);
    if (world.objects.account.get(before.id) === undefined) world.objects.account.add(before);
    return world.patch("account", before.id, fields(params, before));
  }),
  route("DELETE /v1/accounts/:account", {}, ({ world, path }) => {
    disconnectAccount(world, path.account);
    return { id: path.account, object: "account", deleted: true };
  }),
  route("GET /v1/accounts/:account/external_accounts", pageShape, ({ world, path }, params) => {
    const { id } = accountFor(world, path.account);
    return listArray([], params, `/v1/accounts/${id}/external_accounts`);
  }),
];
