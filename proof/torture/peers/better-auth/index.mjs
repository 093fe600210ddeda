// What the suite uses of this peer, resolved from here so that it gets the versions it asks for.
export { stripe } from "@better-auth/stripe";
export { betterAuth } from "better-auth";
export { getMigrations } from "better-auth/db/migration";
export { default as pg } from "pg";
export { default as Stripe } from "stripe";
