/** Lines of a draft: added, changed and taken off, many at once. */
import { invalid, missing, notModelled, refused } from "../../api/errors.js";
import { group, listOf, metadata, oneOf, type Parsed, required, word } from "../../api/params.js";
import { editableInvoice, editInvoice, putOnInvoice } from "../../billing/invoices/edit.js";
import { createInvoiceItem, type InvoiceItem } from "../../billing/invoices/invoice-items.js";
import type { Invoice } from "../../billing/invoices/invoices.js";
import { itemIdOf } from "../../billing/invoices/reprice.js";
import { route } from "../../http/route.js";
import type { World } from "../../world/world.js";
import { mergeMetadata, referenced } from "../common.js";
import { deleteItem, updateItem } from "./invoice-items.js";
import { lineShape, termsOf } from "./item-params.js";

const addedShape = { ...lineShape, invoice_item: word };
const changedShape = { ...lineShape, id: required(word) };
const removedShape = { behavior: required(oneOf("delete", "unassign")), id: required(word) };

/** The item that a new line bills: one that waits, or one that is made for it. */
function itemFor(
  world: World,
  { id: invoice, currency, customer: owner }: Invoice,
  line: Parsed<typeof addedShape>,
  at: string,
): InvoiceItem {
  const customer = owner ?? "";
  if (line.invoice_item !== undefined) {
    const item = referenced(world, "invoiceitem", line.invoice_item, `${at}[invoice_item]`);
    if (item.invoice === null && item.customer === customer) return item;
    throw refused("The invoice item is on an invoice already.", `${at}[invoice_item]`);
  }
  const { amount, ...terms } = termsOf(world, line, { customer, currency }, at);
  if (amount === undefined) {
    throw invalid("You must pass either `amount` or `pricing`.", at, "parameter_missing");
  }
  return createInvoiceItem(world, {
    currency,
    ...terms,
    amount,
    customer,
    description: line.description,
    discountable: line.discountable,
    invoice,
    metadata: mergeMetadata({}, line.metadata),
    ...(line.period ? { period: line.period } : {}),
  });
}

function change(
  world: World,
  invoice: string,
  { id, ...params }: Parsed<typeof changedShape>,
): Invoice {
  const { lines } = editableInvoice(world, invoice);
  const line = lines.data.find((each) => each.id === id);
  if (line === undefined) throw missing("line_item", id);
  const item = itemIdOf(line);
  if (item !== undefined) {
    updateItem(world, item, params);
    return world.find("invoice", invoice);
  }
  const { amount, description, metadata: more, ...others } = params;
  if (Object.values(others).some((value) => value !== undefined)) {
    throw notModelled("a change of how a subscription's line is priced");
  }
  const changed = {
    ...line,
    ...(amount === undefined ? {} : { amount, subtotal: amount }),
    ...(description === undefined ? {} : { description }),
    metadata: more === undefined ? line.metadata : mergeMetadata(line.metadata, more),
  };
  return editInvoice(
    world,
    invoice,
    lines.data.map((each) => (each.id === id ? changed : each)),
  );
}

function remove(
  world: World,
  invoice: string,
  { id, behavior }: Parsed<typeof removedShape>,
): void {
  const { lines } = editableInvoice(world, invoice);
  const line = lines.data.find((each) => each.id === id);
  if (line === undefined) throw missing("line_item", id);
  const item = itemIdOf(line);
  if (behavior === "delete" && item !== undefined) {
    deleteItem(world, item);
    return;
  }
  if (item !== undefined) world.patch("invoiceitem", item, { invoice: null });
  editInvoice(
    world,
    invoice,
    lines.data.filter((each) => each.id !== id),
  );
}

/** The invoice afterwards, with the metadata that a request gives it. */
function noted(
  world: World,
  id: string,
  more: { readonly [key: string]: string } | null | undefined,
): Invoice {
  const { metadata: before } = world.find("invoice", id);
  return more === undefined
    ? world.find("invoice", id)
    : world.patch("invoice", id, { metadata: mergeMetadata(before ?? {}, more) });
}

export const invoiceLines = [
  route(
    "POST /v1/invoices/:invoice/add_lines",
    { invoice_metadata: metadata, lines: required(listOf(group(addedShape))) },
    ({ world, path }, { lines, invoice_metadata: more }) => {
      const draft = editableInvoice(world, path.invoice);
      const items = lines.map((line, index) => itemFor(world, draft, line, `lines[${index}]`));
      putOnInvoice(world, draft.id, items);
      return noted(world, draft.id, more);
    },
  ),
  route(
    "POST /v1/invoices/:invoice/update_lines",
    { invoice_metadata: metadata, lines: required(listOf(group(changedShape))) },
    ({ world, path }, { lines, invoice_metadata: more }) => {
      for (const line of lines) change(world, path.invoice, line);
      return noted(world, path.invoice, more);
    },
  ),
  route(
    "POST /v1/invoices/:invoice/remove_lines",
    { invoice_metadata: metadata, lines: required(listOf(group(removedShape))) },
    ({ world, path }, { lines, invoice_metadata: more }) => {
      for (const line of lines) remove(world, path.invoice, line);
      return noted(world, path.invoice, more);
    },
  ),
  route("POST /v1/invoices/:invoice/lines/:line", lineShape, ({ world, path }, params) => {
    const after = change(world, path.invoice, { ...params, id: path.line });
    return after.lines.data.find(({ id }) => id === path.line) ?? after;
  }),
];
