/**
 * What each customer's invoices must be, worked out from the acts and from Stripe's published rules
 * (rules.ts) alone: nothing of the double is imported, and nothing is asked of it. Where an act is
 * not possible, or where Stripe publishes no rule for what it leads to, it is left out.
 */
import { type Bill, Books, type Discount, type Item, type Subscription } from "./books.js";
import {
  DRAFT_SECONDS,
  INCOMPLETE_SECONDS,
  monthsAfter,
  periodAfter,
  RETRY_DAYS,
} from "./rules.js";
import { type Act, type Behaviour, COUPONS, DAY, type Product, type Timed } from "./script.js";

/** An act that is to be done, with what only the ledger knows: which invoice a refund is for. */
export type Deed = Timed & { readonly invoice?: number; readonly amount?: number };

export interface Account {
  readonly bills: readonly Bill[];
  readonly deeds: readonly Deed[];
  readonly balance: number;
  /** What happened without an act. */
  readonly outcomes: { readonly [name: string]: number };
}

/** The account of one customer after all acts, at the end of the time. */
export function accountOf(acts: readonly Timed[], until: number): Account {
  const ledger = new Ledger();
  const deeds: Deed[] = [];
  for (const act of acts) {
    ledger.passTo(act.at);
    const more = ledger.act(act);
    if (more !== undefined) deeds.push({ ...act, ...more });
  }
  ledger.passTo(until);
  const { bills, balance, outcomes } = ledger;
  return { bills, deeds, balance, outcomes };
}

interface Plan {
  readonly at: number;
  readonly run: () => void;
}

class Ledger extends Books {
  private subscription: Subscription | undefined;
  private readonly refunded = new Map<number, number>();
  /** What time brings, by the moment and then in the order in which it was planned. */
  private plans: Plan[] = [];

  passTo(moment: number): void {
    for (;;) {
      const next = this.plans.reduce<Plan | undefined>(
        (first, plan) => (first === undefined || plan.at < first.at ? plan : first),
        undefined,
      );
      if (next === undefined || next.at > moment) break;
      this.plans = this.plans.filter((plan) => plan !== next);
      this.now = next.at;
      next.run();
    }
    this.now = moment;
  }

  /** Does what is possible and answers what the doer must know; undefined if it is not possible. */
  act(act: Act): { readonly invoice?: number; readonly amount?: number } | undefined {
    const live = this.subscription?.status === "over" ? undefined : this.subscription;
    switch (act.kind) {
      case "sign up":
        this.card = act.card;
        return {};
      case "join":
        if (live) return undefined;
        // What a trial is whose first invoice has something extra on it and fails is not published.
        if (act.trialDays > 0 && this.card === "bad" && this.waiting.length > 0) return undefined;
        this.join(act);
        return {};
      case "card breaks":
        this.card = "bad";
        return {};
      case "card mended":
        this.card = "good";
        if (act.pays) this.payOpen();
        return {};
      case "extra":
        this.wait({
          amount: act.amount,
          shown: act.amount,
          start: this.now,
          end: this.now,
          extra: true,
        });
        return {};
      case "refund":
        return this.refund(act.back, act.percent);
      case "dispute":
        // Money that the bank takes back does not change an invoice either.
        return this.refund(act.back, 100);
      default:
        return live && live.status !== "incomplete" && this.change(live, act) ? {} : undefined;
    }
  }

  private plan(at: number, run: () => void): void {
    this.plans.push({ at, run });
  }

  private join(act: Act & { kind: "join" }): void {
    const trial = act.trialDays > 0;
    const anchor = this.now + act.trialDays * DAY;
    const item = (product: Product, quantity: number): Item => ({ product, quantity, debits: [] });
    const subscription: Subscription = {
      status: trial ? "trialing" : "running",
      items: [item(act.plan, 1), ...(act.seats > 0 ? [item("seats", act.seats)] : [])],
      cycle: act.cycle,
      anchor,
      start: this.now,
      end: trial ? anchor : periodAfter(anchor, act.cycle, anchor),
      ends: false,
      discounts: this.discounts(act.coupons),
      itemized: act.itemized,
      metered: act.metered,
      used: 0,
    };
    this.subscription = subscription;
    this.watch(subscription);
    const bill = this.bill(subscription, "subscription_create", subscription.items);
    this.finalize(bill);
    if (this.collect(bill)) return;
    subscription.status = "incomplete";
    this.plan(this.now + INCOMPLETE_SECONDS, () => {
      if (subscription.status !== "incomplete") return;
      this.count("first invoice never paid");
      subscription.status = "over";
      this.void(bill);
    });
  }

  /** A repeating coupon lasts for so many months from when it was applied (API reference: discount). */
  private discounts(names: readonly string[]): Discount[] {
    return names.map((name) => {
      const coupon = COUPONS[name];
      if (coupon === undefined) throw new Error(`There is no coupon ${name}`);
      const { months } = coupon;
      const end = months === undefined ? Infinity : monthsAfter(this.now, months);
      return { coupon, end, used: false };
    });
  }

  /** Waits for the end of the current period. */
  private watch(subscription: Subscription): void {
    const { end } = subscription;
    this.plan(end, () => {
      if (subscription.status === "over" || subscription.end !== end) return;
      if (subscription.ends) this.endOfPeriod(subscription);
      else this.renew(subscription);
    });
  }

  /** What waits is left in place, and collected at the end (API reference: cancel a subscription). */
  private endOfPeriod(subscription: Subscription): void {
    this.count("ended with its period");
    subscription.status = "over";
    const usage = this.usage(subscription, subscription.end);
    // A metered subscription has a last invoice even if nothing was used.
    if (this.waiting.length === 0 && !subscription.metered) return;
    this.count("last invoice at the end of a period");
    this.later(this.bill(subscription, "subscription_cycle", [], usage), subscription);
  }

  private renew(subscription: Subscription): void {
    this.count("renewed");
    const { anchor, cycle } = subscription;
    subscription.status = "running";
    const usage = this.usage(subscription, subscription.end);
    subscription.start = subscription.end;
    subscription.end = periodAfter(anchor, cycle, subscription.start);
    this.watch(subscription);
    const bill = this.bill(subscription, "subscription_cycle", subscription.items, usage);
    this.later(bill, subscription);
  }

  /** An hour later it is finalized and collected, unless the subscription ended in between. */
  private later(bill: Bill, subscription: Subscription): void {
    const { status } = subscription;
    this.plan(this.now + DRAFT_SECONDS, () => {
      if (subscription.status === "over" && status !== "over") return;
      this.finalize(bill);
      this.attempt(bill, subscription, 0);
    });
  }

  /** Tries again for two weeks; then the subscription is over (docs: automatic collection). */
  private attempt(bill: Bill, subscription: Subscription, round: number): void {
    if (this.collect(bill)) {
      if (round > 0) this.count("recovered by a retry");
      return;
    }
    this.count("failed to collect");
    if (subscription.status === "over") return;
    const [days, before = 0] = [RETRY_DAYS[round], RETRY_DAYS[round - 1]];
    if (days === undefined) {
      this.count("ended for want of payment");
      subscription.status = "over";
      // What waits for an invoice of this subscription gets none.
      this.waiting = this.waiting.filter(({ extra }) => extra);
      return;
    }
    this.plan(this.now + (days - before) * DAY, () => {
      if (bill.status !== "open" || subscription.status === "over") return;
      this.attempt(bill, subscription, round + 1);
    });
  }

  private payOpen(): void {
    for (const bill of this.bills.filter(({ status }) => status === "open")) {
      this.count("paid by hand");
      this.collect(bill);
    }
    const { subscription } = this;
    if (subscription?.status === "incomplete") subscription.status = "running";
  }

  /** Money that goes back does not change an invoice (API reference: invoice, amount_paid). */
  private refund(back: number, percent: number) {
    const paid = this.bills.flatMap((bill, index) => (bill.paid > 0 ? index : []));
    const invoice = paid.at(-1 - back);
    const bill = invoice === undefined ? undefined : this.bills[invoice];
    if (invoice === undefined || bill === undefined) return undefined;
    const gone = this.refunded.get(invoice) ?? 0;
    const amount = Math.min(bill.paid - gone, Math.ceil((bill.paid * percent) / 100));
    if (amount <= 0) return undefined;
    this.refunded.set(invoice, gone + amount);
    return { invoice, amount };
  }

  /** Changes a subscription that was paid for; false if that is not possible. */
  private change(subscription: Subscription, act: Act): boolean {
    const [plan, seats] = subscription.items;
    if (plan === undefined) return false;
    const good = this.card === "good";
    switch (act.kind) {
      case "plan": {
        if (plan.product === act.plan || (act.behaviour === "always_invoice" && !good))
          return false;
        const items = [{ ...plan, product: act.plan }, ...(seats ? [seats] : [])];
        this.replace(subscription, items, act.behaviour);
        return true;
      }
      case "seats": {
        const same = (seats?.quantity ?? 0) === act.seats;
        if (same || (act.behaviour === "always_invoice" && !good)) return false;
        const changed: Item = {
          product: "seats",
          quantity: act.seats,
          debits: seats?.debits ?? [],
        };
        this.replace(subscription, act.seats > 0 ? [plan, changed] : [plan], act.behaviour);
        return true;
      }
      case "cycle":
        // What another interval makes of usage is not published.
        if (act.cycle === subscription.cycle || !good || subscription.metered) return false;
        subscription.cycle = act.cycle;
        // Another interval begins a new period and is billed at once (docs: prorations).
        if (subscription.status === "trialing") return true;
        if (act.behaviour !== "none") this.credit(subscription.items);
        this.begin(subscription);
        this.watch(subscription);
        return true;
      case "use":
        if (!subscription.metered) return false;
        subscription.used += act.units;
        return true;
      case "coupons":
        // Another coupon changes nothing of what was billed (docs: prorations).
        subscription.discounts = this.discounts(act.coupons);
        return true;
      case "end trial":
        if (subscription.status !== "trialing" || subscription.ends || !good) return false;
        subscription.status = "running";
        this.begin(subscription);
        this.watch(subscription);
        return true;
      case "cancel at period end":
      case "stay": {
        const ends = act.kind !== "stay";
        if (subscription.ends === ends) return false;
        subscription.ends = ends;
        return true;
      }
      case "cancel now":
        return this.cancel(subscription, act.credits, act.invoices);
      default:
        return false;
    }
  }

  /**
   * Other items within a period: credits for those that go, charges for those that come (docs:
   * prorations). Items that stay as they are have neither, and a trial costs nothing.
   */
  private replace(subscription: Subscription, items: Item[], behaviour: Behaviour): void {
    const { items: old, status } = subscription;
    if (status !== "trialing" && behaviour !== "none") {
      this.credit(old.filter((item) => !items.includes(item)));
      this.charge(subscription, items);
    }
    subscription.items = items;
    if (status !== "trialing" && behaviour === "always_invoice") this.billNow(subscription, []);
  }

  /**
   * At once nothing is credited and nothing billed unless it is asked for (API reference: cancel a
   * subscription, prorate and invoice_now). What becomes of items that wait then is not published.
   */
  private cancel(subscription: Subscription, credits: boolean, invoices: boolean): boolean {
    if (invoices ? this.card === "bad" : this.waiting.length > 0) return false;
    if (credits && subscription.status !== "trialing") this.credit(subscription.items);
    subscription.status = "over";
    // Usage counts to the end of this very second.
    const usage = invoices ? this.usage(subscription, this.now + 1) : [];
    const bills = invoices && (this.waiting.length > 0 || subscription.metered);
    if (bills) this.billNow(subscription, [], usage);
    return true;
  }
}
