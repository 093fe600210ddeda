/** An empty folder in which a page is followed, the package that it installs, and what runs in it. */
import { type ChildProcess, execFileSync, spawn, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type Block, blocksOf } from "../docs/blocks.js";

const root = resolve(import.meta.dirname, "../..");
const BACKGROUND = /^#.*leave it running$/m;

/** Words of the page that a reader replaces by their own, by what, and how that is told. */
export type Replacements = readonly (readonly [text: string, by: string, told?: string])[];

export interface Folder {
  readonly path: string;
  /** Writes the file, or runs the command, that a block of the page is. */
  follow(block: Block): Promise<void>;
  /** What the commands that run on have said so far. */
  said(): string;
  close(): Promise<void>;
}

/** A package as `npm publish` would send it, in a folder of its own; by its folder in here. */
export function pack(into: string, folder = "packages/backend-billing"): string {
  const said = execFileSync("npm", ["pack", "--silent", "--pack-destination", into], {
    cwd: join(root, folder),
    encoding: "utf8",
  });
  return join(into, said.trim().split("\n").at(-1) ?? "");
}

/** A terminal's environment, without what `npm run` told us about this repository. */
export const env = {
  ...Object.fromEntries(
    Object.entries(process.env).filter(
      ([name]) => !/^(npm_(package|lifecycle|config_local_prefix|command)|INIT_CWD)/.test(name),
    ),
  ),
  NO_COLOR: "1",
  npm_config_fund: "false",
  npm_config_audit: "false",
};

export const pageOf = (path: string): Block[] => blocksOf(readFileSync(join(root, path), "utf8"));

const hasEnded = ({ exitCode, signalCode }: ChildProcess): boolean =>
  exitCode !== null || signalCode !== null;

export function makeFolder(replace: () => Replacements): Folder {
  const path = realpathSync(mkdtempSync(join(tmpdir(), "quickstart-")));
  const running: ChildProcess[] = [];
  let said = "";

  const replaced = (text: string): string =>
    replace().reduce((before, [wanted, by, told = by]) => {
      if (!before.includes(wanted)) return before;
      console.log(`      (${wanted.trim()}: ${told})`);
      return before.replaceAll(wanted, by);
    }, text);

  /** Ends what runs on, with its children. */
  const end = (): void => {
    for (const child of running) {
      if (child.pid !== undefined && !hasEnded(child)) process.kill(-child.pid, "SIGTERM");
    }
  };
  process.once("exit", end);

  return {
    path,
    said: () => said,
    async follow({ file, code, language }) {
      if (file !== undefined) {
        console.log(`  ${file}`);
        mkdirSync(dirname(join(path, file)), { recursive: true });
        writeFileSync(join(path, file), replaced(code));
        return;
      }
      if (language !== "sh") throw new Error(`Nobody knows what to do with:\n${code}`);
      for (const line of code.split("\n")) if (line) console.log(`  $ ${line}`);
      const command = replaced(code);
      if (!BACKGROUND.test(code)) {
        const { status, stdout, stderr } = spawnSync("/bin/sh", ["-ec", command], {
          cwd: path,
          env,
          encoding: "utf8",
        });
        if (status !== 0) throw new Error(`It failed:\n${stdout}${stderr}`);
        return;
      }
      // A group of its own: npx and tsx have children, which must end with them.
      const child = spawn("/bin/sh", ["-ec", command], { cwd: path, env, detached: true });
      running.push(child);
      for (const out of [child.stdout, child.stderr]) {
        out.setEncoding("utf8").on("data", (text: string) => {
          said += text;
        });
      }
    },
    async close() {
      end();
      await Promise.race([
        Promise.all(
          running.map((child) => hasEnded(child) || new Promise((r) => child.once("close", r))),
        ),
        sleep(5_000),
      ]);
      rmSync(path, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

/** Waits until something is so, and says what was being waited for if it never is. */
export async function until<T>(
  what: string,
  look: () => Promise<T | undefined> | T | undefined,
): Promise<T> {
  const deadline = Date.now() + 30_000;
  for (;;) {
    const seen = await look();
    if (seen !== undefined) return seen;
    if (Date.now() > deadline) throw new Error(`Waited in vain for ${what}`);
    await sleep(100);
  }
}
