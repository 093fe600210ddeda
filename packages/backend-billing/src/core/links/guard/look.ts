/** What the guard asks of Stripe: pages that were made, subscriptions that are live. */
import Stripe from "stripe";
import type { Reach } from "../../customers/setup.js";
import {
  answeredAt,
  plain,
  snapshotOfPart,
  snapshotsOfPage,
  stripeStatus,
} from "../../mirror/snapshot.js";
import type { Snapshot } from "../../mirror/store.js";
import { commit } from "../../runtime/commit/commit.js";
import { provider } from "../../runtime/errors.js";
import type { Runtime } from "../../runtime/runtime.js";
import { liveIn, type Session } from "./guard.js";

/** Seconds. A checkout session ends after a day at the latest. */
const DAY = 24 * 60 * 60;
const PAGE = 100;

/** A page as Stripe has it now, and Stripe's time; no session if Stripe does not know it. */
export async function retrievePage(
  runtime: Runtime,
  id: string,
  reach: Reach,
): Promise<{ readonly session: Session | undefined; readonly now: number }> {
  const startedAt = runtime.now();
  try {
    const session = await runtime
      .stripe()
      .checkout.sessions.retrieve(id, { expand: ["subscription", "customer"] }, reach);
    await keep(runtime, session, [session], startedAt, reach);
    return { session, now: answeredAt(runtime, session, startedAt).hi };
  } catch (error) {
    if (stripeStatus(error) === 404) return { session: undefined, now: 0 };
    return provider(error);
  }
}

/** Ends a page, so that it cannot be paid. False if it was not open any more: it may just be paid. */
export async function expirePage(runtime: Runtime, id: string, reach: Reach): Promise<boolean> {
  try {
    await runtime.stripe().checkout.sessions.expire(id, {}, reach);
    return true;
  } catch (error) {
    // Stripe expires only what is open.
    if (error instanceof Stripe.errors.StripeInvalidRequestError) return false;
    return provider(error);
  }
}

/** The customer's sessions of the last day: older ones are not open. Stripe's time with them. */
export async function recentSessions(
  runtime: Runtime,
  customer: string,
  reach: Reach,
): Promise<{ readonly sessions: readonly Session[]; readonly now: number }> {
  const sessions: Session[] = [];
  for (let after: string | undefined; ; ) {
    const startedAt = runtime.now();
    const page = await runtime
      .stripe()
      .checkout.sessions.list(
        {
          customer,
          limit: PAGE,
          expand: ["data.subscription"],
          ...(after === undefined ? {} : { starting_after: after }),
        },
        reach,
      )
      .catch(provider);
    await keep(runtime, page, page.data, startedAt, reach);
    sessions.push(...page.data);
    const { hi: now } = answeredAt(runtime, page, startedAt);
    const last = page.data.at(-1);
    if (!page.has_more || last === undefined || last.created < now - DAY) return { sessions, now };
    after = last.id;
  }
}

/** Stores the live subscriptions that sessions were seen with; the mirror may not have them yet. */
async function keep(
  runtime: Runtime,
  answer: object,
  sessions: readonly Session[],
  startedAt: number,
  reach: Reach,
): Promise<void> {
  const seen = answeredAt(runtime, answer, startedAt);
  const live = sessions.flatMap((session) => liveIn(session) ?? []);
  await store(
    runtime,
    live.filter(isWhole).map((each) => snapshotOfPart("subscriptions", plain(each), seen)),
    reach,
  );
}

const isWhole = ({ items }: Stripe.Subscription): boolean => !items.has_more;

/** The customer's subscriptions that have not ended, from Stripe. */
export async function listedSubscriptions(
  runtime: Runtime,
  customer: string,
  reach: Reach,
): Promise<readonly Stripe.Subscription[]> {
  const found: Stripe.Subscription[] = [];
  for (let after: string | undefined; ; ) {
    const startedAt = runtime.now();
    const page = await runtime
      .stripe()
      .subscriptions.list(
        { customer, limit: PAGE, ...(after === undefined ? {} : { starting_after: after }) },
        reach,
      )
      .catch(provider);
    await store(runtime, snapshotsOfPage(runtime, "subscriptions", page, startedAt), reach);
    found.push(...page.data);
    after = page.data.at(-1)?.id;
    if (!page.has_more || after === undefined) return found;
  }
}

/** A subscription as Stripe has it now; undefined if Stripe does not know it. */
export async function retrieveSubscription(
  runtime: Runtime,
  id: string,
  reach: Reach,
): Promise<Stripe.Subscription | undefined> {
  const startedAt = runtime.now();
  try {
    const found = await runtime.stripe().subscriptions.retrieve(id, {}, reach);
    if (isWhole(found)) {
      const seen = answeredAt(runtime, found, startedAt);
      await store(runtime, [snapshotOfPart("subscriptions", plain(found), seen)], reach);
    }
    return found;
  } catch (error) {
    return stripeStatus(error) === 404 ? undefined : provider(error);
  }
}

/** The mirror is of the key's own account, and of what the application chose. */
async function store(
  runtime: Runtime,
  snapshots: readonly Snapshot[],
  { stripeAccount }: Reach,
): Promise<void> {
  const isMirrored = stripeAccount === undefined && runtime.resources.includes("subscriptions");
  if (!isMirrored || snapshots.length === 0) return;
  await commit(runtime, { source: "call", units: [{ snapshots }] });
}
