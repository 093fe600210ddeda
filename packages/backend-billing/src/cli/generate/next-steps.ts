/** What a person does after the page was written. Pure. */
import type { Folder, Project, Server } from "../init/project.js";
import { type Places, textOf } from "./places.js";

export function nextSteps(folder: Folder, { server }: Project, places: Places): string[] {
  const { platform, out, functions } = places;
  const isConvex = platform === "convex";
  const entityFor = isConvex ? `${functions}/entityFor.ts` : `${out}/entity-for.ts`;
  return [
    ...missing(folder, places),
    `Fill in entityFor in ${entityFor}: who may act for which entity.`,
    ...(isConvex ? [] : [`Mount pricingRoutes of ${out}/pricing-routes.ts. ${MOUNTING[server]}`]),
    `Render <PricingPage /> of ${out}/pricing-page.tsx at /pricing.`,
  ];
}

const DOCS = "docs/pricing-page.md has the lines for your server.";
const MOUNTING: { readonly [name in Server]: string } = {
  hono: 'app.use("/api/pricing/*", async (c, next) => (await pricingRoutes(c.req.raw)) ?? next())',
  next: "In app/api/pricing/[name]/route.ts: export { pricingRoutes as GET, pricingRoutes as POST }",
  express: DOCS,
  fastify: DOCS,
  node: DOCS,
};

/** What the page needs of the application and does not have yet. */
function missing(folder: Folder, { platform, billing, catalogue, variant }: Places): string[] {
  const text = textOf(folder, billing);
  const create = variant === "A" ? "createStripe" : "createBilling";
  const init = `npx backend-billing init --platform ${platform === "node" ? "node-postgres" : platform}`;
  return [
    ...("file" in catalogue && textOf(folder, catalogue.file) === undefined
      ? [`Write ${catalogue.file}.ts: export const catalogue = defineCatalogue({ … }).`]
      : []),
    ...(text === undefined ? [`Write ${billing}.ts: ${init}`] : []),
    ...(text?.includes("catalogue") ? [] : [`Give catalogue to ${create} in ${billing}.ts.`]),
  ];
}
