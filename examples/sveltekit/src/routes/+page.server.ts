import { error, redirect } from "@sveltejs/kit";
import { catalogue } from "$lib/catalogue";
import { checkout, store } from "$lib/server/billing";
import { createEntity, currentEntity } from "$lib/server/entity";
import type { Actions, PageServerLoad } from "./$types";

/** Which plan the person has, from the app's own database. */
export const load: PageServerLoad = async ({ cookies }) => {
  const entityId = currentEntity(cookies);
  return { current: entityId === undefined ? undefined : await store.planOf(entityId) };
};

export const actions: Actions = {
  /** To the page where a plan is paid for; who has one already is led to where it is changed. */
  default: async ({ request, cookies }) => {
    const lookupKey = (await request.formData()).get("key");
    if (!catalogue.isKey(lookupKey)) error(400, "This is not for sale."); // a browser can send any
    const entityId = currentEntity(cookies) ?? createEntity(cookies);
    const page = await checkout({ entityId, lookupKey, successUrl: "/account", cancelUrl: "/" });
    redirect(303, page.url);
  },
};
