/** What comes after `init`: commands, and the settings that they need. Pure. */
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
      "STRIPE_SECRET_KEY=sk_test_… npx backend-billing push --apply   (makes the plans of the catalogue at Stripe)",
      `npx convex run ${module}:sync '{"webhook": true, "portal": true}'`,
      "npx convex env set STRIPE_WEBHOOK_SECRET whsec_…   (the `webhook.secret` that sync answered)",
    ];
  }
  const migrate =
    project.drizzleSchema === undefined
      ? "npx backend-billing migrate"
      : "npx drizzle-kit generate && npx drizzle-kit migrate";
  const sync = "npx backend-billing sync --webhook --portal --url https://app.example";
  const secret = "STRIPE_WEBHOOK_SECRET=whsec_…   (in your environment, as sync printed it)";
  const doctor = "npx backend-billing doctor --url https://app.example";
  const push = "npx backend-billing push --apply";
  const first = install === undefined ? [] : [install];
  return [...first, migrate, push, sync, secret, doctor];
}

/** Undefined when everything is installed. */
function installCommand(project: Project, platform: PlatformName): string | undefined {
  const { dependencies, typescript, install, drizzleSchema } = project;
  const lacks = (name: string) => !dependencies.has(name);
  const needed = ["backend-billing", "stripe", platform === "convex" ? "convex" : "pg"];
  const types = platform === "convex" || !typescript ? [] : ["@types/node", "@types/pg"];
  const tools = platform === "convex" || drizzleSchema === undefined ? [] : ["drizzle-kit"];
  const missing = needed.filter(lacks);
  const missingTypes = [...types, ...tools].filter(lacks);
  const commands = [
    ...(missing.length > 0 ? [`${install} ${missing.join(" ")}`] : []),
    ...(missingTypes.length > 0 ? [`${install} -D ${missingTypes.join(" ")}`] : []),
  ];
  return commands.length > 0 ? commands.join(" && ") : undefined;
}
