/** What the oracle knows of one entity: Stripe's log of it, and what was given and taken. */
import type { Logged } from "../tellings/log.js";
import {
  emptyWorld,
  FEATURES,
  type Feature,
  type Given,
  learn,
  type Share,
  type Shown,
  shareOf,
  shownOf,
  take,
} from "./oracle.js";

/** When it is asked, in milliseconds, and until which second the log is known. */
export interface Asked {
  readonly known: number;
  readonly at: number;
}

interface Item {
  readonly current_period_start: number;
  readonly price: { readonly product: string };
}

export class Account {
  /** The second of the last taking; an application's clock does not go back. */
  askedUntil = 0;
  /** How often more was shown than the plan of that moment includes. */
  kept = 0;
  private readonly world = emptyWorld();
  private readonly given: Given = new Map();
  /** The second of what was told last, and what was included before it. */
  private told = 0;
  private before: Share | undefined;
  /** Of what something was included before a change in that second. */
  private changed: readonly Feature[] = [];
  /** The status and the products of each subscription, and its period, as they were told last. */
  private readonly states = new Map<string, { readonly state: string; readonly began: number }>();

  constructor(
    readonly entity: number,
    readonly customer: string,
  ) {}

  /**
   * What was included until the second before another plan or a pause was given, whether or not any of
   * it was taken, and so is what is included from then on. What is past due was given only that, and
   * what was taken from.
   */
  learn(events: readonly Logged[]): void {
    for (const event of events) {
      if (event.created > this.told) this.pass(event.created);
      if (this.isChanged(event)) {
        this.give(this.before, FEATURES);
        this.changed = FEATURES.filter((feature) => this.wasIncluded(feature));
      }
      learn(this.world, event);
    }
    this.pass(this.told);
  }

  private pass(second: number): void {
    this.give(shareOf(this.world, this.told, this.told), this.changed);
    this.changed = [];
    if (second > this.told) this.before = shareOf(this.world, second - 1, second - 1);
    this.told = second;
  }

  private give(share: Share | undefined, features: readonly Feature[]): void {
    if (share === undefined) return;
    for (const feature of features) take(this.given, share, feature, 0);
  }

  private wasIncluded(feature: Feature): boolean {
    return this.before !== undefined && shownOf(new Map(), this.before, feature).granted > 0;
  }

  private isChanged({ type, object }: Logged): boolean {
    if (!type.startsWith("customer.subscription.")) return false;
    const { data } = object.items as { data: readonly Item[] };
    const state = [object.status, ...data.map(({ price }) => price.product)].join(" ");
    const began = Math.min(...data.map((item) => item.current_period_start));
    const last = this.states.get(object.id);
    this.states.set(object.id, { state, began });
    if (last === undefined || last.state === state || last.began !== began) return false;
    if (!/^(active|trialing) /.test(last.state)) return false;
    return object.status !== "past_due" && object.status !== "canceled";
  }

  shareAt({ known, at }: Asked): Share {
    return shareOf(this.world, known, Math.floor(at / 1000));
  }

  shown(asked: Asked): { readonly [name in Feature]: Shown } {
    const share = this.shareAt(asked);
    const [credits, calls] = [
      shownOf(this.given, share, "credits"),
      shownOf(this.given, share, "calls"),
    ];
    if (credits.granted > shownOf(new Map(), share, "credits").granted) this.kept++;
    return { credits, calls };
  }

  take(asked: Asked, feature: Feature, amount: number): boolean {
    return take(this.given, this.shareAt(asked), feature, amount);
  }

  /** What is the case, in words that are counted. */
  circumstances(known: number): readonly string[] {
    const { plan, isOwed, from, until } = this.shareAt({ known, at: known * 1000 });
    const [newest] = [...this.world.subscriptions.values()].slice(-1);
    const recurring = newest?.items.data[0]?.price.recurring;
    const invoice = this.world.invoices.get(String(newest?.latest_invoice));
    const isOpen = invoice?.status === "open" && invoice.billing_reason === "subscription_update";
    const dayOf = (second: number) => new Date(second * 1000).toISOString().slice(5, 10);
    return [
      `plan ${plan}`,
      `status ${newest?.status}`,
      ...(plan === "free" ? [] : [`cycle ${recurring?.interval_count} ${recurring?.interval}`]),
      ...(isOwed ? ["past due, with access"] : []),
      ...(isOpen ? [`status ${newest?.status}, and the invoice of a change is open`] : []),
      ...([from, until].some((second) => dayOf(second) === "02-29") ? ["a leap day"] : []),
    ];
  }

  report(what: string, asked: Asked, is: object, must: object): string {
    const share = this.shareAt(asked);
    const told = [...this.world.subscriptions.values()].map((each) => {
      const [item] = each.items.data;
      return `  ${each.id} ${each.status} ${item?.price.product} by ${item?.price.recurring?.interval_count} ${item?.price.recurring?.interval}, anchor ${timeOf(each.billing_cycle_anchor)}, ${timeOf(item?.current_period_start ?? 0)} to ${timeOf(item?.current_period_end ?? 0)}${each.cancel_at_period_end ? ", ends" : ""}`;
    });
    return [
      `entity ${this.entity}, ${what} at ${timeOf(asked.at / 1000)}, mirrored ${timeOf(asked.known)}`,
      `  answered ${JSON.stringify(is)}`,
      `  should be ${JSON.stringify(must)} by ${JSON.stringify(share)}`,
      ...told,
    ].join("\n");
  }
}

const timeOf = (seconds: number): string => new Date(seconds * 1000).toISOString();
