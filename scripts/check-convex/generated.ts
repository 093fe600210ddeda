/**
 * What a deployment generates beyond what the command does without one: the types of the declared
 * environment variables. The templates are those of the installed `convex`.
 */
import { writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import type { App } from "./app.js";

type Declared = [name: string, { type: "value"; value: string; optional: boolean }];

interface Templates {
  serverCodegen(options: { useTypeScript: false; envVars: Declared[] }): { DTS: string };
}

/** What `defineApp` keeps of the declarations. */
interface Definition {
  readonly default: {
    readonly _env?: { readonly [name: string]: { readonly isOptional: string; json: object } };
  };
}

const templates = resolve(
  import.meta.dirname,
  "../../node_modules/convex/dist/esm/cli/codegen_templates/server.js",
);

export async function generateAsDeployed({ folder }: App): Promise<void> {
  // The file may have changed since it was loaded last.
  const load = (file: string) => import(`${pathToFileURL(file).href}?at=${performance.now()}`);
  const { serverCodegen } = (await load(templates)) as Templates;
  const { default: app } = (await load(join(folder, "convex/convex.config.ts"))) as Definition;
  const envVars = Object.entries(app._env ?? {}).map(
    ([name, { isOptional, json }]): Declared => [
      name,
      { type: "value", value: JSON.stringify(json), optional: isOptional === "optional" },
    ],
  );
  const { DTS } = serverCodegen({ useTypeScript: false, envVars });
  writeFileSync(join(folder, "convex/_generated/server.d.ts"), DTS);
}
