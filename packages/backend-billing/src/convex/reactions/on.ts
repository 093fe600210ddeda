/** What an application writes under `on` on Convex, as types. */
import type { FunctionReference } from "convex/server";
import type Stripe from "stripe";
import type { ResourceName, StripeObject } from "../../core/catalogue/catalogue.js";
import type { Change, RawEvent } from "../../core/reactions/change.js";
import type { BillingEvent, EventName } from "../../core/reactions/event.js";

/**
 * An internal mutation of the application, such as `internal.hooks.started`. What it writes happens
 * exactly once: it commits together with the mark that it was told. One that throws is called again,
 * later.
 */
export type Reaction<Args extends { [name: string]: unknown }> = FunctionReference<
  "mutation",
  "internal",
  Args,
  unknown
>;

/**
 * What an application does when something has happened: the internal mutations that are told of it.
 * `onEvent` and `onChange` of `createLocal` are their arguments. Names that Convex refuses in
 * documents, such as some keys of metadata, are escaped; `decode` gives them back.
 *
 * @example
 * ```ts
 * import type { Reactions } from "backend-billing/convex";
 * import { makeFunctionReference } from "convex/server";
 *
 * // In an application: `internal.teams.close`.
 * const close = makeFunctionReference<"mutation">("teams:close") as unknown as Reactions["access.lost"];
 *
 * export const on: Reactions = { "access.lost": close };
 * ```
 */
export type Reactions = {
  readonly [N in EventName]?: Reaction<{ event: BillingEvent<N> }> | undefined;
} & {
  /** Rows as they change, whether or not an entity owns them. */
  readonly change?:
    | { readonly [R in ResourceName]?: Reaction<{ change: Change<StripeObject<R>> }> | undefined }
    | undefined;
  /** Events of Stripe's that nothing in the mirror comes from. */
  readonly stripe?:
    | { readonly [E in Stripe.Event.Type]?: Reaction<{ event: RawEvent<E> }> | undefined }
    | undefined;
};
