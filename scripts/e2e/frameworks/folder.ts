/**
 * An example as its users have it: in a folder outside of this repository, with this repository's
 * packages as they would be published and everything else as its lock file says.
 */
import { execFile, execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { env, pack } from "../../quickstart/folder.js";

const root = resolve(import.meta.dirname, "../../..");
const PACKAGES = ["packages/backend-billing", "packages/stripe-double"];
/** What only this machine's example has. */
const LOCAL = /[/\\](node_modules|\.next|\.svelte-kit|build|\.env)$/;

export interface AppFolder {
  readonly path: string;
  /** Runs a command of the app, such as `npm run build`; answers what it printed. */
  run(command: readonly string[], settings?: Record<string, string>): Promise<string>;
  remove(): void;
}

export function copyExample(name: string): AppFolder {
  const place = realpathSync(mkdtempSync(join(tmpdir(), `example-${name}-`)));
  const remove = () => rmSync(place, { recursive: true, force: true, maxRetries: 5 });
  process.once("exit", remove);
  for (const folder of PACKAGES) {
    mkdirSync(join(place, folder), { recursive: true });
    const unpack = ["xzf", pack(place, folder), "--strip-components=1", "-C", join(place, folder)];
    execFileSync("tar", unpack);
  }
  const path = join(place, "examples", name);
  cpSync(join(root, "examples", name), path, {
    recursive: true,
    filter: (from) => !LOCAL.test(from),
  });
  return {
    path,
    remove,
    async run([file = "", ...args], settings = {}) {
      const options = { cwd: path, env: { ...env, NEXT_TELEMETRY_DISABLED: "1", ...settings } };
      try {
        return (await promisify(execFile)(file, args, options)).stdout;
      } catch (error) {
        const { stdout = "", stderr = "" } = error as { stdout?: string; stderr?: string };
        throw new Error(`${[file, ...args].join(" ")} failed:\n${stdout}${stderr}`);
      }
    },
  };
}
