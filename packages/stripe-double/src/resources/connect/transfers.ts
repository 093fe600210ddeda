/** Transfers to connected accounts, and their reversals. They are stored; no balance changes. */
import type Stripe from "stripe";
import { invalid, refused } from "../../api/errors.js";
import { listArray, pageShape } from "../../api/list.js";
import { flag, integer, metadata, required, text, word } from "../../api/params.js";
import { route } from "../../http/route.js";
import type { Plain } from "../../world/plain.js";
import type { World } from "../../world/world.js";
import { given, listKind, listShape, mergeMetadata } from "../common.js";
import { connectedAccount } from "./accounts.js";

type Transfer = Plain<Stripe.Transfer>;
type Reversal = Transfer["reversals"]["data"][number];

function reverse(
  world: World,
  before: Transfer,
  asked: {
    readonly amount: number | undefined;
    readonly metadata: { readonly [key: string]: string } | null | undefined;
  },
): Reversal {
  const left = before.amount - before.amount_reversed;
  const amount = asked.amount ?? left;
  if (amount > left || left === 0) {
    throw refused("The reversal is for more than what is left of the transfer.", "amount");
  }
  const reversal: Reversal = {
    id: world.id("trr"),
    object: "transfer_reversal",
    amount,
    balance_transaction: world.id("txn"),
    created: world.now(),
    currency: before.currency,
    destination_payment_refund: null,
    metadata: mergeMetadata({}, asked.metadata),
    source_refund: null,
    transfer: before.id,
  };
  const reversed = before.amount_reversed + amount;
  const after = world.patch("transfer", before.id, {
    amount_reversed: reversed,
    reversed: reversed === before.amount,
    reversals: { ...before.reversals, data: [reversal, ...before.reversals.data] },
  });
  world.raise("transfer.reversed", after);
  return reversal;
}

export const transfers = [
  route(
    "POST /v1/transfers",
    {
      amount: integer,
      currency: required(word),
      description: text,
      destination: required(word),
      metadata,
      source_transaction: word,
      transfer_group: word,
    },
    ({ world }, params) => {
      if (params.amount === undefined || params.amount < 1) {
        throw invalid("Missing required param: amount.", "amount", "parameter_missing");
      }
      const { id: destination } = connectedAccount(world, params.destination);
      const id = world.id("tr");
      const transfer = world.objects.transfer.add({
        id,
        object: "transfer",
        amount: params.amount,
        amount_reversed: 0,
        balance_transaction: world.id("txn"),
        created: world.now(),
        currency: params.currency.toLowerCase(),
        description: params.description ?? null,
        destination,
        destination_payment: world.id("py"),
        livemode: world.livemode,
        metadata: mergeMetadata({}, params.metadata),
        reversals: {
          object: "list",
          data: [],
          has_more: false,
          url: `/v1/transfers/${id}/reversals`,
        },
        reversed: false,
        source_transaction: params.source_transaction ?? null,
        source_type: "card",
        transfer_group: params.transfer_group ?? null,
      });
      world.raise("transfer.created", transfer);
      return transfer;
    },
  ),
  route(
    "GET /v1/transfers",
    { ...listShape, destination: word, transfer_group: word },
    (call, { destination, transfer_group, ...page }) =>
      listKind(call, "transfer", page, {
        url: "/v1/transfers",
        equal: { destination, transfer_group },
      }),
  ),
  route("GET /v1/transfers/:transfer", {}, ({ world, path }) =>
    world.find("transfer", path.transfer),
  ),
  route(
    "POST /v1/transfers/:transfer",
    { description: text, metadata },
    ({ world, path }, { description, metadata: change }) => {
      const before = world.find("transfer", path.transfer);
      const merged = change === undefined ? undefined : mergeMetadata(before.metadata, change);
      const changes = given({ description, metadata: merged });
      return world.change("transfer", before.id, changes, "transfer.updated");
    },
  ),
  route(
    "POST /v1/transfers/:transfer/reversals",
    { amount: integer, description: text, metadata, refund_application_fee: flag },
    ({ world, path }, { amount, metadata: notes }) =>
      reverse(world, world.find("transfer", path.transfer), { amount, metadata: notes }),
  ),
  route("GET /v1/transfers/:transfer/reversals", pageShape, ({ world, path }, params) => {
    const { id, reversals } = world.find("transfer", path.transfer);
    return listArray(reversals.data, params, `/v1/transfers/${id}/reversals`);
  }),
];
