/** Credit notes through the API: issued, previewed, described anew, listed and voided. */
import { listArray, pageShape } from "../../api/list.js";
import {
  decimal,
  group,
  integer,
  listOf,
  metadata,
  oneOf,
  type Parsed,
  required,
  text,
  word,
} from "../../api/params.js";
import {
  type CreditNote,
  composeNote,
  issueNote,
  voidNote,
} from "../../billing/balance/credit-notes.js";
import { settleElsewhere } from "../../billing/subscriptions/dunning.js";
import { route } from "../../http/route.js";
import type { World } from "../../world/world.js";
import { given, listKind, listShape, mergeMetadata } from "../common.js";

const shape = {
  amount: integer,
  credit_amount: integer,
  effective_at: integer,
  // Whether Stripe writes to the customer; the double sends no mail.
  email_type: oneOf("credit_note", "none"),
  invoice: required(word),
  lines: listOf(
    group({
      amount: integer,
      description: word,
      invoice_line_item: word,
      quantity: integer,
      type: required(oneOf("custom_line_item", "invoice_line_item")),
      unit_amount: integer,
      unit_amount_decimal: decimal,
    }),
  ),
  memo: text,
  metadata,
  out_of_band_amount: integer,
  reason: oneOf("duplicate", "fraudulent", "order_change", "product_unsatisfactory"),
  refund_amount: integer,
  refunds: listOf(group({ amount_refunded: integer, refund: word, type: oneOf("refund") })),
};

/** Issues it; an invoice with nothing left to pay is paid by it. */
function create(world: World, { email_type: _, ...params }: Parsed<typeof shape>): CreditNote {
  const note = issueNote(world, given(params) as Parameters<typeof issueNote>[1]);
  const invoice = world.find("invoice", note.invoice);
  if (invoice.status === "open" && invoice.amount_remaining === 0) settleElsewhere(world, invoice);
  return note;
}

/** A note that is only looked at. Its ids lead nowhere, and make no other id change. */
function preview(world: World, { email_type: _, ...params }: Parsed<typeof shape>): CreditNote {
  const looking = { ...world, id: (prefix: string) => `${prefix}_preview` };
  return composeNote(looking, "cn_preview", given(params) as Parameters<typeof composeNote>[2]);
}

export const creditNotes = [
  route("POST /v1/credit_notes", shape, ({ world }, params) => create(world, params)),
  route(
    "GET /v1/credit_notes",
    { ...listShape, customer: word, invoice: word },
    (call, { customer, invoice, ...params }) =>
      listKind(call, "credit_note", params, {
        url: "/v1/credit_notes",
        where:
          invoice === undefined
            ? { field: "customer", value: customer }
            : { field: "invoice", value: invoice },
        equal: { customer },
      }),
  ),
  route("GET /v1/credit_notes/preview", shape, ({ world }, params) => preview(world, params)),
  route(
    "GET /v1/credit_notes/preview/lines",
    { ...pageShape, ...shape },
    ({ world }, { ending_before, expand: _, limit, starting_after, ...params }) =>
      listArray(
        preview(world, params).lines.data,
        { ending_before, limit, starting_after },
        "/v1/credit_notes/preview/lines",
      ),
  ),
  route("GET /v1/credit_notes/:id", {}, ({ world, path }) => world.find("credit_note", path.id)),
  route("POST /v1/credit_notes/:id", { memo: text, metadata }, ({ world, path }, params) => {
    const before = world.find("credit_note", path.id);
    const { memo, metadata: change } = params;
    const merged = change === undefined ? undefined : mergeMetadata(before.metadata ?? {}, change);
    const changes = given({ memo, metadata: merged });
    return world.change("credit_note", before.id, changes, "credit_note.updated");
  }),
  route("GET /v1/credit_notes/:id/lines", pageShape, ({ world, path }, params) => {
    const { id, lines } = world.find("credit_note", path.id);
    return listArray(lines.data, params, `/v1/credit_notes/${id}/lines`);
  }),
  route("POST /v1/credit_notes/:id/void", {}, ({ world, path }) => voidNote(world, path.id)),
];
