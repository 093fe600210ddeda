/** What a bank does about a payment by itself: test cards bring it about. */
import type { World } from "../../world/world.js";
import { later } from "../later.js";
import { cardState } from "../payments/payment-methods.js";
import { createDispute } from "./disputes.js";
import { warnOfFraud } from "./fraud-warnings.js";

const AFTER = 2;

/** Has the bank of a captured charge do what its test card stands for, a moment later. */
export function troubleLater(
  world: World,
  charge: { readonly id: string; readonly payment_method: string | null },
): void {
  const { trouble } = cardState(world, charge.payment_method ?? "").behaviour;
  if (trouble === undefined) return;
  later(world, AFTER, () => {
    const found = world.find("charge", charge.id);
    if (found.refunded) return;
    if (trouble === "reported") warnOfFraud(world, found);
    else {
      const reason = trouble === "not_received" ? "product_not_received" : "fraudulent";
      createDispute(world, found, { reason, inquiry: trouble === "inquiry" });
    }
  });
}
