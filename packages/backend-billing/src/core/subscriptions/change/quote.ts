/**
 * Quotes: what a preview has shown, signed, so that a browser may hold it and not choose the
 * cheapest second. A quote says what it was given for; a change compares that with what it would do.
 */
import type { BillingConfig } from "../../runtime/config.js";
import { BillingError } from "../../runtime/errors.js";
import { fromBase64Url, isSignedBy, signatureOf, toBase64Url } from "../../runtime/signature.js";
import type { Item, ItemChange } from "../terms/items.js";
import { invalid } from "./args.js";

/** Seconds for which a quote is good. */
const LIFE = 60 * 60;

/** What a quote was given for. */
export interface Quoted {
  readonly entityId: string;
  readonly subscriptionId: string;
  readonly at: "now" | "period_end";
  readonly proration: string;
  /** The items as they were, and the second in which their period began: a renewal makes it another cost. */
  readonly before: readonly (readonly [
    id: string,
    price: string,
    quantity: number | null,
    since: number,
  ])[];
  readonly changes: readonly ItemChange[];
}

/** What it promises. */
export interface Promised {
  /** Seconds: the moment from which on the difference counts; null where nothing is prorated. */
  readonly prorationDate: number | null;
  readonly dueNow: number;
}

interface Payload {
  readonly for: Quoted;
  readonly promised: Promised;
  /** Seconds. */
  readonly until: number;
}

type Running = Item & { readonly current_period_start: number };

export const itemsBefore = (items: readonly Running[]): Quoted["before"] =>
  items.map(({ id, price, quantity, current_period_start: since }) => {
    return [id, price.id, quantity ?? null, since] as const;
  });

export async function quoteOf(
  config: BillingConfig,
  quoted: Quoted,
  promised: Promised,
  now: number,
): Promise<string> {
  const payload: Payload = { for: quoted, promised, until: Math.floor(now / 1000) + LIFE };
  const data = toBase64Url(new TextEncoder().encode(JSON.stringify(payload)));
  return `${data}~${await signatureOf(config, "quote", data)}`;
}

/** What a quote promises, if it is ours, still good, and was given for just this. */
export async function promisedBy(
  config: BillingConfig,
  quote: unknown,
  asked: Quoted,
  now: number,
): Promise<Promised> {
  const [data = "", signature = ""] = typeof quote === "string" ? quote.split("~", 2) : [];
  const content = fromBase64Url(data);
  if (content === undefined || !(await isSignedBy(config, "quote", data, signature))) {
    throw invalid("`quote` is not one that `preview` has answered.");
  }
  const payload = JSON.parse(new TextDecoder().decode(content)) as Payload;
  if (payload.until * 1000 <= now) {
    throw expired("The quote is older than an hour.");
  }
  if (JSON.stringify(payload.for) !== JSON.stringify(asked)) {
    throw expired("The quote was given for another change, or the subscription has changed since.");
  }
  return payload.promised;
}

export const expired = (reason: string): BillingError =>
  new BillingError("quote_expired", `${reason} Nothing was changed: show a new preview.`);
