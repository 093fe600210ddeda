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

export class Account {
  /** The second of the last taking; an application's clock does not go back. */
  askedUntil = 0;
  /** How often more was shown than the plan of that moment includes. */
  kept = 0;
  private readonly world = emptyWorld();
  private readonly given: Given = new Map();
  /** The second of what was told last. */
  private told = 0;

  constructor(
    readonly entity: number,
    readonly customer: string,
  ) {}

  /** What was included until the second before a change was given, whether or not any of it was taken. */
  learn(events: readonly Logged[]): void {
    for (const event of events) {
      if (event.created > this.told) {
        const until = event.created - 1;
        const share = shareOf(this.world, until, until);
        for (const feature of FEATURES) take(this.given, share, feature, 0);
      }
      this.told = event.created;
      learn(this.world, event);
    }
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
