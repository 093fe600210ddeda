/** Whose the object of a change is, as of its delivery. */
import type { ResourceName } from "../../catalogue/catalogue.js";
import type { StoredChange } from "../../mirror/changes.js";
import type { Store } from "../../mirror/store.js";

interface Reading {
  readonly reads: Pick<Store, "row">;
  readonly resources: readonly ResourceName[];
}

/** The entity of a customer; null if there is none, or customers are not mirrored. */
export async function entityOfCustomer(
  { reads, resources }: Reading,
  customerId: string,
): Promise<string | null> {
  if (!resources.includes("customers")) return null;
  return (await reads.row("customers", customerId))?.entityId ?? null;
}

/** Null where no entity owns it. A customer that is gone belongs to the entity that it had. */
export async function entityOf(
  context: Reading,
  change: StoredChange,
  resource: ResourceName,
): Promise<string | null> {
  if (change.entityId !== undefined) return change.entityId;
  const customer = await customerOf(context, change, resource);
  return customer === null ? null : entityOfCustomer(context, customer);
}

/** What a content may name. */
interface Naming {
  readonly customer?: unknown;
  readonly charge?: unknown;
}

/** Refunds and disputes find their customer through the charge. */
async function customerOf(
  { reads, resources }: Reading,
  { id, before, after }: StoredChange,
  resource: ResourceName,
): Promise<string | null> {
  if (resource === "customers") return id;
  const { customer, charge }: Naming = after ?? before ?? {};
  if (typeof customer === "string") return customer;
  if (typeof charge !== "string" || !resources.includes("charges")) return null;
  return (await reads.row("charges", charge))?.customerId ?? null;
}
