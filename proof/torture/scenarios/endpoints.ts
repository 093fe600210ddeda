/** Who may send events, and the endpoint they come to. */
import type { Family } from "../harness/scenario.js";

export const endpoints: Family = {
  name: "endpoints",
  title: "Endpoints and secrets",
  why: "A webhook route is open to the world, and secrets and endpoints change while it runs.",
  scenarios: [
    {
      name: "forged",
      what: "Somebody sends a cancellation that is signed with another secret.",
      must: "It is not acknowledged, and nothing changes.",
      about: ["subscription"],
      play: async (t) => {
        const subscription = await t.subscribe();
        await t.deliver();
        const answer = await t.post(t.event("customer.subscription.deleted", subscription), {
          secret: "whsec_of_somebody_else",
        });
        t.check(answer < 200 || answer > 299, `it was acknowledged with ${answer}`);
      },
    },
    {
      name: "replayed",
      what: "Somebody sends an old event again that was signed ten minutes ago.",
      must: "It is not acknowledged, and nothing changes.",
      about: ["subscription"],
      play: async (t) => {
        const subscription = await t.subscribe();
        await t.deliver();
        const event = t.event("customer.subscription.updated", {
          ...subscription,
          status: "paused",
        });
        const answer = await t.post(event, { age: 600 });
        t.check(answer < 200 || answer > 299, `it was acknowledged with ${answer}`);
      },
    },
    {
      name: "rolled-secret",
      what: "The signing secret is rolled, and the old one goes on for a day.",
      must: "Changes arrive before and after the application gets the new secret.",
      about: ["subscription"],
      play: async (t) => {
        const subscription = await t.subscribe();
        await t.deliver();
        const secret = t.double.dashboard.rollWebhookSecret(t.installed.endpoint, {
          keepOldFor: { days: 1 },
        });
        await t.later();
        await t.seats(subscription, 2);
        t.check((await t.deliver()).every(isWell), "an event with both signatures was refused");
        await t.restart({ secrets: [secret] });
        await t.later();
        await t.seats(subscription, 3);
        t.check((await t.deliver()).every(isWell), "an event was refused with the new secret");
      },
    },
    {
      name: "two-secrets",
      what: "Two endpoints with secrets of their own deliver to one route.",
      must: "Events of both are accepted.",
      about: ["subscription"],
      needs: ["several secrets"],
      play: async (t) => {
        const [own] = t.double.objects("webhook_endpoint");
        const { secret = "" } = await t.stripe.webhookEndpoints.create({
          url: own?.url ?? "",
          enabled_events: ["customer.subscription.updated"],
          api_version: own?.api_version as never,
        });
        await t.restart({ secrets: [...t.installed.secrets, secret] });
        const subscription = await t.subscribe();
        await t.deliver();
        await t.later();
        await t.seats(subscription, 2);
        const answers = await t.deliver();
        t.check(answers.every(isWell), "an event of one endpoint was refused");
      },
    },
    {
      name: "made-once",
      what: "The endpoint's installation is run three times.",
      must: "There is one endpoint for its address, and it is enabled.",
      about: [],
      needs: ["endpoint"],
      play: async (t) => {
        await t.instance().endpoint?.();
        await t.instance().endpoint?.();
        const all = t.double.objects("webhook_endpoint");
        t.check(all.length === 1, `there are ${all.length} endpoints`);
        t.check(all[0]?.status === "enabled", "it is not enabled");
      },
    },
    {
      name: "disabled-by-stripe",
      what: "Stripe disables the endpoint; the installation is run again.",
      must: "Events arrive again.",
      about: [],
      needs: ["endpoint"],
      play: async (t) => {
        await t.stripe.webhookEndpoints.update(t.installed.endpoint, { disabled: true });
        await t.instance().endpoint?.();
        const enabled = t.double
          .objects("webhook_endpoint")
          .filter(({ status }) => status === "enabled");
        t.check(enabled.length === 1, `${enabled.length} endpoints are enabled`);
      },
    },
    {
      name: "one-version",
      what: "The endpoint is installed on an account whose own API version is old.",
      must: "Events come in the version in which the client asks.",
      about: [],
      needs: ["endpoint"],
      apiVersion: "2024-06-20",
      play: async (t) => {
        const [own] = t.double.objects("webhook_endpoint");
        const rendered = own?.api_version ?? "2024-06-20";
        const asked = t.gate.asked.at(-1)?.version ?? "none";
        t.check(rendered === asked, `events come in ${rendered}, and the client asks in ${asked}`);
      },
    },
    {
      name: "connected-account",
      what: "An event of a connected account, and one of the other mode, reach the endpoint.",
      must: "Neither is mixed into the account's own rows.",
      about: ["customer"],
      needs: ["connect"],
      play: async (t) => {
        await t.customer();
        await t.deliver();
        const theirs = { id: "cus_theirs", object: "customer", name: "Theirs", metadata: {} };
        const event = t.event("customer.created", theirs);
        await t.post({ ...event, account: "acct_connected" });
        await t.post({ ...event, id: "evt_live", livemode: true });
      },
    },
  ],
};

const isWell = (status: number) => status >= 200 && status < 300;
