/** The money of one customer: what waits, what was billed, credited and paid, and the balance. */
import { afterDiscounts, periodAfter, settle, timeShare } from "./rules.js";
import { type Coupon, type CycleName, PRICES, type Product } from "./script.js";

/** A line as it must be: what it costs after discounts, and the time that it is for. */
export interface Line {
  readonly amount: number;
  readonly start: number;
  readonly end: number;
}

export interface Bill {
  readonly created: number;
  readonly reason: "subscription_create" | "subscription_cycle" | "subscription_update";
  readonly lines: readonly Line[];
  readonly total: number;
  status: "draft" | "open" | "paid" | "void";
  /** The customer's balance before it. */
  balance: number;
  due: number;
  paid: number;
}

/** What was billed for an item and a time; a credit ends it earlier. */
interface Debit extends Line {
  /** What its line shows: the amount before discounts where these are itemized. */
  readonly shown: number;
  until: number;
}

export interface Item {
  readonly product: Product;
  readonly quantity: number;
  readonly debits: Debit[];
}

export interface Discount {
  readonly coupon: Coupon;
  readonly end: number;
  used: boolean;
}

/** What waits for the next invoice: a proration, or something extra, which coupons apply to. */
interface Waiting extends Line {
  /** What its line shows. A line that shows something is made even if discounts leave nothing. */
  readonly shown: number;
  readonly extra: boolean;
}

export interface Subscription {
  status: "incomplete" | "trialing" | "running" | "over";
  items: Item[];
  cycle: CycleName;
  anchor: number;
  start: number;
  end: number;
  /** Whether it ends with its period. */
  ends: boolean;
  discounts: Discount[];
  /** Whether prorations show their discounts (changelog 2025-09-30). */
  readonly itemized: boolean;
  readonly metered: boolean;
  /** The units used in the current period. */
  used: number;
}

export class Books {
  readonly bills: Bill[] = [];
  readonly outcomes: { [name: string]: number } = {};
  balance = 0;
  protected now = 0;
  protected card: "good" | "bad" = "good";
  protected waiting: Waiting[] = [];

  protected count(outcome: string): void {
    this.outcomes[outcome] = (this.outcomes[outcome] ?? 0) + 1;
  }

  protected wait(line: Waiting): void {
    if (line.shown !== 0) this.waiting.push(line);
  }

  /** Those that count now: `once` is for one invoice, which costs something (changelog 2013-10-29). */
  private inForce({ discounts }: Subscription): Discount[] {
    return discounts.filter(
      ({ coupon, end, used }) => this.now < end && !(coupon.duration === "once" && used),
    );
  }

  /** A new invoice: what waits, and the current period of these items; nothing for a trial. */
  protected bill(
    subscription: Subscription,
    reason: Bill["reason"],
    items: readonly Item[],
    usage: readonly Line[] = [],
  ): Bill {
    const { start, end } = subscription;
    const discounts = this.inForce(subscription);
    // Coupons do not apply to prorations and credits (API reference: invoice item, discountable).
    const gross = [
      ...this.waiting.map(({ amount, extra }) => ({ amount: extra && amount > 0 ? amount : 0 })),
      ...usage.map(({ amount }) => ({ amount, product: "usage" })),
      ...wholePrices(items, subscription.cycle).map((price) =>
        subscription.status === "trialing" ? { ...price, amount: 0 } : price,
      ),
    ];
    const net = afterDiscounts(gross, couponsOf(discounts));
    const waiting = this.waiting.map((line, index) => ({
      ...line,
      amount: gross[index]?.amount ? (net[index] ?? 0) : line.amount,
    }));
    const used = usage.map((line, index) => ({
      ...line,
      amount: net[waiting.length + index] ?? 0,
    }));
    const before = waiting.length + used.length;
    const periods = items.map(({ debits }, index) => {
      const line = { amount: net[before + index] ?? 0, start, end };
      const shown = subscription.itemized ? (gross[before + index]?.amount ?? 0) : line.amount;
      debits.push({ ...line, shown, until: end });
      return line;
    });
    const shown = [...gross.map(({ amount }) => amount), ...this.waiting.map((line) => line.shown)];
    if (shown.some((amount) => amount > 0)) {
      for (const discount of discounts) discount.used = true;
    }
    this.waiting = [];
    const lines = [...waiting, ...used, ...periods].filter(({ amount }) => amount !== 0);
    const total = lines.reduce((sum, { amount }) => sum + amount, 0);
    const { due } = settle(total, this.balance);
    const { now: created, balance } = this;
    const bill: Bill = { created, reason, lines, total, status: "draft", balance, due, paid: 0 };
    this.bills.push(bill);
    return bill;
  }

  /**
   * What was used since the period began, billed in arrears when it ends (docs: usage-based billing).
   * Nothing of it is left afterwards.
   */
  protected usage(subscription: Subscription, end: number): Line[] {
    const { used, cycle, start } = subscription;
    subscription.used = 0;
    if (used === 0) return [];
    this.count("usage billed");
    return [{ amount: PRICES.usage[cycle] * used, start, end }];
  }

  protected finalize(bill: Bill): void {
    const { due, balance } = settle(bill.total, this.balance);
    if (due === 0 && bill.total > 0) this.count("covered by a balance, or too small to charge");
    if (balance < 0 && bill.total < 0) this.count("credit on the balance");
    bill.balance = this.balance;
    this.balance = balance;
    bill.due = due;
    bill.status = due === 0 ? "paid" : "open";
  }

  /** Tries to be paid, and says whether it is. */
  protected collect(bill: Bill): boolean {
    if (bill.status === "open" && this.card === "good") {
      bill.status = "paid";
      bill.paid = bill.due;
    }
    return bill.status === "paid";
  }

  /** The balance that an invoice took comes back when it is void (changelog 2019-12-03). */
  protected void(bill: Bill): void {
    bill.status = "void";
    if (bill.balance !== 0) this.count("balance of a void invoice given back");
    this.balance += bill.balance;
  }

  /** Billed, finalized and collected at once. */
  protected billNow(
    subscription: Subscription,
    items: readonly Item[],
    usage: readonly Line[] = [],
  ): void {
    const bill = this.bill(subscription, "subscription_update", items, usage);
    this.finalize(bill);
    this.collect(bill);
  }

  /**
   * A credit for what was debited for the rest of the time, each debit by itself (docs: prorations;
   * flexible billing mode: credits are for what was billed).
   */
  protected credit(items: readonly Item[]): void {
    for (const debit of items.flatMap(({ debits }) => debits)) {
      const { amount, start, end, until } = debit;
      if (until <= this.now) continue;
      const unused = (whole: number) => -timeShare(whole, until - this.now, end - start);
      const line = { amount: unused(amount), start: this.now, end: until };
      this.wait({ ...line, shown: unused(debit.shown), extra: false });
      debit.until = this.now;
    }
  }

  /** A charge for the rest of the period, for those of the items that are new. */
  protected charge(subscription: Subscription, items: readonly Item[]): void {
    const { start, end, cycle, items: old } = subscription;
    // A coupon counts for a charge as for a whole period (Stripe staff, api-discuss C7yM2sNZhjU).
    const coupons = couponsOf(this.inForce(subscription));
    const gross = wholePrices(items, cycle);
    const rest = (whole: number) => timeShare(whole, end - this.now, end - start);
    afterDiscounts(gross, coupons).forEach((net, index) => {
      const item = items[index];
      if (item === undefined || old.includes(item)) return;
      const line = { amount: rest(net), start: this.now, end };
      const shown = subscription.itemized ? rest(gross[index]?.amount ?? 0) : line.amount;
      item.debits.push({ ...line, shown, until: end });
      this.wait({ ...line, shown, extra: false });
    });
  }

  /** Begins the periods anew. What was debited before and not credited is not credited later. */
  protected begin(subscription: Subscription): void {
    for (const { debits } of subscription.items) debits.length = 0;
    subscription.anchor = this.now;
    subscription.start = this.now;
    subscription.end = periodAfter(this.now, subscription.cycle, this.now);
    this.billNow(subscription, subscription.items);
  }
}

/** What items cost for a whole period, before coupons. */
const wholePrices = (items: readonly Item[], cycle: CycleName) =>
  items.map(({ product, quantity }) => ({ amount: PRICES[product][cycle] * quantity, product }));

const couponsOf = (discounts: readonly Discount[]) => discounts.map(({ coupon }) => coupon);
