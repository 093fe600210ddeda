import {
  defaultResources,
  listsPerOwner,
} from "../packages/backend-billing/src/core/catalogue/catalogue.js";

/**
 * What is mirrored by default, without what takes a request for each customer: for accounts with
 * thousands of them, where something else is looked at.
 */
export const listedAtOnce = defaultResources.filter((name) => listsPerOwner(name) === undefined);
