// Run by the proof of push in a process of its own, so that it can be killed: pushes one catalogue
// when it is told to, as `npx backend-billing push --apply` does.
import Stripe from "stripe";
import { push } from "../../packages/backend-billing/src/push/push.js";
import { catalogueOf } from "../../support/push/definition.js";
import type { Shop } from "../../support/push/shop.js";

export interface Order {
  readonly secretKey: string;
  readonly port: number;
  readonly shop: Shop;
}

export type Answer = "ready" | "begun" | { readonly left: number } | { readonly error: string };

const tell = (answer: Answer) => process.send?.(answer);

process.on("message", async ({ secretKey, port, shop }: Order) => {
  const stripe = new Stripe(secretKey, { host: "127.0.0.1", port, protocol: "http" });
  try {
    const onDone = () => tell("begun");
    const { rest } = await push(stripe, catalogueOf(shop), { onDone });
    tell({ left: rest.operations.length + rest.drift.length + rest.conflicts.length });
  } catch (error) {
    tell({ error: error instanceof Error ? String(error.stack) : String(error) });
  }
  process.disconnect();
});
tell("ready");
