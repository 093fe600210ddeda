/** What the library's two platforms have in common. */
import type { RunReport } from "../../../packages/backend-billing/src/core/runtime/reports.js";
import type { News } from "../harness/hooks.js";
import { sleep } from "../harness/patience.js";
import type { Ability, Answer, Installed, Order, Units } from "../harness/subject.js";
import { UNITS } from "../harness/usage-shop.js";

/** What both can do. */
export const OURS: readonly Ability[] = [
  "backfill",
  "repair",
  "setup",
  "shared emails",
  "several subscriptions",
  "selling",
  "return route",
  "organisations",
  "idempotency keys",
  "one trial",
  "plan changes",
  "cancelling",
  "seats",
  "endpoint",
  "several secrets",
  "connect",
  "one account",
  "thin events",
  "usage",
  "usage in a transaction",
  "units that end",
  "packs",
  "billed usage",
];

/** The plans of the harness's shop, as an application writes them. */
export async function usageCatalogue() {
  const { defineCatalogue, usd } = await import(
    "../../../packages/backend-billing/src/catalogue/index.js"
  );
  return defineCatalogue({
    app: "acme",
    features: { units: "credits", calls: { meter: "calls" } },
    plans: {
      small: {
        name: "Small",
        prices: { monthly: usd("10").monthly() },
        features: { units: { included: UNITS.small } },
      },
      large: {
        name: "Large",
        prices: { monthly: usd("30").monthly() },
        features: { units: { included: UNITS.large }, calls: { overage: usd("0.01") } },
      },
    },
    packs: { units: { name: "Pack", price: usd("5"), credits: { units: UNITS.pack } } },
  });
}

/** What is taken of units, and of what Stripe bills. */
export const unitsOf = ({ entityId, key, amount }: Units) =>
  ({ entityId, feature: "units", key, amount }) as const;
export const callsOf = ({ entityId, key, amount }: Units) =>
  ({ entityId, feature: "calls", key, amount }) as const;

/** What a handler of ours is given, as far as it is used. */
export interface Reacted {
  readonly after: { readonly subscriptionId: string; readonly priceId: string } | null;
}

export const newsIn = (name: News["name"], { after }: Reacted): News => ({
  name,
  subscription: after?.subscriptionId ?? "",
  price: after?.priceId,
});

/** How long it may be busy with what it was given. Jobs begin every minute, and CI is slow at times. */
export const PATIENCE = 600_000;
/** What a catch-up may take, with the job that begins it, until it is begun again. */
const CATCH_UP = 60_000;

/** Begins a catch-up as the schedule does; answers whether it came to its end. */
export async function caughtUp(
  runs: () => Promise<readonly RunReport[]>,
  begin: () => Promise<unknown>,
): Promise<boolean> {
  const before = new Set((await runs()).map(({ runId }) => runId));
  await begin();
  for (const end = Date.now() + CATCH_UP; Date.now() < end; await sleep(250)) {
    const mine = (await runs()).find(
      ({ kind, runId }) => kind === "catch-up" && !before.has(runId),
    );
    if (mine !== undefined && mine.state !== "running") return mine.state === "done";
  }
  return false;
}

/** What `sync({ webhook: true })` answered, as the harness wants it. */
export function installedBy(
  webhook: { readonly id: string; readonly secret?: string } | undefined,
): Installed {
  if (!webhook?.secret) throw new Error("There is no new endpoint");
  return { secrets: [webhook.secret], endpoint: webhook.id };
}

/** A click as variant B takes it. */
/** The same where a pack is bought. */
export const payArgs = ({ entityId, price, successUrl }: Order) => ({
  entityId,
  priceId: price.id,
  successUrl,
  cancelUrl: successUrl,
});

export const checkoutArgs = ({ entityId, price, successUrl, trialDays }: Order) => ({
  entityId,
  priceId: price.id,
  successUrl,
  cancelUrl: successUrl,
  ...(trialDays === undefined ? {} : { trialDays }),
});

/** A click as variant A takes it, which passes on Stripe's options. */
export const subscribeArgs = ({ entityId, price, successUrl, idempotencyKey }: Order) =>
  [
    {
      entityId,
      priceId: price.id,
      mode: "subscription",
      success_url: successUrl,
      cancel_url: successUrl,
    },
    idempotencyKey === undefined ? {} : { idempotencyKey },
  ] as const;

/** Where the person is sent by a change that their bank wants them for. */
export const answered = (changed: object): Answer =>
  "url" in changed ? { url: String(changed.url) } : {};
