/**
 * What an entity may use by Stripe's log: what is active or in trial, and what is past due for 14 days
 * from the finalisation of the oldest open invoice, in each group of products. Stripe may leave a
 * subscription past due though no invoice of it is open; then the 14 days begin with its period.
 */
import type { Fields, Logged, Telling } from "../log.js";

const GRACE = 14 * 86_400;

interface Held {
  readonly status: string;
  readonly groups: ReadonlySet<string>;
  /** The second in which its period began. */
  readonly began: number;
}

/** Follows one customer. */
export class AccessReader {
  private readonly subscriptions = new Map<string, Held>();
  /** By subscription, the open invoices and when each was finalised. */
  private readonly owed = new Map<string, Map<string, number>>();
  private readonly told = new Set<string>();

  constructor(private readonly groupOf: (product: string) => string) {}

  read({ type, object }: Logged): void {
    if (type.startsWith("customer.subscription.")) {
      const { data } = object.items as { readonly data: readonly Fields[] };
      const products = data.map(({ price }) => (price as { readonly product: string }).product);
      const groups = new Set(products.map(this.groupOf));
      const began = Math.min(...data.map((item) => Number(item.current_period_start)));
      this.subscriptions.set(object.id, { status: String(object.status), groups, began });
    }
    if (type.startsWith("invoice.") && type !== "invoice.upcoming") this.readInvoice(object);
  }

  private readInvoice(object: Fields & { readonly id: string }): void {
    const parent = object.parent as { readonly subscription_details?: Fields } | null;
    const subscription = parent?.subscription_details?.subscription;
    if (typeof subscription !== "string") return;
    const open = this.owed.get(subscription) ?? new Map<string, number>();
    this.owed.set(subscription, open);
    const { finalized_at: at } = object.status_transitions as { readonly finalized_at: number };
    if (object.status === "open") open.set(object.id, at);
    else open.delete(object.id);
  }

  /** What is to be told at this second, of graces by the second `by`. */
  tellAt(at: number, by = at): readonly Telling[] {
    const has = new Set<string>();
    for (const [id, held] of this.subscriptions) {
      const { status, groups } = held;
      const isGiven = /^(active|trialing)$/.test(status);
      if (isGiven || (status === "past_due" && by < this.endOf(id, held))) {
        for (const group of groups) has.add(group);
      }
    }
    const telling = (name: string) => (group: string) => ({ name, about: `access ${group}`, at });
    const granted = [...has].filter((group) => !this.told.has(group));
    const lost = [...this.told].filter((group) => !has.has(group));
    for (const group of granted) this.told.add(group);
    for (const group of lost) this.told.delete(group);
    return [...granted.map(telling("access.granted")), ...lost.map(telling("access.lost"))];
  }

  /** The next second at which a grace ends. */
  nextEnd(after: number): number {
    const ends = [...this.subscriptions]
      .filter(([, { status }]) => status === "past_due")
      .map(([id, held]) => this.endOf(id, held));
    return Math.min(Infinity, ...ends.filter((end) => end > after));
  }

  private endOf(subscription: string, { began }: Held): number {
    const open = [...(this.owed.get(subscription)?.values() ?? [])];
    return (open.length === 0 ? began : Math.min(...open)) + GRACE;
  }
}
