/**
 * The records of the kind `credits`: each has the credits of a purchase set to what is paid for, under
 * the id of its payment, or of its page where nothing was to be paid. A commit requests it that writes
 * something from which another amount may follow. Pure.
 */
import type { ResourceName } from "../catalogue/catalogue.js";
import type { Known } from "./facts.js";
import type { RecordRequest, Unit, UnitOutcome } from "./store.js";
import type { Judged } from "./writes.js";

/**
 * The key in the metadata of a page that sells credits, and of its payment, which Stripe copies to its
 * charges. That of the page says how many, so that an edited catalogue changes nothing of what was sold.
 */
export const CREDITS_KEY = "billing_credits";
/** Whom they are sold to: a customer may come to belong to another entity, or be deleted. */
export const CREDITED_KEY = "billing_entity";

/** What is looked at of a page, a charge or a dispute. */
interface Shown {
  readonly id?: string;
  readonly mode?: string;
  readonly status?: string | null;
  readonly payment_status?: string;
  readonly payment_intent?: string | null;
  readonly charge?: string | null;
  readonly metadata?: { readonly [key: string]: string } | null;
}

const isMarked = ({ metadata }: Shown): boolean => Object.hasOwn(metadata ?? {}, CREDITS_KEY);

/** Whether a page for one payment is paid, or was complete without anything to pay. */
export const isPaidPage = ({ mode, status, payment_status: paid }: Shown): boolean =>
  mode === "payment" &&
  status === "complete" &&
  (paid === "paid" || paid === "no_payment_required");

/** Whether a commit that writes this may request such a record. */
function mayCredit(resource: ResourceName, content: object | null): boolean {
  if (content === null) return false;
  if (resource === "checkout_sessions") return isMarked(content) && isPaidPage(content);
  return resource === "disputes" || (resource === "charges" && isMarked(content));
}

/** Whether a unit that was committed may have requested such a record. */
export function creditsLeftBy({ snapshots = [] }: Unit, outcome: UnitOutcome | undefined): boolean {
  if (outcome === undefined || outcome.duplicate) return false;
  return snapshots.some(
    ({ resource, content }, at) =>
      outcome.outcomes[at]?.act === "write" && mayCredit(resource, content),
  );
}

/** The requests of the objects that a batch writes: one for each payment. */
export function creditsRequests(
  objects: Iterable<Judged>,
  chosen: readonly ResourceName[],
  now: number,
  facts: Known,
): readonly RecordRequest[] {
  const requests = new Map<string, RecordRequest>();
  for (const { resource, content = null } of objects) {
    if (content === null || !mayCredit(resource, content)) continue;
    if (resource === "disputes" && !mayBeMarked(content, chosen, facts)) continue;
    const { id: own, payment_intent: intent }: Shown = content;
    const page = resource === "checkout_sessions" ? own : undefined;
    const id = intent ?? page;
    if (id == null) continue;
    const ref = page ?? requests.get(id)?.ref;
    requests.set(id, {
      kind: "credits",
      id,
      due: now,
      data: {},
      ...(ref === undefined ? {} : { ref }),
    });
  }
  return [...requests.values()];
}

/** Whether the charge of a dispute has the mark, or is not stored yet; a mark does not come later. */
function mayBeMarked({ charge }: Shown, chosen: readonly ResourceName[], facts: Known): boolean {
  if (typeof charge !== "string" || !chosen.includes("charges")) return false;
  const found = facts.content("charges", charge);
  return found === null || (found !== undefined && isMarked(found));
}
