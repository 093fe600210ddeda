/** Tax ids of customers, and of the account itself. Invoices show those of their customer. */
import type Stripe from "stripe";
import { missing } from "../../api/errors.js";
import { pageShape } from "../../api/list.js";
import { group, oneOf, required, word } from "../../api/params.js";
import { later } from "../../billing/later.js";
import { route } from "../../http/route.js";
import type { Plain } from "../../world/plain.js";
import type { World } from "../../world/world.js";
import { listKind, referenced } from "../common.js";

type TaxId = Plain<Stripe.TaxId>;

export const taxIdShape = { type: required(word), value: required(word) };
const ownerShape = group({
  account: word,
  customer: word,
  type: required(oneOf("account", "application", "customer", "self")),
});

/** Types that Stripe looks up in a public register; of the others it says `unavailable`. */
const REGISTERED: readonly string[] = ["au_abn", "eu_vat", "gb_vat"];

/** What the register answers, by the digits that Stripe's documentation has for tests. */
function verificationOf(value: string): "pending" | "unverified" | "verified" {
  if (value.includes("222222222")) return "pending";
  return value.includes("111111111") ? "unverified" : "verified";
}

export interface NewTaxId {
  readonly type: string;
  readonly value: string;
}

export function createTaxId(
  world: World,
  { type, value }: NewTaxId,
  customer: string | null,
): TaxId {
  const looked = REGISTERED.includes(type);
  const made = world.objects.tax_id.add({
    id: world.id("txi"),
    object: "tax_id",
    country: type === "eu_vat" ? value.slice(0, 2).toUpperCase() : type.slice(0, 2).toUpperCase(),
    created: world.now(),
    customer,
    customer_account: null,
    livemode: world.livemode,
    owner:
      customer === null
        ? { customer_account: null, type: "self" }
        : { customer, customer_account: null, type: "customer" },
    type,
    value,
    verification: {
      status: looked ? "pending" : "unavailable",
      verified_address: null,
      verified_name: null,
    },
  });
  if (customer !== null) world.raise("customer.tax_id.created", made);
  const status = verificationOf(value);
  if (looked && status !== "pending") later(world, 0, () => verified(world, made.id, status));
  return made;
}

function verified(world: World, id: string, status: string): void {
  const before = world.objects.tax_id.get(id);
  if (before === undefined) return;
  const verification = { status, verified_address: null, verified_name: null };
  if (before.customer !== null) {
    world.change("tax_id", id, { verification }, "customer.tax_id.updated");
  } else world.patch("tax_id", id, { verification });
}

function deleteTaxId(world: World, id: string): object {
  const taxId = world.find("tax_id", id);
  world.objects.tax_id.remove(id);
  if (taxId.customer !== null) world.raise("customer.tax_id.deleted", taxId);
  return { id, object: "tax_id", deleted: true };
}

function ofCustomer(world: World, customer: string, id: string): TaxId {
  const found = world.find("tax_id", id);
  if (found.customer !== world.find("customer", customer).id) throw missing("tax_id", id);
  return found;
}

export const taxIds = [
  route("POST /v1/customers/:customer/tax_ids", taxIdShape, ({ world, path }, params) =>
    createTaxId(world, params, world.find("customer", path.customer).id),
  ),
  route("GET /v1/customers/:customer/tax_ids", pageShape, (call, page) => {
    const { id } = call.world.find("customer", call.path.customer);
    return listKind(
      call,
      "tax_id",
      { ...page, created: undefined },
      {
        url: `/v1/customers/${id}/tax_ids`,
        where: { field: "customer", value: id },
      },
    );
  }),
  route("GET /v1/customers/:customer/tax_ids/:id", {}, ({ world, path }) =>
    ofCustomer(world, path.customer, path.id),
  ),
  route("DELETE /v1/customers/:customer/tax_ids/:id", {}, ({ world, path }) =>
    deleteTaxId(world, ofCustomer(world, path.customer, path.id).id),
  ),
  route("POST /v1/tax_ids", { ...taxIdShape, owner: ownerShape }, ({ world }, params) => {
    const customer = params.owner?.customer ?? null;
    if (customer !== null) referenced(world, "customer", customer, "owner[customer]");
    return createTaxId(world, params, customer);
  }),
  // Without an owner it lists the account's own, and no customer's.
  route("GET /v1/tax_ids", { ...pageShape, owner: ownerShape }, (call, { owner, ...page }) =>
    listKind(
      call,
      "tax_id",
      { ...page, created: undefined },
      {
        url: "/v1/tax_ids",
        matches: ({ customer }) => customer === (owner?.customer ?? null),
      },
    ),
  ),
  route("GET /v1/tax_ids/:id", {}, ({ world, path }) => world.find("tax_id", path.id)),
  route("DELETE /v1/tax_ids/:id", {}, ({ world, path }) => deleteTaxId(world, path.id)),
];
