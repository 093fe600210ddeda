/**
 * What an application says of its plans, in code: pure data without dependencies, safe in Convex
 * queries and in browsers. So far that is who keeps access.
 *
 * @module backend-billing/catalogue
 */
export {
  type AccessPolicy,
  type AnyCatalogue,
  type CatalogueDefinition,
  defineCatalogue,
} from "../core/catalogue/plans.js";
