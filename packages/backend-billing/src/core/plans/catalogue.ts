/**
 * The application's own catalogue, as types: what it sells and what each plan includes, in code. Pure
 * data without dependencies, so that queries and browsers can load it. What can be said here, Stripe
 * can hold.
 */
import type { AccessPolicy } from "./access.js";
import type { Money, RecurringPrice } from "./money.js";

/** Over groups, the numbers of a limit add up, or the highest counts. */
export type LimitKind = "limit" | { readonly limit: "sum" | "highest" };

/** `credits` are a balance; a meter is a balance whose overage Stripe can bill. */
export type FeatureKind = "boolean" | LimitKind | "credits" | { readonly meter: string };

/** What of a balance a plan includes each period. */
export interface Included {
  readonly included: number;
}

/** What of a metered feature a plan includes, what each unit beyond costs, and where it ends. */
export interface Metered {
  readonly included?: number;
  /** Without it, what is included is the limit. */
  readonly overage?: Money;
  readonly cap?: number;
}

/** What a plan says of a feature; what it leaves out is off, or 0. */
export type FeatureValue<K> = K extends "boolean"
  ? boolean
  : K extends LimitKind
    ? number | "unlimited"
    : K extends "credits"
      ? Included
      : Metered;

/** What plans can contain, by names of the application's own. */
export interface Features {
  readonly [feature: string]: FeatureKind;
}

/** What a group of customers pays, and what it has for that. */
export interface AnyPlan {
  readonly name: string;
  /** What entities have that have access to no other plan of the group. It has no prices. */
  readonly default?: true;
  /** Plans of a group exclude each other; over groups, gates are or-ed and numbers add up. Default `"main"`. */
  readonly group?: string;
  /** Each is sold by its key `<plan>:<price>`, together with what the plan bills by usage. */
  readonly prices?: { readonly [price: string]: RecurringPrice };
  /** Given once for each entity and group. */
  readonly trialDays?: number;
  readonly features?: { readonly [feature: string]: FeatureValue<FeatureKind> };
  /** Sold no more, kept for its subscribers. */
  readonly retired?: true;
  /** The name under which it was first pushed: its product at Stripe keeps that. */
  readonly was?: string;
}

/** The plans by their names, which are in the keys of their prices. */
export interface Plans {
  readonly [plan: string]: AnyPlan;
}

/** Something that is bought once. */
export interface AnyPack {
  readonly name: string;
  readonly price: Money;
  /** Units of features with a balance, given when it is paid by `pay`; a refund takes back what is left. */
  readonly credits?: { readonly [feature: string]: number };
}

/** One-time purchases, sold by their name. */
export interface Packs {
  readonly [pack: string]: AnyPack;
}

/** Whether prices include tax; set once for all, because Stripe never changes it for a price. */
export type TaxBehavior = "inclusive" | "exclusive";

/** A catalogue, whatever it sells. */
export interface AnyCatalogue {
  /** Null without plans and packs. */
  readonly app: string | null;
  readonly features: Features;
  readonly plans: Plans;
  readonly packs: Packs;
  readonly access: AccessPolicy;
  readonly taxBehavior: TaxBehavior | null;
}

/** A catalogue with the names that it defines. */
export interface Catalogue<F extends Features, P extends Plans, K extends Packs>
  extends AnyCatalogue {
  readonly features: F;
  readonly plans: P;
  readonly packs: K;
  /** `catalogue.keys.pro.monthly` is `"pro:monthly"`. */
  readonly keys: {
    readonly [N in keyof P & string]: { readonly [M in PriceIn<P[N]>]: `${N}:${M}` };
  };
  /** For what a browser sends. What is not sold is refused when it is sold, too. */
  isKey(value: unknown): value is PriceKey<Catalogue<F, P, K>>;
}

/** What an application says of its catalogue. */
export interface CatalogueDefinition<F extends Features, P extends Plans, K extends Packs> {
  /**
   * The name of what is pushed to Stripe: products get the id `<app>_<plan>`. Never change it. Where
   * the setting `app` is used, it is the same name.
   */
  readonly app?: string;
  readonly features?: F;
  readonly plans?: P & CheckedPlans<F, P>;
  readonly packs?: K & CheckedPacks<F, K>;
  /** Here and not in the settings, because reads on Convex see no settings. Default: 14 days. */
  readonly access?: AccessPolicy | undefined;
  /** Whether prices include tax. Default: as the Stripe account says. */
  readonly taxBehavior?: TaxBehavior;
}

/** A feature that is unknown, or given a value of another kind, is an error at its own line. */
export type CheckedPlans<F, P> = {
  readonly [N in keyof P]: P[N] extends { readonly features: infer X }
    ? {
        readonly features: {
          readonly [K in keyof X]: K extends keyof F ? FeatureValue<F[K]> : never;
        };
      }
    : unknown;
};

/** The same of packs: their credits are of a feature that has a balance. */
export type CheckedPacks<F, K> = {
  readonly [N in keyof K]: K[N] extends { readonly credits: infer X }
    ? {
        readonly credits: {
          readonly [B in keyof X]: B extends Of<F, BalanceKind> ? number : never;
        };
      }
    : unknown;
};

/** The kinds of features that have a balance. */
export type BalanceKind = "credits" | { readonly meter: string };

type PriceIn<P> = P extends { readonly prices: infer X } ? keyof X & string : never;

/** The features of a kind; any text where the catalogue defines none. */
type Of<F, Kind> = [keyof F] extends [never]
  ? string
  : string extends keyof F
    ? string
    : { [N in keyof F]: F[N] extends Kind ? N : never }[keyof F] & string;

type GroupOf<P> = P extends { readonly group: infer G extends string } ? G : "main";

type Defaulted<P> = {
  [N in keyof P]: P[N] extends { readonly default: true } ? GroupOf<P[N]> : never;
}[keyof P];

type IsOpen<P> = [keyof P] extends [never] ? true : string extends keyof P ? true : false;

/** The names of a catalogue's plans; any text where it defines none. */
export type PlanName<C extends AnyCatalogue> =
  IsOpen<C["plans"]> extends true ? string : keyof C["plans"] & string;

/** The plan that applies: never null if every group has a default. */
export type PlanOf<C extends AnyCatalogue> =
  IsOpen<C["plans"]> extends true
    ? string | null
    :
        | PlanName<C>
        | (GroupOf<C["plans"][keyof C["plans"]]> extends Defaulted<C["plans"]> ? never : null);

/** The keys by which a catalogue's plans are sold. */
export type PriceKey<C extends AnyCatalogue> =
  IsOpen<C["plans"]> extends true
    ? string
    : { [N in PlanName<C>]: `${N}:${PriceIn<C["plans"][N]>}` }[PlanName<C>];

/** The keys by which its packs are sold. */
export type PackKey<C extends AnyCatalogue> =
  IsOpen<C["packs"]> extends true ? string : keyof C["packs"] & string;

/** Its features that are numbers. */
export type LimitName<C extends AnyCatalogue> = Of<C["features"], LimitKind>;

/** Its features that have a balance. */
export type BalanceName<C extends AnyCatalogue> = Of<C["features"], BalanceKind>;

/** Its features that are on or off, and those of which a unit can be taken. */
export type GateName<C extends AnyCatalogue> = Of<C["features"], "boolean"> | BalanceName<C>;

/** The names by which calls know what a catalogue defines: any text where there is none. */
export interface Names {
  readonly plan: string | null;
  readonly gate: string;
  readonly limit: string;
  readonly balance: string;
}

/**
 * The names of a catalogue. A type with such names is one with any: they are worked out here, because
 * the compiler takes a type by its catalogue for another one than the same by any catalogue.
 */
export type NamesOf<C extends AnyCatalogue> = C extends AnyCatalogue
  ? {
      readonly plan: PlanOf<C>;
      readonly gate: GateName<C>;
      readonly limit: LimitName<C>;
      readonly balance: BalanceName<C>;
    }
  : never;
