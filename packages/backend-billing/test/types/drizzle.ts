// Compiled by `npm run typecheck` against both ends of the stripe range; never run.
import { eq } from "drizzle-orm";
import type { NodePgDatabase } from "drizzle-orm/node-postgres";
import type Stripe from "stripe";
import { expectTypeOf } from "vitest";
import * as drizzleTables from "../../src/drizzle/index.js";
import type { DefaultResource, Plain, ResourceName, Row } from "../../src/index.js";

const { billingProducts, billingSubscriptions, createBillingTables } = drizzleTables;

declare const db: NodePgDatabase;

// Every resource has a table whose rows are the catalogue's, whichever way they are assigned.
type Exports = typeof drizzleTables;
type All = ReturnType<typeof createBillingTables<"payments">>;
type Pascal<S extends string> = S extends `${infer A}_${infer B}`
  ? `${Capitalize<A>}${Pascal<B>}`
  : Capitalize<S>;
type Selected<N extends ResourceName> = All[`billing${Pascal<N>}`]["$inferSelect"];
type Same<A, B> = [A, B] extends [B, A] ? true : false;
expectTypeOf<{ [N in ResourceName]: Same<Selected<N>, Row<N>> }>().toEqualTypeOf<{
  [N in ResourceName]: true;
}>();
expectTypeOf<Same<Selected<"products">, Row<"prices">>>().toEqualTypeOf<false>();

const products = await db.select().from(billingProducts).where(eq(billingProducts.productId, "p"));
products satisfies Row<"products">[];
products satisfies { stripe: Plain<Stripe.Product>; last_synced_at: number }[];
expectTypeOf<(typeof products)[number]["stripe"]["name"]>().toEqualTypeOf<string>();

const [subscription] = await db.select().from(billingSubscriptions);
expectTypeOf(subscription?.subscriptionId).toEqualTypeOf<string | null | undefined>();
subscription?.stripe satisfies Plain<Stripe.Subscription> | null | undefined;
// A customer without subscriptions has a row without one.
// @ts-expect-error `stripe` may be null
subscription?.stripe.status;

declare const row: Row<"products">;
db.insert(billingProducts).values(row);
// @ts-expect-error a row needs its Stripe object
db.insert(billingProducts).values({ productId: "prod_1", last_synced_at: 0 });

// In another schema the tables are the same, and know where they are.
const other = createBillingTables("payments");
const otherProducts = await db.select().from(other.billingProducts);
otherProducts satisfies Row<"products">[];
expectTypeOf(other.billingProducts._.schema).toEqualTypeOf<"payments">();
// Those of what is mirrored by default are exported, so that drizzle-kit makes no others.
expectTypeOf<Exclude<keyof Exports, "createBillingTables">>().toEqualTypeOf<
  | Exclude<keyof typeof other, `billing${Pascal<ResourceName>}`>
  | `billing${Pascal<DefaultResource>}`
>();
expectTypeOf(billingProducts._.schema).toEqualTypeOf<"billing">();
const old = createBillingTables("public");
expectTypeOf(old.billingProducts._.schema).toEqualTypeOf<undefined>();
expectTypeOf<keyof typeof old>().toEqualTypeOf<Exclude<keyof typeof other, "billingSchema">>();
