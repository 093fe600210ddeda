/* eslint-disable */
/**
 * Generated `api` utility.
 *
 * THIS CODE IS AUTOMATICALLY GENERATED.
 *
 * To regenerate, run `npx convex dev`.
 * @module
 */

import type {
  ApiFromModules,
  FilterApi,
  FunctionReference,
} from "convex/server";
import type * as auth from "../auth.js";
import type * as catalogue from "../catalogue.js";
import type * as crons from "../crons.js";
import type * as http from "../http.js";
import type * as letters from "../letters.js";
import type * as local from "../local.js";
import type * as mail from "../mail.js";
import type * as plans from "../plans.js";
import type * as reactions from "../reactions.js";
import type * as shop from "../shop.js";
import type * as stripe from "../stripe.js";
import type * as team from "../team.js";

/**
 * A utility for referencing Convex functions in your app's API.
 *
 * Usage:
 * ```js
 * const myFunctionReference = api.myModule.myFunction;
 * ```
 */
declare const fullApi: ApiFromModules<{
  auth: typeof auth;
  catalogue: typeof catalogue;
  crons: typeof crons;
  http: typeof http;
  letters: typeof letters;
  local: typeof local;
  mail: typeof mail;
  plans: typeof plans;
  reactions: typeof reactions;
  shop: typeof shop;
  stripe: typeof stripe;
  team: typeof team;
}>;
export declare const api: FilterApi<
  typeof fullApi,
  FunctionReference<any, "public">
>;
export declare const internal: FilterApi<
  typeof fullApi,
  FunctionReference<any, "internal">
>;
