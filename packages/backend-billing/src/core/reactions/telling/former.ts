/** What is known of a subscription that its entity has no more, because its customer is gone. */
import type { ResourceName, StripeObject } from "../../catalogue/catalogue.js";
import type { Store, SubscriptionFacts } from "../../mirror/store.js";

interface Reading {
  readonly reads: Pick<Store, "row">;
  readonly resources: readonly ResourceName[];
}

interface SubscriptionChange {
  readonly resource: ResourceName;
  readonly id: string;
  readonly before: object | null;
  readonly after: object | null;
}

type Content = StripeObject<"subscriptions">;

/** The same facts, with the subscription that changed and its products where they are not among them. */
export async function withFormer(
  { reads, resources }: Reading,
  facts: SubscriptionFacts,
  { resource, id, before, after }: SubscriptionChange,
): Promise<SubscriptionFacts> {
  const isKnown = facts.subscriptions.some((each) => each.id === id);
  if (resource !== "subscriptions" || isKnown) return facts;
  const [content, ...others] = [after, before].filter((each) => each !== null) as Content[];
  if (content === undefined) return facts;
  const items = [content, ...others].flatMap((each) => each.items.data);
  const names = new Set(items.map(({ price }) => price.product));
  const rows = resources.includes("products")
    ? await Promise.all([...names].map((name) => reads.row("products", name)))
    : [];
  return {
    ...facts,
    subscriptions: [...facts.subscriptions, content],
    products: [...facts.products, ...rows.flatMap((row) => row?.stripe ?? [])],
  };
}
