/** Whose the object of a change is, as of its delivery. */
import type { ResourceName } from "../../catalogue/catalogue.js";
import type { StoredChange } from "../../mirror/changes.js";
import type { Store } from "../../mirror/store.js";
import { records } from "../../runtime/records/records.js";

interface Reading {
  readonly reads: Pick<Store, "row" | "record">;
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

/** The entity that an object belongs to, and the customer through which it does. */
export interface Owner {
  readonly entityId: string;
  readonly customerId: string;
  /** The customer is gone. */
  readonly isFormer: boolean;
}

/** Null where no entity owns it. What a customer has that is gone belongs to the entity that it had. */
export async function ownerOf(
  context: Reading,
  change: StoredChange,
  resource: ResourceName,
): Promise<Owner | null> {
  const customerId = await customerOf(context, change, resource);
  if (customerId === null) return null;
  const own = change.entityId === undefined ? await entityOfCustomer(context, customerId) : null;
  const entityId = own ?? change.entityId ?? (await entityOfFormer(context, customerId));
  return entityId === null ? null : { entityId, customerId, isFormer: own === null };
}

async function entityOfFormer({ reads }: Reading, customerId: string): Promise<string | null> {
  const { data } = await records.former(customerId).read({ store: reads });
  return data?.entityId ?? null;
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
