/**
 * Through what an object belongs to a customer: some name it, others name only what it paid or was
 * charged. It follows from the columns and the indexes of the resource table. Pure.
 */
import { columnsOf, type ResourceName, resourceNames } from "./catalogue.js";
import { resources } from "./resources.js";
import { fieldAt } from "./row.js";

/** A resource with the field, as its index has it, that names an object of another one. */
export interface Kin {
  readonly resource: ResourceName;
  /** Such as `customerId` or `stripe.charge`. */
  readonly field: string;
}

const CUSTOMER = resources.customers.idField;

const namesCustomer = (name: ResourceName): boolean =>
  columnsOf(name).some(({ field }) => field === CUSTOMER);

/** What Stripe calls an object that others name: `charge`, `session`. */
const nounOf = (name: ResourceName): string => resources[name].object.split(".").at(-1) ?? "";

/** What the source of a transaction of the balance may be, of all that belongs to customers. */
const SOURCES: readonly ResourceName[] = ["charges", "refunds"];

/** What an index points at; a product, and what else is no customer's, is left out. */
function namedBy(path: string): readonly ResourceName[] {
  const noun = path.split(".").at(-1) ?? "";
  if (noun === "source") return SOURCES;
  return resourceNames.filter((name) => nounOf(name) === noun && namesCustomer(name));
}

const parents = new Map(
  resourceNames.map((name): [ResourceName, readonly Kin[]] => {
    if (name === "customers" || namesCustomer(name)) return [name, []];
    const fields = Object.values<string>(resources[name].indexes);
    const inside = fields.filter((field) => field.startsWith("stripe."));
    return [
      name,
      inside.flatMap((field) => namedBy(field).map((resource) => ({ resource, field }))),
    ];
  }),
);

/** The objects through which one of this resource belongs to a customer, where it names none. */
export const parentsOf = (name: ResourceName): readonly Kin[] => parents.get(name) ?? [];

const children = new Map(
  resourceNames.map((name): [ResourceName, readonly Kin[]] => [
    name,
    resourceNames.flatMap((resource): Kin[] => {
      if (name === "customers" && namesCustomer(resource)) return [{ resource, field: CUSTOMER }];
      return parentsOf(resource)
        .filter((parent) => parent.resource === name)
        .map(({ field }) => ({ resource, field }));
    }),
  ]),
);

/** The resources whose objects belong to a customer through one of this resource. */
export const childrenOf = (name: ResourceName): readonly Kin[] => children.get(name) ?? [];

/** The objects, of those that belong to customers, which one of any kind names: by `charge`, say. */
export const namedIn = (content: object): readonly { resource: ResourceName; id: string }[] =>
  Object.entries(content).flatMap(([field, value]) => {
    const id = typeof value === "string" ? value : fieldAt(value ?? {}, "id");
    if (id === null) return [];
    const named = resourceNames.filter((name) => nounOf(name) === field && namesCustomer(name));
    return named.map((resource) => ({ resource, id }));
  });
