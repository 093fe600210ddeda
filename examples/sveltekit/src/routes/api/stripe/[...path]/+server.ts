import { billing } from "$lib/server/billing";
import type { RequestHandler } from "./$types";

// POST /api/stripe/webhook, GET /api/stripe/return/* and GET /api/stripe/tick
export const GET: RequestHandler = ({ request }) => billing.fetch(request);
export const POST = GET;
