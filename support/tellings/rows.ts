/**
 * What the library tells of a customer's log, as far as that is a pure function: each event that is
 * seen writes a row as the mirror would, and what follows from the row before and after is told.
 */
import {
  effectsByEvent,
  type ResourceName,
  type StripeObject,
} from "../../packages/backend-billing/src/core/catalogue/catalogue.js";
import type {
  PurchaseFacts,
  StoredRecord,
  SubscriptionFacts,
} from "../../packages/backend-billing/src/core/mirror/store.js";
import {
  type AccessByGroup,
  accessEvents,
  statesByGroup,
} from "../../packages/backend-billing/src/core/reactions/access.js";
import { namedEvents } from "../../packages/backend-billing/src/core/reactions/named.js";
import { trialNotice } from "../../packages/backend-billing/src/core/reactions/trial.js";
import { pastDueSince } from "../../packages/backend-billing/src/core/subscriptions/lapse.js";
import type { Logged, Telling } from "./log.js";

const effects = effectsByEvent();
/** Milliseconds. */
const GRACE = 14 * 86_400_000;

type Content = { readonly id: string };
type Products = readonly StripeObject<"products">[];

export interface RowOptions {
  /** The second until which time goes on after the last event. */
  readonly until: number;
  readonly products: Products;
}

/** What is told of the events, all of which are seen. */
export function tellRows(
  events: readonly Logged[],
  { until, products }: RowOptions,
): readonly Telling[] {
  const rows = new Rows(products);
  for (const event of events) {
    rows.passTo(event.created);
    rows.write(event);
  }
  rows.passTo(until);
  return rows.tellings;
}

class Rows {
  readonly tellings: Telling[] = [];
  private now = 0;
  private readonly rows = new Map<ResourceName, Map<string, Content>>();
  private readonly announced = new Map<string, number>();
  private access: AccessByGroup = new Map();

  constructor(private readonly products: Products) {}

  /** Lets time pass, in seconds: trials are announced and graces end, each when it is due. */
  passTo(moment: number): void {
    for (let next = this.nextDue(), turns = 0; next <= moment; next = this.nextDue(), turns++) {
      if (turns > 1_000) throw new Error("Something is due again and again");
      this.now = Math.max(next, this.now);
      for (const { id } of this.all("subscriptions")) this.announce(id);
      this.tellAccess();
    }
    this.now = moment;
  }

  write({ type, object }: Logged): void {
    for (const { kind, resource } of effects.get(type as never) ?? []) {
      if (kind !== "upsert" && kind !== "delete") continue;
      const rows = this.rows.get(resource) ?? new Map<string, Content>();
      this.rows.set(resource, rows);
      const before = rows.get(object.id) ?? null;
      const after = kind === "delete" ? null : object;
      if (after === null) rows.delete(object.id);
      else rows.set(object.id, after);
      const purchase = resource === "payment_intents" ? this.purchaseOf(object.id) : null;
      const names = namedEvents(resource, before, after, { purchase });
      this.tell(purchase?.session.id ?? object.id, names);
      this.tellAccess();
    }
  }

  private tell(about: string, names: readonly string[]): void {
    for (const name of names) this.tellings.push({ name, about, at: this.now });
  }

  private all<R extends ResourceName>(resource: R): readonly StripeObject<R>[] {
    return [...(this.rows.get(resource)?.values() ?? [])] as unknown as StripeObject<R>[];
  }

  private nextDue(): number {
    const announcements = this.all("subscriptions").flatMap((each) => this.noticeOf(each) ?? []);
    const now = this.now * 1000;
    const ends = this.lapses().flatMap(({ data }) => {
      const end = Number(data.since) + GRACE;
      return end > now ? end : [];
    });
    return Math.min(Infinity, ...announcements, ...ends) / 1000;
  }

  /** The milliseconds at which the end of a trial is to be announced, if it is. */
  private noticeOf(row: { readonly id: string }): number | null {
    const notice = trialNotice(row, this.announced.get(row.id) ?? null);
    return notice !== null && notice.until > this.now * 1000 ? notice.dueAt : null;
  }

  private announce(id: string): void {
    const row = this.rows.get("subscriptions")?.get(id);
    const dueAt = row === undefined ? null : this.noticeOf(row);
    if (dueAt === null || dueAt > this.now * 1000) return;
    this.announced.set(id, this.now * 1000);
    this.tell(id, ["trial.ending"]);
  }

  private tellAccess(): void {
    const after = statesByGroup(this.facts(this.lapses()), { entityId: "entity" });
    for (const { name, group } of accessEvents(this.access, after)) {
      this.tell(`access ${group}`, [name]);
    }
    this.access = after;
  }

  private facts(lapses: readonly StoredRecord[]): SubscriptionFacts {
    return {
      subscriptions: this.all("subscriptions"),
      products: this.products,
      invoices: this.all("invoices").filter(({ status }) => status === "open"),
      schedules: [],
      prices: [],
      lapses,
    };
  }

  /** The records of graces as the job has them that looks at them when they are due. */
  private lapses(): StoredRecord[] {
    const facts = this.facts([]);
    return facts.subscriptions.flatMap((subscription) => {
      const since = pastDueSince(facts, subscription);
      if (subscription.status !== "past_due" || since === null) return [];
      const data = { since, over: this.now * 1000 >= since + GRACE };
      return {
        kind: "lapse" as const,
        id: subscription.id,
        revision: 1,
        ref: null,
        due: null,
        data,
      };
    });
  }

  private purchaseOf(intent: string): PurchaseFacts | null {
    const session = this.all("checkout_sessions").find((each) => each.payment_intent === intent);
    if (session === undefined) return null;
    const paidBy = this.all("payment_intents").find(({ id }) => id === intent) ?? null;
    return { entityId: "entity", session, intent: paidBy, charges: [], data: null };
  }
}
