// The named events of what is paid, refused, given back and disputed, in the double: from the rows
// before and after each step, as Stripe answers a retrieval of them.
import { describe, expect, it } from "vitest";
import { plain } from "../../../../src/core/mirror/snapshot.js";
import type { PurchaseFacts } from "../../../../src/core/mirror/store.js";
import { namedEvents } from "../../../../src/core/reactions/named.js";
import { type Act, DECLINED, eachLife, VISA } from "./life.js";

const life = eachLife();
const { live, subscribe, later, useCard, payLatest } = life;

describe("a bank debit", () => {
  const bank = (account: string): Act => subscribe(`pm_usBankAccount_${account}`);

  it("is no failure while the bank has not answered", () =>
    live(
      ["asked", bank("success"), []],
      ["paid", later({ minutes: 1 }), ["subscription.started", "invoice.paid"]],
    ));

  it("that is declined shows in the subscription of a renewal, and not in the invoice", () =>
    live(
      ["begun", subscribe(VISA), ["subscription.started", "invoice.paid"]],
      ["an account", useCard("pm_usBankAccount_insufficientFunds"), []],
      ["asked", later({ days: 31, hours: 1 }), []],
      ["declined", later({ minutes: 1 }), ["subscription.past_due"]],
    ));

  it("that is declined for the first invoice shows nowhere: it stays incomplete", () =>
    live(["asked", bank("insufficientFunds"), []], ["declined", later({ minutes: 1 }), []]));
});

describe("a purchase", () => {
  let page: string;
  const open: Act = async () => {
    const made = await life.stripe.checkout.sessions.create({
      mode: "payment",
      customer: await life.world.payer(),
      line_items: [{ price: life.world.once, quantity: 1 }],
      success_url: "https://app.example/thanks",
    });
    page = made.id;
  };
  const pay =
    (card?: string): Act =>
    () =>
      life.world.double.dashboard.payCheckout(page, card === undefined ? {} : { card });

  it("is paid once, whatever was declined before", () =>
    live(
      ["opened", open, []],
      ["declined", pay("4000000000000002"), []],
      ["paid", pay(), ["purchase.paid"]],
      [
        "refunded in part",
        async () => {
          const { payment_intent } = await life.stripe.checkout.sessions.retrieve(page);
          await life.stripe.refunds.create({ payment_intent: String(payment_intent), amount: 500 });
        },
        ["refund.created"],
      ],
      [
        "disputed",
        async () => {
          const { payment_intent } = await life.stripe.checkout.sessions.retrieve(page);
          life.world.double.dashboard.dispute(String(payment_intent));
        },
        ["dispute.opened"],
      ],
    ));

  it("that is never made is not told", () =>
    live(["opened", open, []], ["expired", later({ days: 1, hours: 1 }), []]));

  it("whose debit is declined later fails by its payment", async () => {
    const { id } = await life.stripe.paymentIntents.create({
      amount: 2_000,
      currency: "usd",
      payment_method: "pm_usBankAccount_insufficientFunds",
      confirm: true,
      automatic_payment_methods: { enabled: true, allow_redirects: "never" },
    });
    const intent = async () => plain(await life.stripe.paymentIntents.retrieve(id));
    // The double's pages take no bank accounts, so the page is made by hand.
    const session = { mode: "payment", status: "complete", payment_status: "unpaid", created: 1 };
    const told = async (before: object | null, after: object) => {
      const purchase = { session, intent: await intent(), charges: [], data: null };
      const facts = { purchase: purchase as unknown as PurchaseFacts };
      return namedEvents("payment_intents", before, after, facts);
    };
    const before = await intent();
    expect(await told(null, before)).toEqual([]);
    await life.world.double.clock.advance({ minutes: 1 });
    const after = await intent();
    expect(await told(null, before)).toEqual([]);
    expect(await told(before, after)).toEqual(["purchase.failed"]);
    expect(await told(after, plain(await life.stripe.paymentIntents.cancel(id)))).toEqual([]);
  });

  it("by checkout of a subscription is none", () =>
    live([
      "subscribed",
      async () => {
        const made = await life.stripe.checkout.sessions.create({
          mode: "subscription",
          customer: await life.world.payer(),
          line_items: [{ price: life.world.basic, quantity: 1 }],
          success_url: "https://app.example/thanks",
        });
        life.world.double.dashboard.payCheckout(made.id);
      },
      ["subscription.started", "invoice.paid"],
    ]));
});

describe("the rows of a dispute and a refund", () => {
  const buy = () =>
    life.stripe.paymentIntents.create({
      amount: 2_000,
      currency: "usd",
      payment_method: VISA,
      confirm: true,
      automatic_payment_methods: { enabled: true, allow_redirects: "never" },
    });

  it("are told when they are first seen, not when they go on", async () => {
    const bought = await buy();
    let dispute = "";
    await live(
      [
        "disputed",
        async () => {
          life.world.double.dashboard.dispute(bought.id);
          dispute = (await life.stripe.disputes.list()).data[0]?.id ?? "";
        },
        ["dispute.opened"],
      ],
      ["lost", () => life.world.double.dashboard.decideDispute(dispute, "lost"), []],
    );
  });

  it("a refund that fails later is told once", async () => {
    const bought = await buy();
    let refund = "";
    await live(
      [
        "refunded",
        async () => {
          refund = (await life.stripe.refunds.create({ payment_intent: bought.id })).id;
        },
        ["refund.created"],
      ],
      ["failed", () => life.world.double.dashboard.failRefund(refund), []],
    );
  });
});

it("the double's own events of invoices are told, each of them once, hour by hour", async () => {
  await subscribe(VISA)();
  await useCard(DECLINED)();
  const told: string[] = [];
  for (let hour = 0; hour < 6; hour++) {
    const by = hour === 0 ? { days: 31 } : hour < 3 ? { hours: 1 } : { days: 3 };
    told.push(...(await life.world.told(later(by))).filter((name) => name.startsWith("invoice.")));
  }
  await payLatest();
  const events = await life.stripe.events.list({ limit: 100, type: "invoice.payment_failed" });
  expect(told).toEqual(events.data.map(({ type }) => type));
  expect(told.length).toBeGreaterThan(2);
});
