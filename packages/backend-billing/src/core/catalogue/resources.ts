/**
 * The table of mirrored resources. Everything that depends on what is mirrored is derived from it:
 * tables, indexes, webhook dispatch, the endpoint's events, backfill, row types. Adding a resource
 * is one entry and nothing else.
 */
import { billingPage } from "./entries/billing-page.js";
import { further } from "./entries/further.js";
import { specified } from "./entries/specified.js";

/** What is mirrored unless an application says otherwise. */
export const usual: typeof specified & typeof billingPage = { ...specified, ...billingPage };

/** Keyed by the last part of their table's name. */
export const resources: typeof usual & typeof further = { ...usual, ...further };
