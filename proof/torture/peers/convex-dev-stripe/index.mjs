// What the suite uses of this peer, resolved from here so that it gets the versions it asks for.
const folder = new URL(".", import.meta.resolve("@convex-dev/stripe/convex.config.js"));
const load = (file) => () => import(new URL(file, folder).href);

export { registerRoutes, StripeSubscriptions } from "@convex-dev/stripe";
export { componentsGeneric, defineSchema, httpRouter } from "convex/server";
export { convexTest } from "convex-test";
export const { default: componentSchema } = await load("schema.js")();
/** The component's files, as `import.meta.glob` would find them. */
export const componentModules = {
  "./_generated/api.js": load("_generated/api.js"),
  "./private.js": load("private.js"),
  "./public.js": load("public.js"),
};
