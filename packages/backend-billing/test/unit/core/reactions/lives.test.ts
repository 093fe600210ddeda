// The named events of every step in the lives that the double gives subscriptions: from the rows
// before and after it, as Stripe answers a retrieval of them.
import { describe, expect, it } from "vitest";
import { namedEvents } from "../../../../src/core/reactions/named.js";
import { trialNotice } from "../../../../src/core/reactions/trial.js";
import { type Act, DECLINED, eachLife, VISA } from "./life.js";
import { type Content, follow } from "./listener.js";

const life = eachLife();
const { live, subscribe, update, sell, later, useCard, payLatest, cancel } = life;

describe("the beginning of a subscription", () => {
  it("that is paid at once, and renews", () =>
    live(
      ["paid", subscribe(VISA), ["subscription.started", "invoice.paid"]],
      ["its metadata change", update({ metadata: { a: "b" } }), []],
      ["the period ends", later({ days: 31 }), []],
      ["the renewal is paid", later({ hours: 1 }), ["invoice.paid"]],
    ));

  it("with a trial that is paid for", () =>
    live(
      [
        "the trial",
        subscribe(VISA, { trial_period_days: 10 }),
        ["subscription.started", "invoice.paid"],
      ],
      ["its end", later({ days: 10 }), []],
      ["the first payment", later({ hours: 1 }), ["invoice.paid"]],
    ));

  it("whose first payment is declined, and then paid", () =>
    live(
      ["incomplete", subscribe(DECLINED), ["invoice.payment_failed"]],
      ["paid", payLatest, ["subscription.started", "invoice.paid"]],
    ));

  it("whose first payment is never made", () =>
    live(
      ["incomplete", subscribe(DECLINED), ["invoice.payment_failed"]],
      ["incomplete_expired", later({ hours: 23 }), []],
    ));

  it("whose first payment is never made, and which is canceled", () =>
    live(
      ["incomplete", subscribe(DECLINED), ["invoice.payment_failed"]],
      ["canceled", cancel, []],
    ));

  it("that nothing saw before it was over", () =>
    live([
      "begun and ended",
      async () => {
        await subscribe(VISA)();
        await cancel();
      },
      ["invoice.paid"],
    ]));

  it("that was to end from its first moment", () =>
    live([
      "begun",
      async () => {
        await subscribe(VISA)();
        await update({ cancel_at_period_end: true })();
      },
      ["subscription.started", "subscription.canceling", "invoice.paid"],
    ]));
});

describe("the end of a subscription", () => {
  it("at the end of the period, taken back and scheduled again", () =>
    live(
      ["begun", subscribe(VISA), ["subscription.started", "invoice.paid"]],
      ["scheduled", update({ cancel_at_period_end: true }), ["subscription.canceling"]],
      ["taken back", update({ cancel_at_period_end: false }), ["subscription.kept"]],
      ["again", update({ cancel_at_period_end: true }), ["subscription.canceling"]],
      ["over", later({ days: 31 }), ["subscription.ended"]],
    ));

  it("at a time of its own, which is moved", () =>
    live(
      ["begun", subscribe(VISA), ["subscription.started", "invoice.paid"]],
      [
        "scheduled",
        update({ cancel_at: Date.parse("2026-02-10T00:00:00Z") / 1000 }),
        ["subscription.canceling"],
      ],
      ["moved", update({ cancel_at: Date.parse("2026-02-12T00:00:00Z") / 1000 }), []],
      ["taken back", update({ cancel_at: "" }), ["subscription.kept"]],
    ));

  it("at once", () =>
    live(
      ["begun", subscribe(VISA), ["subscription.started", "invoice.paid"]],
      ["over", cancel, ["subscription.ended"]],
    ));

  it("with its customer", () =>
    live(
      ["begun", subscribe(VISA), ["subscription.started", "invoice.paid"]],
      [
        "the customer is deleted",
        () => life.stripe.customers.del(life.customer),
        ["subscription.ended", "customer.deleted"],
      ],
    ));

  it("in a trial without a card", () =>
    live(
      [
        "the trial",
        subscribe(undefined, {
          trial_period_days: 10,
          trial_settings: { end_behavior: { missing_payment_method: "cancel" } },
        }),
        ["subscription.started", "invoice.paid"],
      ],
      ["its end", later({ days: 10 }), ["subscription.ended"]],
    ));
});

describe("what is sold", () => {
  it("is another plan, another number, or both", () =>
    live(
      ["begun", subscribe(VISA), ["subscription.started", "invoice.paid"]],
      ["a plan", sell(() => ({ price: life.world.pro })), ["subscription.changed"]],
      ["a number", sell(() => ({ quantity: 3 })), ["subscription.resized"]],
      ["both", sell(() => ({ price: life.world.basic, quantity: 2 })), ["subscription.changed"]],
      [
        "one more",
        () => update({ items: [{ price: life.world.pro }] })(),
        ["subscription.changed"],
      ],
      [
        "a number and an end",
        async () => {
          await sell(() => ({ quantity: 5 }))();
          await update({ cancel_at_period_end: true })();
        },
        ["subscription.resized", "subscription.canceling"],
      ],
    ));
});

describe("a renewal that is declined", () => {
  it("is past due, tried again, and recovers", () =>
    live(
      ["begun", subscribe(VISA), ["subscription.started", "invoice.paid"]],
      ["another card", useCard(DECLINED), []],
      [
        "declined",
        later({ days: 31, hours: 1 }),
        ["subscription.past_due", "invoice.payment_failed"],
      ],
      ["tried again", later({ days: 3 }), ["invoice.payment_failed"]],
      ["paid", payLatest, ["subscription.recovered", "invoice.paid"]],
    ));

  it("ends it after the last attempt", () =>
    live(
      ["begun", subscribe(VISA), ["subscription.started", "invoice.paid"]],
      ["another card", useCard(DECLINED), []],
      [
        "declined",
        later({ days: 31, hours: 1 }),
        ["subscription.past_due", "invoice.payment_failed"],
      ],
      ["the last attempt", later({ days: 30 }), ["subscription.ended", "invoice.payment_failed"]],
    ));
});

describe("a pause", () => {
  it("of the collection", () =>
    live(
      ["begun", subscribe(VISA), ["subscription.started", "invoice.paid"]],
      ["paused", update({ pause_collection: { behavior: "void" } }), ["subscription.paused"]],
      ["paused otherwise", update({ pause_collection: { behavior: "keep_as_draft" } }), []],
      ["resumed", update({ pause_collection: "" }), ["subscription.resumed"]],
    ));

  it("on request", () =>
    live(
      ["begun", subscribe(VISA), ["subscription.started", "invoice.paid"]],
      ["paused", () => life.stripe.subscriptions.pause(life.id), ["subscription.paused"]],
      [
        "resumed",
        () => life.stripe.subscriptions.resume(life.id),
        ["subscription.resumed", "invoice.paid"],
      ],
    ));

  it("at the end of a trial without a card", () =>
    live(
      [
        "the trial",
        subscribe(undefined, {
          trial_period_days: 10,
          trial_settings: { end_behavior: { missing_payment_method: "pause" } },
        }),
        ["subscription.started", "invoice.paid"],
      ],
      ["its end", later({ days: 10 }), ["subscription.paused"]],
      ["a card", useCard(VISA), []],
      [
        "resumed",
        () => life.stripe.subscriptions.resume(life.id),
        ["subscription.resumed", "invoice.paid"],
      ],
    ));
});

describe("the notice of a trial's end", () => {
  it("is due when Stripe announces it, and is not once the trial is over", async () => {
    await subscribe(VISA, { trial_period_days: 10 })();
    const row = async () => (await life.world.rows()).get("subscriptions")?.get(life.id) ?? null;
    const notice = trialNotice(await row());
    await life.world.double.clock.advance({ days: 8 });
    const [announced] = (
      await life.stripe.events.list({ type: "customer.subscription.trial_will_end" })
    ).data;
    expect(notice?.dueAt).toBe((announced?.created ?? 0) * 1000);
    expect(trialNotice(await row())).toEqual(notice);
    await life.world.double.clock.advance({ days: 3 });
    expect(trialNotice(await row())).toBeNull();
  });
});

it("a life of which any steps are looked at is told without a contradiction", async () => {
  const steps: readonly Act[] = [
    subscribe(DECLINED),
    payLatest,
    sell(() => ({ price: life.world.pro, quantity: 2 })),
    update({ cancel_at_period_end: true }),
    update({ cancel_at_period_end: false, pause_collection: { behavior: "void" } }),
    update({ pause_collection: "" }),
    useCard(DECLINED),
    later({ days: 31, hours: 1 }),
    payLatest,
    cancel,
  ];
  const contents: Content[] = [];
  for (const step of steps) {
    await step();
    contents.push((await life.world.rows()).get("subscriptions")?.get(life.id) as Content);
  }
  for (let looks = 0; looks < 2 ** contents.length; looks++) {
    follow(contents.filter((_, index) => (looks >> index) % 2 === 1));
  }
  expect(follow(contents)).toEqual([
    "subscription.started",
    "subscription.changed",
    "subscription.canceling",
    "subscription.kept",
    "subscription.paused",
    "subscription.resumed",
    "subscription.past_due",
    "subscription.recovered",
    "subscription.ended",
  ]);
});

it("a row that is not looked at tells nothing", () => {
  expect(namedEvents("products", null, { id: "prod_1" })).toEqual([]);
});
