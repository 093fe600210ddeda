/** The runtimes, and how each is had: from the registry of npm, at a version that is written down. */
export interface Runtime {
  readonly name: string;
  /** What it calls itself, or how that begins: another one in its place would go unnoticed. */
  readonly is: string;
  /** What runs the entry; the folder has the packages installed. */
  readonly command: readonly string[];
  /** What is installed beside the suite for it. */
  readonly needs?: readonly string[];
  /** Why it is left out unless it is asked for by name. */
  readonly notYet?: string;
}

const npx = (of: string, ...command: string[]): readonly string[] => [
  "npx",
  "-y",
  "-p",
  of,
  ...command,
];

export const RUNTIMES: readonly Runtime[] = [
  { name: "Node 20", is: "node 20.", command: ["node", "main.js"] },
  { name: "Node 22", is: "node 22.23.3", command: npx("node@22.23.3", "node", "main.js") },
  { name: "Node 24", is: "node 24.9.0", command: npx("node@24.9.0", "node", "main.js") },
  { name: "Bun 1.4", is: "bun 1.4.4", command: npx("bun@1.4.4", "bun", "run", "main.js") },
  {
    name: "Deno 2.9",
    is: "deno 2.9.6",
    command: npx("deno@2.9.6", "deno", "run", "-A", "--node-modules-dir=manual", "main.js"),
  },
  {
    name: "workerd",
    is: "workerd Cloudflare-Workers",
    command: ["node", "start-worker.mjs"],
    notYet:
      "while many webhooks come at once, workerd itself answers some of them with 500 and logs no reason; 52 of 54 behaviours hold there",
    needs: ["miniflare@4.20260730.0", "esbuild@0.27.0"],
  },
];
