/**
 * The pricing page as files of an application: the templates, with their imports led to where things
 * are there. Pure; the templates are read by the caller.
 */
import { posix } from "node:path";
import type { Project } from "../init/project.js";
import { leadImports } from "./imports.js";
import type { Places } from "./places.js";
import { inVariantA } from "./variant.js";

export interface PageFile {
  readonly path: string;
  readonly content: string;
  /** The file that the application fills in: once it is there, it is the application's. */
  readonly isFilledIn: boolean;
}

const PAGE = ["page/pricing-page.tsx", "page/pricing-plans.ts", "page/pricing-styles.ts"];
const NODE = ["page/use-pricing.ts", "node/pricing-routes.ts", "node/entity-for.ts"];
const CONVEX = ["convex/use-pricing.ts", "convex/pricing.ts", "convex/entity-for.ts"];

/** `read` answers a template, by its path below the folder of templates. */
export function pricingPage(
  project: Project,
  places: Places,
  read: (path: string) => string,
): PageFile[] {
  const { platform, variant, catalogue } = places;
  const targets = targetsOf(places);
  return [...PAGE, ...(platform === "convex" ? CONVEX : NODE)].map((template) => {
    const [, module = "", ending = ""] = /^(.*)(\.tsx?)$/.exec(template) ?? [];
    const target = targets.get(module) ?? module;
    const text = variant === "A" ? inVariantA(read(template)) : read(template);
    const content = leadImports(text, (specifier) => {
      const imported = posix.join(module, "..", specifier).replace(/\.js$/, "");
      if (imported === "app/catalogue" && "name" in catalogue) return catalogue.name;
      const to = posix.relative(posix.dirname(target), targets.get(imported) ?? imported);
      return `${to.startsWith("../") ? "" : "./"}${to}${endingFor(project, places)}`;
    });
    const isClient = project.server === "next" && ending === ".tsx";
    return {
      path: `${target}${ending}`,
      content: isClient ? `"use client";\n\n${content}` : content,
      isFilledIn: posix.basename(module) === "entity-for",
    };
  });
}

/** Where the modules that templates are, and import, are in the application. */
function targetsOf(places: Places): ReadonlyMap<string, string> {
  const { platform, out, functions, billing, catalogue } = places;
  const all = [...PAGE, ...NODE, ...CONVEX].map((path) => path.replace(/\.tsx?$/, ""));
  return new Map([
    ...all.map((module) => [module, `${out}/${posix.basename(module)}`] as const),
    ["app/catalogue", "file" in catalogue ? catalogue.file : ""],
    [`app/${platform}/billing`, billing],
    ["app/convex/_generated/api", `${functions}/_generated/api`],
    ["app/convex/_generated/server", `${functions}/_generated/server`],
    ["convex/pricing", `${functions}/pricing`],
    ["convex/entity-for", `${functions}/entityFor`], // Convex takes no hyphens
  ]);
}

/** How the application names a module of its own, as the files of `init` do. */
function endingFor({ server, importsSource }: Project, { platform }: Places): string {
  if (platform === "convex") return "";
  if (importsSource) return ".ts";
  return server === "next" ? "" : ".js";
}
