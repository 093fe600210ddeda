/** Where the peers are installed, and which versions of them. */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const folder = (path: string) => fileURLToPath(new URL(`../${path}`, import.meta.url));

/** What a peer's `index.mjs` gives; the adapter says what of it it uses. */
export async function peer<Module>(name: string): Promise<Module> {
  return (await import(new URL(`../peers/${name}/index.mjs`, import.meta.url).href)) as Module;
}

/** The exact version that is asked for, and installed. */
export function versionOf(name: string, dependency: string): string {
  const manifest = JSON.parse(readFileSync(folder(`peers/${name}/package.json`), "utf8")) as {
    dependencies: { [name: string]: string };
  };
  return manifest.dependencies[dependency] ?? "";
}
