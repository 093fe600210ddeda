import { billing } from "$lib/server/billing";
import type { RequestHandler } from "./$types";

// POST /api/stripe/webhook and GET /api/stripe/return/*
export const GET: RequestHandler = ({ request }) => billing.fetch(request);
export const POST = GET;
