/**
 * The steps that bring a schema up to date. A released step never changes: its SQL has run in
 * databases we do not see. What comes later is a new step at the end of the list.
 */
import { type ResourceName, resourceNames } from "../../core/catalogue/catalogue.js";
import { createIndex, createTable, qualified } from "./ddl.js";
import type { Table } from "./table.js";
import { internalTables, migrationsTable, resourceTable } from "./tables.js";
import { usageTables } from "./usage-tables.js";

export interface Step {
  /** Recorded in the database once the step has run. */
  readonly id: string;
  /** The resource that the step belongs to. A step without one runs in every schema. */
  readonly resource?: ResourceName;
  /** Names of the tables that the step creates. */
  readonly creates: readonly string[];
  /** Names of the tables that the step switches row security on for. */
  readonly secures?: readonly string[];
  /** One SQL statement each, without semicolons: some clients take only one at a time. */
  statements(schema: string): readonly string[];
}

const creation = (id: string, tables: readonly Table[]): Step => ({
  id,
  creates: tables.map((table) => table.name),
  statements: (schema) => tables.flatMap((table) => createTable(schema, table)),
});

const BY_NAME = "backend_billing_products_byName";

/** Products as they were released, with an index that refused names longer than 2,704 bytes. */
function firstProducts(): Table {
  const table = resourceTable("products");
  const indexes = table.indexes.map((index) =>
    index.name === BY_NAME ? { ...index, on: { expression: "(stripe ->> 'name'::text)" } } : index,
  );
  return { ...table, indexes };
}

/** Indexes the beginning of a product's name in place of all of it. */
const productNames: Step = {
  id: "0002_product_names",
  resource: "products",
  creates: [],
  statements(schema) {
    const table = resourceTable("products");
    const index = table.indexes.filter(({ name }) => name === BY_NAME);
    return [
      `DROP INDEX IF EXISTS ${qualified(schema, BY_NAME)}`,
      ...index.map((each) => createIndex(schema, table, each)),
    ];
  },
};

interface LaterIndex {
  /** The number of the step that adds it. */
  readonly step: "0004" | "0006";
  readonly resource: ResourceName;
  readonly index: string;
}

/** Indexes that came after their tables were released. */
const LATER_INDEXES: readonly LaterIndex[] = [
  { step: "0004", resource: "prices", index: "byLookupKey" },
  { step: "0004", resource: "subscriptions", index: "byStatus" },
  { step: "0006", resource: "refunds", index: "byChargeId" },
  { step: "0006", resource: "checkout_sessions", index: "byClientReferenceId" },
];

const isOf = (index: string, name: string) => name.endsWith(`_${index}`);

/** A table as it was released. */
function firstTable(resource: ResourceName): Table {
  const table = resource === "products" ? firstProducts() : resourceTable(resource);
  const later = LATER_INDEXES.filter((each) => each.resource === resource);
  const indexes = table.indexes.filter(({ name }) => !later.some(({ index }) => isOf(index, name)));
  return { ...table, indexes };
}

const laterIndex = ({ step, resource, index }: LaterIndex): Step => ({
  id: `${step}_${resource}_${index}`,
  resource,
  creates: [],
  statements(schema) {
    const table = resourceTable(resource);
    return table.indexes
      .filter(({ name }) => isOf(index, name))
      .map((each) => createIndex(schema, table, each));
  },
});

const indexesOf = (number: LaterIndex["step"]): readonly Step[] =>
  LATER_INDEXES.filter(({ step }) => step === number).map(laterIndex);

/**
 * Shows the tables to their owner alone, until a policy says otherwise. Not forced: the owner is
 * the one that runs the migrations, and usually the application.
 */
const security = (id: string, tables: readonly string[]): Step => ({
  id,
  creates: [],
  secures: tables,
  statements: (schema) =>
    tables.flatMap((name) => [
      `ALTER TABLE ${qualified(schema, name)} ENABLE ROW LEVEL SECURITY`,
      `REVOKE ALL ON TABLE ${qualified(schema, name)} FROM PUBLIC`,
    ]),
});

/** The resources that were released together with the first tables. */
const FIRST: readonly ResourceName[] = [
  ...(["products", "prices", "customers", "subscriptions"] as const),
  ...(["coupons", "promotion_codes", "payouts", "refunds"] as const),
];

/** Tables that came later: they are shown to their owner alone from the beginning. */
function laterTables(id: string, tables: readonly Table[]): Step {
  const made = creation(id, tables);
  const secured = security(id, made.creates);
  return {
    ...made,
    secures: made.creates,
    statements: (schema) => [...made.statements(schema), ...secured.statements(schema)],
  };
}

/** The table of a resource that came later. */
const laterTable = (resource: ResourceName): Step => ({
  ...laterTables(`0005_${resource}`, [firstTable(resource)]),
  resource,
});

const USAGE_DAYS = "backend_billing_usage_days";
/** The indexes that the first tables of usage had. */
const FIRST_USAGE = /_(open|held|unsent)$/;

const firstUsage = usageTables
  .filter(({ name }) => name !== USAGE_DAYS)
  .map((table) => ({
    ...table,
    indexes: table.indexes.filter(({ name }) => FIRST_USAGE.test(name)),
  }));

/** Daily sums of usage, and indexes for what goes into them and for what was sent. */
function usageDays(id: string): Step {
  const days = laterTables(
    id,
    usageTables.filter(({ name }) => name === USAGE_DAYS),
  );
  const later = (schema: string) =>
    usageTables.flatMap((table) =>
      table.indexes
        .filter(({ name }) => !FIRST_USAGE.test(name))
        .map((index) => createIndex(schema, table, index)),
    );
  return { ...days, statements: (schema) => [...days.statements(schema), ...later(schema)] };
}

/**
 * Every step there is, in the order in which they run. Each resource has steps of its own, so that
 * choosing more resources later only adds tables.
 */
export const allSteps: readonly Step[] = [
  creation("0001_core", internalTables),
  ...FIRST.map((resource) => ({
    ...creation(`0001_${resource}`, [firstTable(resource)]),
    resource,
  })),
  productNames,
  security("0003_row_security", [...internalTables.map(({ name }) => name), migrationsTable]),
  ...FIRST.map((resource) => ({
    ...security(`0003_row_security_${resource}`, [resourceTable(resource).name]),
    resource,
  })),
  ...indexesOf("0004"),
  ...resourceNames.filter((resource) => !FIRST.includes(resource)).map(laterTable),
  ...indexesOf("0006"),
  laterTables("0007_usage", firstUsage),
  usageDays("0008_usage_days"),
];
