import {
  createStripeDouble,
  type DoubleOptions,
  type StripeDouble,
} from "../packages/backend-billing/src/testing/index.js";
import { PATIENCE } from "./patience.js";

/**
 * A double that waits for the answer to a webhook for as long as tests wait for anything. Stripe
 * gives up after 20 seconds, which a busy machine takes for an answer that is right.
 */
export const createPatientDouble = (options: DoubleOptions = {}): Promise<StripeDouble> =>
  createStripeDouble({ deliveryTimeout: PATIENCE, ...options });
