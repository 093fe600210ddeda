import { error, json } from "@sveltejs/kit";
import { env } from "$env/dynamic/private";
import { billing } from "$lib/server/billing";
import type { RequestHandler } from "./$types";

/** Called every minute by the host's scheduler: it does what is due. */
export const GET: RequestHandler = async ({ request }) => {
  if (request.headers.get("authorization") !== `Bearer ${env.CRON_SECRET}`) error(401);
  return json(await billing.tick({ budget: 20_000 }));
};
