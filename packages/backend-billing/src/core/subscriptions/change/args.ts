/** What the calls of a running subscription take and answer. */
import { checkSetup } from "../../customers/setup.js";
import { BillingError } from "../../runtime/errors.js";
import { checkQuantity } from "../offers.js";
import type { Subscribed } from "../state.js";

/** Whose subscription: of one group, where an entity may have several. */
export interface OfEntity {
  readonly entityId: string;
  /** The group of products that the subscription is of. Default `"main"`. */
  readonly group?: string | undefined;
}

/** When something happens to a subscription. */
export interface When {
  readonly at?: "now" | "period_end" | undefined;
}

type Priced =
  | { readonly priceId: string; readonly lookupKey?: never }
  | { readonly lookupKey: string; readonly priceId?: never };

/** What `change` and `preview` take: another price, another quantity, or both. */
export type ChangeArgs = OfEntity &
  When & {
    /** What the difference for the rest of the period becomes. Default `"always_invoice"`. */
    readonly proration?: "always_invoice" | "create_prorations" | "none" | undefined;
    /** Which item is changed, where a subscription has several that it could be. */
    readonly itemId?: string | undefined;
  } & (
    | (Priced & { readonly quantity?: number | undefined })
    | { readonly quantity: number; readonly priceId?: never; readonly lookupKey?: never }
  );

/** What `cancel` takes. */
export type CancelArgs = OfEntity & When;

/** What `resume` takes. */
export type ResumeArgs = OfEntity;

/** What a change would cost. Amounts are in the smallest unit of the currency. */
export interface Preview {
  readonly currency: string;
  /** What is charged at once; 0 if nothing is. */
  readonly dueNow: number;
  /** What the next invoice is expected to be, and when; null if none follows. */
  readonly next: { readonly at: number; readonly amount: number } | null;
  readonly lines: readonly {
    readonly description: string;
    readonly amount: number;
    readonly isProration: boolean;
  }[];
  /** Given to `change` within the hour, the change costs what was shown. Signed, so a browser may carry it. */
  readonly quote: string;
}

/** What became of a change. */
export type Changed<P = string | null> =
  | { readonly state: "changed"; readonly subscription: Subscribed<P> }
  | { readonly state: "scheduled"; readonly subscription: Subscribed<P> }
  /** The bank asks for the person: nothing changes before they have paid at `url`. */
  | {
      readonly state: "payment_required";
      readonly url: string;
      readonly subscription: Subscribed<P>;
    };

const TIMES: readonly unknown[] = [undefined, "now", "period_end"];
const PRORATIONS: readonly unknown[] = [
  undefined,
  "always_invoice",
  "create_prorations",
  "none",
] satisfies readonly ChangeArgs["proration"][];

/** Refuses arguments that no change could have. A browser may have sent them. */
export function checkChange(args: ChangeArgs): void {
  checkWhen(args);
  const { priceId, lookupKey, quantity, itemId, proration } = args;
  if (!PRORATIONS.includes(proration)) {
    throw invalid(
      '`proration` must be "always_invoice", "create_prorations" or "none", or be left out.',
    );
  }
  if (priceId !== undefined && lookupKey !== undefined) {
    throw invalid("`priceId` and `lookupKey` name the same thing. Give one of them.");
  }
  if ((priceId ?? lookupKey ?? quantity) === undefined) {
    throw invalid("Give what changes: `priceId`, `lookupKey` or `quantity`.");
  }
  for (const [name, value] of Object.entries({ priceId, lookupKey, itemId })) {
    if (value !== undefined && (typeof value !== "string" || value === "")) {
      throw invalid(`\`${name}\` must be a text that is not empty.`);
    }
  }
  checkQuantity(quantity);
}

export function checkWhen(args: OfEntity & When): void {
  checkOf(args);
  if (!TIMES.includes(args.at)) throw invalid('`at` must be "now" or "period_end".');
}

export function checkOf({ entityId, group }: OfEntity): void {
  checkSetup({ entityId });
  if (group !== undefined && (typeof group !== "string" || group === "")) {
    throw invalid("`group` must be a text that is not empty.");
  }
}

export const invalid = (message: string): BillingError =>
  new BillingError("invalid_argument", message);
