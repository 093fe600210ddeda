/**
 * What an application says of its plans, in code: pure data without dependencies, safe in Convex
 * queries and in browsers.
 *
 * @module backend-billing/catalogue
 */
export type { AccessPolicy } from "../core/plans/access.js";
export type {
  AnyCatalogue,
  AnyPack,
  AnyPlan,
  BalanceKind,
  BalanceName,
  Catalogue,
  CatalogueDefinition,
  CheckedPacks,
  CheckedPlans,
  FeatureKind,
  Features,
  FeatureValue,
  GateName,
  Included,
  LimitKind,
  LimitName,
  Metered,
  Names,
  NamesOf,
  PackKey,
  Packs,
  PlanName,
  PlanOf,
  Plans,
  PriceKey,
  TaxBehavior,
} from "../core/plans/catalogue.js";
export { CatalogueError } from "../core/plans/check.js";
export { defineCatalogue } from "../core/plans/define.js";
export {
  eur,
  type Interval,
  type Money,
  money,
  type RecurringPrice,
  usd,
} from "../core/plans/money.js";
