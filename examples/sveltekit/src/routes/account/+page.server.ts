import { redirect } from "@sveltejs/kit";
import { catalogue } from "$lib/catalogue";
import { portal, store } from "$lib/server/billing";
import { currentEntity } from "$lib/server/entity";
import type { Actions, PageServerLoad } from "./$types";

/** What the person has, from the app's own database: nothing here asks Stripe. */
export const load: PageServerLoad = async ({ cookies }) => {
  const entityId = currentEntity(cookies) ?? redirect(303, "/");
  const [{ plan, status, endsAt, renewsAt }, notebooks] = await Promise.all([
    store.subscriptionOf(entityId),
    store.limit(entityId, "notebooks"),
  ]);
  return { name: catalogue.plans[plan].name, status, endsAt, renewsAt, notebooks };
};

export const actions: Actions = {
  /** To Stripe's portal: cards, invoices, another plan, an end. */
  default: async ({ cookies }) => {
    const entityId = currentEntity(cookies) ?? redirect(303, "/");
    redirect(303, (await portal({ entityId, returnUrl: "/account" })).url);
  },
};
