/** A portal session that was made for one purpose, completed without its page. */
import { ApiError } from "../api/errors.js";
import type { World } from "../world/world.js";
import {
  cancelInPortal,
  changeCard,
  changeDetails,
  changePlan,
  confirmChange,
  type PortalView,
  portalView,
} from "./portal.js";

/** What the customer enters, as far as the session's purpose asks for it. */
export interface PortalEntered {
  /** A test card's number, for a new card. */
  readonly card?: string;
  /** The plan to change to. */
  readonly price?: string;
  readonly quantity?: number;
  /** Why they cancel. */
  readonly feedback?: string;
  readonly comment?: string;
  readonly email?: string;
  readonly name?: string;
}

/** Where the browser is led, or why nothing was done. */
export function completeFlow(
  world: World,
  id: string,
  entered: PortalEntered,
): { readonly leads: string } | { readonly message: string } {
  try {
    const view = portalView(world, id);
    if (view === undefined) return { message: "The link has expired." };
    const notice = act(world, view, entered);
    if (notice === undefined) return { message: "It has no `flow_data`: open its page instead." };
    const { flow, url } = view.session;
    return { leads: flow?.after_completion.redirect?.return_url ?? `${url}?notice=${notice}` };
  } catch (error) {
    if (error instanceof ApiError) return { message: error.message };
    throw error;
  }
}

function act(world: World, view: PortalView, entered: PortalEntered): string | undefined {
  const { flow } = view.session;
  const { card = "4242424242424242", name, feedback, comment } = entered;
  switch (flow?.type) {
    case "subscription_update_confirm":
      return confirmChange(world, view);
    case "subscription_update":
      return changePlan(world, view, flow.subscription_update?.subscription ?? "", entered);
    case "subscription_cancel":
      return cancelInPortal(world, view, flow.subscription_cancel?.subscription ?? "", {
        feedback,
        comment,
      });
    case "payment_method_update":
      return changeCard(world, view, { number: card }, name);
    case "customer_update":
      return changeDetails(world, view, entered);
    default:
      return undefined;
  }
}
