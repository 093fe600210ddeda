// Random lives in the double: what is told of each is what an independent reading of Stripe's own log
// of events asks for. `npm run lives` looks at 2,000 of them.
import { expect, it } from "vitest";
import { judgeLives } from "../../../../../../support/tellings/run.js";

const judge = (seed: string, lives: number) =>
  judgeLives({ seed, entities: Array.from({ length: lives }, (_, index) => index + 1) });

it("what is told of random lives is what Stripe's log asks for", async () => {
  const { wrong } = await judge("few", 5);
  expect(wrong).toEqual([]);
});

it("likewise of more of them, with every name there is", { tags: ["slow"] }, async () => {
  const { wrong, names } = await judge("many", 150);
  expect(wrong).toEqual([]);
  expect([...names.keys()].sort()).toEqual([
    "access.granted",
    "access.lost",
    "customer.deleted",
    "dispute.opened",
    "invoice.paid",
    "invoice.payment_failed",
    "purchase.failed",
    "purchase.paid",
    "refund.created",
    "subscription.canceling",
    "subscription.changed",
    "subscription.ended",
    "subscription.kept",
    "subscription.past_due",
    "subscription.paused",
    "subscription.recovered",
    "subscription.resized",
    "subscription.resumed",
    "subscription.started",
    "trial.ending",
  ]);
});
