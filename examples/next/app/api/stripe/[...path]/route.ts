import { billing } from "@/lib/billing";

// POST /api/stripe/webhook and GET /api/stripe/return/*
export const GET = billing.fetch;
export const POST = billing.fetch;
