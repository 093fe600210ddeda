/** What the pricing page has of the backend, on Convex. */
import { useAction, useQuery } from "convex/react";
import { ConvexError } from "convex/values";
import { api } from "../app/convex/_generated/api.js";
import { type Pricing, PricingError } from "../page/pricing-plans.js";

/** The error in the words of the backend, if they are meant for people. */
function said(error: unknown): never {
  const data = error instanceof ConvexError ? Object(error.data) : {};
  const { code = "failed", message = "Something went wrong. Try again in a moment." } = data;
  throw new PricingError(String(code), String(message));
}

export function usePricing(): Pricing {
  const state = useQuery(api.pricing.state, {});
  const choose = useAction(api.pricing.choose);
  const portal = useAction(api.pricing.portal);
  const cancel = useAction(api.pricing.cancel);
  const resume = useAction(api.pricing.resume);
  return {
    state,
    choose: (key, quote) => choose(quote === undefined ? { key } : { key, quote }).catch(said),
    portal: () => portal({}).catch(said),
    cancel: async () => void (await cancel({}).catch(said)),
    resume: async () => void (await resume({}).catch(said)),
  };
}
