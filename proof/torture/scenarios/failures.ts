/** Stripe, the network or the database fails for a while. */
import type { Family, Scenario } from "../harness/scenario.js";
import type { Stage } from "../harness/stage.js";
import { UPDATED } from "./ordering.js";

const PAGES = "GET /v1/customers";

/** An account is copied while its lists fail; "done" must mean done. */
const copying = (name: string, what: string, fail: (t: Stage) => void): Scenario => ({
  name,
  what,
  must: "Once the backfill says that it is complete, all customers are there.",
  about: ["customer"],
  needs: ["backfill"],
  play: async (t) => {
    t.customers(350);
    fail(t);
    await t.backfill();
  },
});

export const failures: Family = {
  name: "failures",
  title: "Failures and limits",
  why: "Rate limits, timeouts and restarts of a database are everyday life.",
  scenarios: [
    copying("one-429", "One page of a backfill is refused with 429.", (t) =>
      t.fault({ fault: "rate_limited", on: PAGES, times: 1 }),
    ),
    copying("many-429", "Every second page is refused with 429, eight times in all.", (t) =>
      t.fault({ fault: "rate_limited", on: PAGES, times: 8, rate: 0.5 }),
    ),
    copying("server-errors", "Stripe answers five requests for pages with 500.", (t) =>
      t.fault({ fault: "error_before", on: PAGES, times: 5 }),
    ),
    copying("cut-connections", "One page is cut off half-way, another one never answered.", (t) => {
      t.fault({ fault: "half_answer", on: PAGES, times: 1 });
      t.fault({ fault: "cut_after", on: PAGES, times: 1 });
    }),
    {
      name: "database-away",
      what: "The database is away when a change arrives, and back when Stripe delivers it again.",
      must: "The first delivery is not acknowledged, and the change is there in the end.",
      about: ["subscription"],
      needs: ["database outage"],
      play: async (t) => {
        const subscription = await t.subscribe();
        await t.deliver();
        await t.settle();
        await t.later();
        await t.seats(subscription, 2);
        await t.takeDatabaseAway();
        const [answer = 0] = await t.deliver(t.held(UPDATED));
        await t.giveDatabaseBack();
        t.check(
          answer < 200 || answer > 299,
          `what was not stored was acknowledged with ${answer}`,
        );
      },
    },
    {
      name: "stripe-away",
      what: "Changes within one second arrive in the wrong order while Stripe answers nothing but 429 and 500.",
      must: "Once Stripe is back, the last change stands.",
      about: ["subscription"],
      long: true,
      play: async (t) => {
        const subscription = await t.subscribe();
        await t.deliver();
        await t.settle();
        await t.later();
        await t.inOneSecond(async () => {
          for (const seats of [2, 3, 4]) await t.seats(subscription, seats);
        });
        const on = "GET /v1/subscriptions/:subscription";
        t.fault({ fault: "rate_limited", on, times: 1 });
        t.fault({ fault: "error_before", on, times: 3 });
        await t.deliver([...t.held(UPDATED)].reverse());
        for (let i = 0; i < 6; i++) await t.later();
      },
    },
    {
      name: "irrelevant-event",
      what: "An event of a type that nobody has heard of arrives, and one about an object that is not mirrored.",
      must: "Both are answered with 2xx: Stripe disables endpoints that refuse.",
      about: [],
      play: async (t) => {
        for (const each of [
          t.event("quasar.collapsed", { id: "qsr_1", object: "quasar" }),
          t.event("issuing_card.created", { id: "ic_1", object: "issuing.card", status: "active" }),
        ]) {
          const answer = await t.post(each);
          t.check(answer >= 200 && answer < 300, `${each.type} was answered with ${answer}`);
        }
      },
    },
    {
      name: "upcoming-invoice",
      what: "`invoice.upcoming` arrives, whose invoice has no id.",
      must: "It is answered with 2xx, and the subscription is right.",
      about: ["subscription"],
      play: async (t) => {
        const { customer } = await t.subscribe();
        await t.deliver();
        const answer = await t.post(
          t.event("invoice.upcoming", {
            object: "invoice",
            customer,
            status: "draft",
            amount_due: 1000,
            amount_paid: 0,
            created: Math.floor(Date.now() / 1000),
            metadata: {},
            lines: {
              object: "list",
              data: [],
              has_more: false,
              url: "/v1/invoices/upcoming/lines",
            },
          }),
        );
        t.check(answer >= 200 && answer < 300, `it was answered with ${answer}`);
      },
    },
  ],
};
