/**
 * Payouts: money on its way to the account's bank, which takes days of the double's clock. Any
 * amount can be paid out, also one that the balance does not have.
 */
import type Stripe from "stripe";
import { invalid, notModelled, refused } from "../../api/errors.js";
import { createdShape, createdWindow } from "../../api/list.js";
import { integer, metadata, oneOf, required, text, word } from "../../api/params.js";
import { book } from "../../billing/balance/balance.js";
import { secondWorkingDay } from "../../billing/balance/working-days.js";
import { route } from "../../http/route.js";
import type { Plain } from "../../world/plain.js";
import { token } from "../../world/random.js";
import type { World } from "../../world/world.js";
import { listKind, listShape, mergeMetadata } from "../common.js";

type Payout = Plain<Stripe.Payout>;
export type PayoutFailure =
  | "account_closed"
  | "account_frozen"
  | "bank_account_restricted"
  | "could_not_process"
  | "debit_not_authorized"
  | "declined"
  | "insufficient_funds"
  | "invalid_account_number"
  | "no_account";

const DAY = 86_400;
const RECONCILED_AFTER = 3_600;

interface PayoutParams {
  readonly amount: number;
  readonly currency: string;
  readonly description?: string | null | undefined;
  readonly metadata?: { readonly [key: string]: string } | null | undefined;
  readonly statement_descriptor?: string | null | undefined;
}

function createPayout(world: World, params: PayoutParams, automatic = false): Payout {
  const id = world.id("po");
  const payout: Payout = {
    id,
    object: "payout",
    amount: params.amount,
    application_fee: null,
    application_fee_amount: null,
    arrival_date: secondWorkingDay(world.now()),
    automatic,
    balance_transaction: move(world, "payout", { ...params, id }),
    created: world.now(),
    currency: params.currency.toLowerCase(),
    description: params.description ?? (automatic ? "STRIPE PAYOUT" : null),
    destination: `ba_1${token(23, world.account)}`,
    failure_balance_transaction: null,
    failure_code: null,
    failure_message: null,
    livemode: world.livemode,
    metadata: mergeMetadata({}, params.metadata ?? {}),
    method: "standard",
    original_payout: null,
    payout_method: null,
    reconciliation_status: automatic ? "in_progress" : "not_applicable",
    reversed_by: null,
    source_type: "card",
    statement_descriptor: params.statement_descriptor ?? null,
    status: "pending",
    trace_id: null,
    type: "bank_account",
  };
  world.objects.payout.add(payout);
  world.raise("payout.created", payout);
  travel(world, payout);
  return payout;
}

/** Writes down that its money leaves the balance, or comes back to it. */
function move(
  world: World,
  kind: "payout" | "payout_cancel" | "payout_failure",
  {
    id,
    amount,
    currency,
  }: { readonly id: string; readonly amount: number; readonly currency: string },
): string {
  return book(world, {
    kind,
    amount: kind === "payout" ? -amount : amount,
    currency: currency.toLowerCase(),
    source: id,
    description: "STRIPE PAYOUT",
  }).id;
}

/** A payout that Stripe makes by its schedule. */
export function createAutomaticPayout(world: World, amount: number, currency: string): Payout {
  return createPayout(world, { amount, currency }, true);
}

/** Submitted to the bank at the end of the day, there on the day it arrives, reconciled after that. */
function travel(world: World, { id, created, arrival_date: arrives, automatic }: Payout): void {
  const at = (seconds: number, status: string, act: () => void) =>
    world.clock.schedule(seconds * 1000, () => {
      if (world.find("payout", id).status === status) act();
    });
  at((Math.floor(created / DAY) + 1) * DAY, "pending", () => {
    const trace = { status: "pending", value: null };
    world.change("payout", id, { status: "in_transit", trace_id: trace }, "payout.updated");
  });
  at(arrives, "in_transit", () => {
    world.raise("payout.paid", world.patch("payout", id, { status: "paid" }));
  });
  if (!automatic) return;
  at(arrives + RECONCILED_AFTER, "paid", () => {
    const done = world.patch("payout", id, { reconciliation_status: "completed" });
    world.raise("payout.reconciliation_completed", done);
  });
}

const FAILURES: { readonly [code in PayoutFailure]: string } = {
  account_closed: "The bank account has been closed",
  account_frozen: "The bank account has been frozen",
  bank_account_restricted:
    "The bank account has restrictions on either the type, or number, of payouts allowed",
  could_not_process: "The bank could not process this payout",
  debit_not_authorized: "Debit transactions are not approved on the bank account",
  declined: "The bank has declined this transfer",
  insufficient_funds: "Your Stripe account has insufficient funds to cover the payout",
  invalid_account_number: "The routing number seems correct, but the account number is invalid",
  no_account:
    "The bank account details on file are probably incorrect. No bank account could be located with those details",
};

/** The bank sends it back, which can happen after it was thought to be paid. */
export function failPayout(
  world: World,
  id: string,
  code: PayoutFailure = "could_not_process",
): Payout {
  const before = world.find("payout", id);
  const { status } = before;
  if (status === "failed" || status === "canceled") {
    throw refused(`Payout ${id} is ${status} already and cannot fail.`);
  }
  const failed = world.patch("payout", id, {
    failure_balance_transaction: move(world, "payout_failure", before),
    failure_code: code,
    failure_message: FAILURES[code],
    status: "failed",
  });
  world.raise("payout.failed", failed);
  return failed;
}

function cancel(world: World, id: string): Payout {
  const before = world.find("payout", id, "payout");
  const { status } = before;
  if (status !== "pending") {
    throw refused(`Payouts can only be canceled while they are pending; this one is ${status}.`);
  }
  const canceled = world.patch("payout", id, {
    failure_balance_transaction: move(world, "payout_cancel", before),
    status: "canceled",
  });
  world.raise("payout.canceled", canceled);
  return canceled;
}

const createShape = {
  amount: required(integer),
  currency: required(word),
  description: text,
  metadata,
  method: word,
  statement_descriptor: text,
};

export const payouts = [
  route("POST /v1/payouts", createShape, ({ world }, { method, ...params }) => {
    if (method !== undefined && method !== "standard")
      throw notModelled(`payouts by the method '${method}'`);
    if (params.amount < 1) {
      throw invalid(
        "This value must be greater than or equal to 1.",
        "amount",
        "parameter_invalid_integer",
      );
    }
    return createPayout(world, params);
  }),
  route(
    "GET /v1/payouts",
    {
      ...listShape,
      arrival_date: createdShape.created,
      status: oneOf("canceled", "failed", "in_transit", "paid", "pending"),
    },
    (call, params) => {
      const { from = -Infinity, to = Infinity } = createdWindow(params.arrival_date);
      return listKind(call, "payout", params, {
        url: "/v1/payouts",
        equal: { status: params.status },
        matches: ({ arrival_date: arrives }) => arrives >= from && arrives <= to,
      });
    },
  ),
  route("GET /v1/payouts/:payout", {}, ({ world, path }) =>
    world.find("payout", path.payout, "payout"),
  ),
  route("POST /v1/payouts/:payout", { metadata }, ({ world, path }, { metadata: change }) => {
    const before = world.find("payout", path.payout, "payout");
    if (change === undefined) return before;
    const after = { metadata: mergeMetadata(before.metadata ?? {}, change) };
    return world.change("payout", before.id, after, "payout.updated");
  }),
  route("POST /v1/payouts/:payout/cancel", {}, ({ world, path }) => cancel(world, path.payout)),
];
