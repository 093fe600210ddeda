/**
 * Sells a subscription so that an entity never has two that are live in one group, whatever callers,
 * processes and people do at the same time. attempt.ts has the steps; here callers take turns.
 */
import { forLiveCustomer } from "../../customers/live-customer.js";
import type { CustomerRead } from "../../customers/setup.js";
import type { RecordKey } from "../../mirror/store.js";
import { BillingError } from "../../runtime/errors.js";
import { defineLocal } from "../../runtime/local.js";
import { records } from "../../runtime/records/records.js";
import { AGAIN } from "../../runtime/rounds.js";
import type { Runtime } from "../../runtime/runtime.js";
import { knowsSubscriptions } from "../../subscriptions/offers.js";
import type { Page, Ui } from "../page.js";
import { attempt } from "./attempt.js";
import { orderOf } from "./guard.js";
import { guardOf, type Sale } from "./sale.js";
import { turnsAt } from "./turn.js";

/** Milliseconds between two looks at a record that another caller works at: at first, and at most. */
const PAUSE = 100;
const LONGEST_PAUSE = 2_000;

const LISTED = [records.watermark("customers"), records.watermark("subscriptions")];
const EVENTS = records.watermark("events");

/** The page to send the person to. */
export function sell(runtime: Runtime, sale: Sale): Promise<Page<Ui>> {
  const find = async (isFresh = false) => ({
    ...(await sale.find(recordsFor(sale), isFresh ? sale.ahead : undefined)),
    isFresh,
  });
  return together(runtime, sale, (isAlone) =>
    forLiveCustomer(
      runtime,
      sale.options,
      (isFirst) => find(isAlone && isFirst),
      (first, options) => inTurns(runtime, { ...sale, options }, first, find),
    ),
  );
}

/** The records that selling reads along with the customer. */
export const recordsFor = (sale: Pick<Sale, "entityId" | "reach">): readonly RecordKey[] => [
  guardOf(sale),
  ...LISTED,
  EVENTS,
];

/** A call that sells. */
interface Selling {
  readonly order: string;
  readonly page: Promise<Page<Ui>>;
}

const sellingIn = defineLocal("runtime", "checkouts", () => new Map<string, Selling>());

/**
 * Calls of one process for one entity take turns: what one that waited has read before is old. One that wants the same as the call that was
 * under way is answered the same: it would find that page, too.
 */
async function together(
  runtime: Runtime,
  sale: Sale,
  run: (isAlone: boolean) => Promise<Page<Ui>>,
): Promise<Page<Ui>> {
  const all = sellingIn(runtime);
  const { params, trial = null, ui, ifSubscribed } = sale;
  const order = await orderOf([params, trial, ui, ifSubscribed]);
  const { id } = guardOf(sale);
  const isAlone = !all.has(id);
  for (let other = all.get(id); other !== undefined; other = all.get(id)) {
    const page = await other.page.catch(() => undefined); // its own caller is told why
    if (page === undefined || other.order !== order) continue;
    return page.kind === "checkout" ? { ...page, kind: "open" } : page;
  }
  const page = run(isAlone).finally(() => all.delete(id));
  all.set(id, { order, page });
  return page;
}

interface Finding extends CustomerRead {
  /** Whether the call has waited for nothing since it began, so that what was known then still counts. */
  readonly isFresh: boolean;
}

/** Attempts until one is not overtaken. After the first, others wait while a page is made. */
async function inTurns(
  runtime: Runtime,
  sale: Sale,
  first: Finding,
  find: () => Promise<Finding>,
): Promise<Page<Ui>> {
  const end = runtime.now() + runtime.timing.guardPatience;
  const turns = turnsAt(runtime, guardOf(sale));
  try {
    for (let round = 0; ; round++) {
      const found = round === 0 ? first : await find();
      const turn = turns.take(guardOf(sale).among(found.beside));
      if (turn !== undefined) {
        const page = await attempt(runtime, sale, turn, {
          customerId: found.customerId,
          readAt: found.readAt,
          isContended: round > 0,
          isCaughtUp: (now) =>
            knowsSubscriptions(runtime, sale.reach) && isCaughtUp(runtime, found, now),
          facts: found.isFresh ? sale.facts : await factsNow(runtime, sale),
        });
        if (page !== AGAIN) return page;
      }
      if (runtime.now() >= end) throw busy(sale);
      await runtime.sleep(Math.min(LONGEST_PAUSE, PAUSE * 1.5 ** round) * (0.5 + Math.random()));
    }
  } finally {
    await turns.release();
  }
}

const factsNow = (runtime: Runtime, { entityId, reach, facts }: Sale) =>
  knowsSubscriptions(runtime, reach) ? runtime.store.subscribed(entityId) : facts;

/**
 * Whether the mirror knows all subscriptions and whose they are: all were listed, and the events since
 * were read lately.
 */
function isCaughtUp({ timing }: Runtime, { beside }: CustomerRead, now: number): boolean {
  const at = EVENTS.among(beside).data?.at;
  const isListed = LISTED.every((mark) => mark.among(beside).data !== undefined);
  return isListed && at !== undefined && at >= now - timing.guardAge / 1000;
}

const busy = ({ entityId }: Sale): BillingError =>
  new BillingError(
    "provider_error",
    `Other callers open pages for ${entityId} again and again, or Stripe is slow, so none was made for this call. Try again in a minute.`,
  );
