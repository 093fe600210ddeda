// Compiled by `npm run typecheck` against both ends of the stripe range; never run.
import type Stripe from "stripe";
import { expectTypeOf } from "vitest";
import { resource } from "../../src/core/catalogue/resource.js";
import { resources } from "../../src/core/catalogue/resources.js";
import type { Plain, Row, StripeObject } from "../../src/index.js";

const { products, subscriptions } = resources;

resource<Stripe.Product>()({ ...products, upsertedBy: ["product.updated"] });
// @ts-expect-error a misspelt event
resource<Stripe.Product>()({ ...products, upsertedBy: ["product.update"] });
// @ts-expect-error an event of another object
resource<Stripe.Product>()({ ...products, upsertedBy: ["price.updated"] });
// @ts-expect-error an event whose object names no customer cannot refresh a customer's rows
resource<Stripe.Subscription>()({ ...subscriptions, refreshedBy: ["payout.paid"] });
// @ts-expect-error a misspelt field in an index
resource<Stripe.Product>()({ ...products, indexes: { byActive: "stripe.actve" } });
// @ts-expect-error an index on a column that the entry does not have
resource<Stripe.Product>()({ ...products, indexes: { byEntityId: "entityId" } });
// @ts-expect-error a column copied from a field that does not exist
resource<Stripe.Product>()({ ...products, columns: { ownerId: { from: "vendor" } } });
resource<Stripe.Subscription>()({
  ...subscriptions,
  columns: {
    ...subscriptions.columns,
    latestInvoiceId: { from: "latest_invoice", nullable: true },
    cancellationReason: { from: "cancellation_details.reason", nullable: true },
  },
});
resource<Stripe.Subscription>()({
  ...subscriptions,
  // @ts-expect-error a column of a field that may be null, without saying so
  columns: { ...subscriptions.columns, latestInvoiceId: { from: "latest_invoice" } },
});
resource<Stripe.Subscription>()({
  ...subscriptions,
  // @ts-expect-error a nullable column of a field that is always there
  columns: { customerId: { from: "customer", nullable: true } },
});
const owned = { from: "link", nullable: true } as const;
// @ts-expect-error only customers have an entity
resource<Stripe.Product>()({ ...products, columns: { entityId: owned } });
// @ts-expect-error only subscriptions are refreshed customer by customer
resource<Stripe.Product>()({ ...products, refreshedBy: ["invoice.paid"] });
// @ts-expect-error a list that the object does not embed
resource<Stripe.Product>()({ ...products, cutLists: subscriptions.cutLists });
// @ts-expect-error the wrong value of `object`
resource<Stripe.Product>()({ ...products, object: "prod" });
// @ts-expect-error a table outside the prefix
resource<Stripe.Product>()({ ...products, table: "products" });

expectTypeOf<Row<"products">["productId"]>().toEqualTypeOf<string>();
expectTypeOf<Row<"products">["stripe"]>().toEqualTypeOf<Plain<Stripe.Product>>();
expectTypeOf<Row<"customers">["entityId"]>().toEqualTypeOf<string | null>();
expectTypeOf<Row<"subscriptions">["subscriptionId"]>().toEqualTypeOf<string | null>();
expectTypeOf<Row<"subscriptions">["customerId"]>().toEqualTypeOf<string>();
expectTypeOf<Row<"subscriptions">["stripe"]>().toEqualTypeOf<Plain<Stripe.Subscription> | null>();
// @ts-expect-error a product row has no customer
type _NoCustomer = Row<"products">["customerId"];

// Plain data: decimals are strings, references are ids, nesting keeps its shape.
expectTypeOf<StripeObject<"prices">["unit_amount_decimal"]>().toEqualTypeOf<string | null>();
expectTypeOf<StripeObject<"prices">["product"]>().toEqualTypeOf<string>();
expectTypeOf<StripeObject<"subscriptions">["latest_invoice"]>().toEqualTypeOf<string | null>();
expectTypeOf<
  StripeObject<"subscriptions">["items"]["data"][number]["price"]["unit_amount_decimal"]
>().toEqualTypeOf<string | null>();
expectTypeOf<StripeObject<"products">["marketing_features"][number]["name"]>().toEqualTypeOf<
  string | undefined
>();
