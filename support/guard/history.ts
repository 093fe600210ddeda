/**
 * What a history of the guard is: who wants to subscribe when, what people do with the pages that
 * they are given, and all that goes wrong, as plain numbers and words that can be made up, made
 * smaller, and read. Times are milliseconds since the history began, unless they say otherwise.
 */

/** What is ordered; shop.ts knows the prices. `addon` is of another group, `both` of two. */
export const ORDERS = ["basic", "pro", "seats", "trial", "addon", "both"] as const;
export type OrderName = (typeof ORDERS)[number];

export interface PaymentPlan {
  /** Milliseconds after the page was handed out. */
  readonly after: number;
  readonly card: "good" | "declined";
  /** Milliseconds after which the subscription ends that is bought so; null for never. */
  readonly ends: number | null;
}

export interface CallerPlan {
  readonly at: number;
  /** The process that it calls in. */
  readonly process: number;
  readonly variant: "A" | "B";
  readonly order: OrderName;
  readonly ui: "hosted" | "embedded";
  /** Its own idempotency key, which others of the same order may have too. Only variant A takes one. */
  readonly key: string | null;
  /** What the person does with the page, if it can be paid. */
  readonly payments: readonly PaymentPlan[];
}

/** The store as it was, at a later moment: what was written in between is gone. */
export interface RestorePlan {
  readonly at: number;
  /** Milliseconds that are lost. */
  readonly loses: number;
}

/** A subscription that somebody makes in Stripe's dashboard. */
export interface DashboardPlan {
  readonly at: number;
  readonly order: OrderName;
  readonly ends: number | null;
}

/** How Stripe answers a request, and whether that was before or after its effect. */
export type Answer =
  | "good"
  | "limited"
  | "lost before"
  | "lost after"
  | "failed before"
  | "failed after";

export interface History {
  readonly callers: readonly CallerPlan[];
  /** Whether all that exists at Stripe was listed when the history begins. */
  readonly isFilled: boolean;
  /** Whether the entity has a customer by then. */
  readonly hasCustomer: boolean;
  /** Moments at which a catch-up with Stripe's events begins. */
  readonly catchUps: readonly number[];
  readonly dashboard: readonly DashboardPlan[];
  readonly restores: readonly RestorePlan[];
  /** Processes that are killed as they come to their so-and-so-manieth gate. */
  readonly crashes: readonly { readonly process: number; readonly gate: number }[];
  /** Each of these goes round and round: whoever needs one takes the next. */
  readonly waits: readonly number[];
  readonly travels: readonly number[];
  readonly answers: readonly Answer[];
  readonly stores: readonly ("good" | "fails before" | "fails after")[];
  /** Milliseconds until an event is delivered; null: it is lost. */
  readonly deliveries: readonly (number | null)[];
}

export const PROCESSES = 4;

/** When the last of what was planned happens, as far as it is known before. */
export function endOf({ callers, restores, dashboard, catchUps }: History): number {
  const pages = callers.flatMap(({ at, payments }) =>
    payments.map(({ after, ends }) => at + after + (ends ?? 0)),
  );
  const made = dashboard.map(({ at, ends }) => at + (ends ?? 0));
  const moments = [...callers.map(({ at }) => at), ...restores.map(({ at }) => at), ...catchUps];
  return Math.max(0, ...pages, ...made, ...moments) + 60 * 60_000;
}
