/** What push does, what it leaves alone, and why: the parts of a plan. */
import type { Metadata } from "../core/plans/metadata.js";
import type { DesiredMeter, DesiredPrice } from "./desired.js";

/** One field that is to change, or was changed by hand. */
export interface Difference {
  readonly field: string;
  readonly from: string | null;
  readonly to: string | null;
}

/** One request to Stripe. Each is safe to repeat. */
export type Operation =
  | ({ readonly do: "create_meter" } & DesiredMeter)
  | { readonly do: "reactivate_meter"; readonly id: string; readonly eventName: string }
  | {
      readonly do: "create_product" | "update_product";
      readonly id: string;
      readonly name: string;
      readonly active: boolean;
      /** An empty value takes a key away. */
      readonly metadata: Metadata;
      readonly differences: readonly Difference[];
    }
  | ({
      readonly do: "create_price";
      readonly product: string;
      /** Whether another price of the application gives its key up for this one. */
      readonly takesKey: boolean;
      /** The prices that the slot has had: the key of the request differs with them. */
      readonly after: readonly string[];
    } & DesiredPrice)
  | {
      readonly do: "update_price";
      readonly id: string;
      readonly product: string;
      readonly slot: string;
      readonly key: string;
      readonly takesKey: boolean;
      readonly metadata: Metadata;
      readonly differences: readonly Difference[];
    }
  | {
      readonly do: "set_default";
      readonly product: string;
      readonly from: string | null;
      /** The price by its id, or by its slot where it is yet to be made; null for none. */
      readonly to: { readonly id: string } | { readonly slot: string } | null;
    }
  | {
      readonly do: "archive_price";
      readonly id: string;
      readonly product: string;
      readonly slot: string;
      readonly metadata: Metadata;
    };

/** An object that was edited by hand: left alone unless overwriting is asked for. */
export interface Drift {
  readonly object: "product" | "price";
  readonly id: string;
  readonly place: string;
  readonly differences: readonly Difference[];
}

/** What push never does, with what to do instead. */
export interface Conflict {
  readonly place: string;
  readonly id: string;
  readonly message: string;
}

/** What is at Stripe and was not made by push for this application. */
export interface Unmanaged {
  readonly object: "product" | "price";
  readonly id: string;
  readonly name: string;
  /** The application whose push made it. */
  readonly app: string | null;
}

export interface PushPlan {
  /** In the order in which they are done. */
  readonly operations: readonly Operation[];
  readonly drift: readonly Drift[];
  readonly conflicts: readonly Conflict[];
  readonly unmanaged: readonly Unmanaged[];
}

/** A part of a plan, while it is made. */
export interface Part {
  readonly operations: readonly Operation[];
  readonly drift: readonly Drift[];
  readonly conflicts: readonly Conflict[];
}

export const NOTHING: Part = { operations: [], drift: [], conflicts: [] };

export const joined = (parts: readonly Part[]): Part => ({
  operations: parts.flatMap(({ operations }) => operations),
  drift: parts.flatMap(({ drift }) => drift),
  conflicts: parts.flatMap(({ conflicts }) => conflicts),
});

/** What is asked of the plan, and what it is made from. */
export interface Situation {
  readonly app: string;
  /** Whether what was edited by hand is overwritten. */
  readonly overwrites: boolean;
}

/** A change, or a drift where an object was edited by hand. */
export const unlessEdited = (
  { overwrites }: Situation,
  edited: boolean,
  drift: Drift,
  operation: Operation,
): Part => {
  // mutant "an edit by hand overwritten"
  if (edited && !overwrites) return { ...NOTHING, drift: [drift] };
  return { ...NOTHING, operations: [operation] };
};
