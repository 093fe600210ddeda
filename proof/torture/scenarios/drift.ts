/** Events in another form than the client expects: other API versions, thin events, new values. */
import type { Family } from "../harness/scenario.js";
import { UPDATED } from "./ordering.js";

/** Before periods moved from subscriptions to their items. */
const OLD = "2024-06-20";

export const drift: Family = {
  name: "drift",
  title: "API drift",
  why: "Events are rendered in the endpoint's API version, not in the client's, and Stripe changes its API.",
  scenarios: [
    {
      name: "events-of-an-old-version",
      what: "Events come in an API version from before periods moved to the items.",
      must: "The row is right: seats, status, and the end of the period.",
      about: ["subscription"],
      play: async (t) => {
        t.fault({ fault: "old_version", version: OLD });
        const subscription = await t.subscribe();
        await t.deliver();
        await t.later();
        await t.seats(subscription, 2);
        await t.deliver();
      },
    },
    {
      name: "versions-in-turn",
      what: "An endpoint is being replaced: events come in the old version and in the new one, in turn.",
      must: "The row is right: seats, status, and the end of the period.",
      about: ["subscription"],
      play: async (t) => {
        const subscription = await t.subscribe();
        await t.deliver();
        for (const seats of [2, 3, 4, 5]) {
          await t.later();
          if (seats % 2 === 1)
            t.fault({ fault: "old_version", version: OLD, times: 1, on: UPDATED });
          await t.seats(subscription, seats);
        }
        await t.deliver();
      },
    },
    {
      name: "old-account",
      what: "The account's own API version is old, and the endpoint was made as the subject's documentation says.",
      must: "The row is right: seats, status, and the end of the period.",
      about: ["subscription"],
      apiVersion: OLD,
      play: async (t) => {
        const subscription = await t.subscribe();
        await t.deliver();
        await t.later();
        await t.seats(subscription, 2);
        await t.deliver();
      },
    },
    {
      name: "thin-events",
      what: "Events come thin: they say what changed, not how it is now.",
      must: "The rows are right.",
      about: ["subscription", "customer"],
      needs: ["thin events"],
      play: async (t) => {
        t.fault({ fault: "thin" });
        const customer = await t.customer();
        const subscription = await t.subscribe({ customer });
        await t.deliver();
        await t.later();
        await t.seats(subscription, 2);
        await t.stripe.customers.update(customer, { name: "Ada" });
        await t.deliver();
      },
    },
    {
      name: "new-status",
      what: "Stripe introduces a new status of subscriptions that nobody has heard of.",
      must: "The row has it.",
      about: ["subscription"],
      play: async (t) => {
        const subscription = await t.subscribe();
        await t.deliver();
        await t.later();
        await t.seats(subscription, 2);
        // The double shows objects as they are kept, so this is what Stripe says from now on.
        Object.assign(t.double.objects("subscription")[0] ?? {}, { status: "hibernating" });
        await t.deliver();
      },
    },
  ],
};
