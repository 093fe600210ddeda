/** The three commands that come after `init`. Pure. */
import type { PlatformName } from "../doctor/commands.js";
import type { Project } from "./project.js";
import type { Variant } from "./templates.js";

export function nextSteps(project: Project, platform: PlatformName, variant: Variant): string[] {
  const install = installCommand(project, platform);
  if (platform === "convex") {
    const module = variant === "A" ? "stripe" : "billing";
    const push = "npx convex dev --once";
    return [
      install === undefined ? push : `${install} && ${push}`,
      "npx convex env set STRIPE_SECRET_KEY sk_test_…",
      `npx convex run ${module}:sync '{"webhook": true, "portal": true}'`,
    ];
  }
  const migrate =
    project.drizzleSchema === undefined
      ? "npx backend-billing migrate"
      : "npx drizzle-kit generate && npx drizzle-kit migrate";
  const sync = "npx backend-billing sync --webhook --portal --url https://app.example";
  return install === undefined
    ? [migrate, sync, "npx backend-billing doctor --url https://app.example"]
    : [install, migrate, sync];
}

/** Undefined when everything is installed. */
function installCommand(project: Project, platform: PlatformName): string | undefined {
  const { dependencies, typescript, install } = project;
  const lacks = (name: string) => !dependencies.has(name);
  const needed = ["backend-billing", "stripe", platform === "convex" ? "convex" : "pg"];
  const types = platform === "convex" ? [] : ["@types/node", "@types/pg"];
  const missing = needed.filter(lacks);
  const missingTypes = typescript ? types.filter(lacks) : [];
  const commands = [
    ...(missing.length > 0 ? [`${install} ${missing.join(" ")}`] : []),
    ...(missingTypes.length > 0 ? [`${install} -D ${missingTypes.join(" ")}`] : []),
  ];
  return commands.length > 0 ? commands.join(" && ") : undefined;
}
