/** The catalogue that `init` writes: two plans to begin with. Pure. */
import type { Project } from "./project.js";

/** The lines of the file, and how others import it. */
export const catalogueLines = ({ name }: Pick<Project, "name">): readonly string[] => [
  'import { defineCatalogue, usd } from "backend-billing/catalogue";',
  "",
  "// What you sell. `npx backend-billing push` compares it with Stripe; with --apply it brings it there.",
  "export const catalogue = defineCatalogue({",
  `  app: "${appOf(name)}",`,
  '  features: { projects: "limit" },',
  "  plans: {",
  '    free: { name: "Free", default: true, features: { projects: 3 } },',
  "    pro: {",
  '      name: "Pro",',
  '      prices: { monthly: usd("20").monthly(), yearly: usd("200").yearly() },',
  "      features: { projects: 100 },",
  "    },",
  "  },",
  "});",
];

/** The name of the package as far as a catalogue can have it. */
function appOf(name: string | undefined): string {
  const plain = (name ?? "").replace(/^@[^/]*\//, "").replace(/[^A-Za-z0-9-]+/g, "-");
  return plain.slice(0, 40).replace(/^-+|-+$/g, "") || "app";
}
