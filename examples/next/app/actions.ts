"use server";

import { redirect } from "next/navigation";
import { catalogue } from "@/catalogue";
import { checkout, portal } from "@/lib/billing";
import { createEntity, currentEntity } from "@/lib/entity";

/** To the page where a plan is paid for; who has one already is led to where it is changed. */
export async function choose(form: FormData): Promise<void> {
  const lookupKey = form.get("key");
  if (!catalogue.isKey(lookupKey)) throw new Error("This is not for sale."); // a browser can send any
  const entityId = (await currentEntity()) ?? (await createEntity());
  const page = await checkout({ entityId, lookupKey, successUrl: "/account", cancelUrl: "/" });
  redirect(page.url);
}

/** To Stripe's portal: cards, invoices, another plan, an end. */
export async function manage(): Promise<void> {
  const entityId = await currentEntity();
  if (entityId === undefined) redirect("/");
  const { url } = await portal({ entityId, returnUrl: "/account" });
  redirect(url);
}
