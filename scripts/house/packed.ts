/** A package as npm would publish it, from what was built last. */
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { root } from "./source.js";

export const MOST_PACKED_KB = 514;

export interface Packed {
  readonly kB: number;
  readonly files: readonly { readonly path: string; readonly size: number }[];
}

export function packed(name: "backend-billing" | "stripe-double" = "backend-billing"): Packed {
  const [{ size, files }] = JSON.parse(
    execFileSync("npm", ["pack", "--dry-run", "--json"], {
      cwd: join(root, "packages", name),
      encoding: "utf8",
      maxBuffer: 32 * 1024 * 1024,
      shell: process.platform === "win32",
    }),
  ) as [{ size: number; files: { path: string; size: number }[] }];
  return { kB: Math.ceil(size / 1000), files };
}
