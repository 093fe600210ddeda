import { billing } from "@/lib/billing";

// POST /api/stripe/webhook, GET /api/stripe/return/* and GET /api/stripe/tick
export const GET = billing.fetch;
export const POST = billing.fetch;
