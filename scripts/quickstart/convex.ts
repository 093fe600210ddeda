/**
 * docs/start/convex.md, from an empty folder up to what a deployment asks of the files: there is no
 * deployment here, so `npx convex dev` is replaced by what it does before it connects to one. Plans are
 * pushed to a double of Stripe.
 */
import { resolve } from "node:path";
import { gates } from "../check-convex/gates.js";
import { makeFolder, pageOf, until } from "./folder.js";

const PAGE = "docs/start/convex.md";
const DOUBLE = resolve(
  import.meta.dirname,
  "../../packages/stripe-double/dist/esm/command/main.js",
);
const DEPLOY = /^npx convex (dev|run|env)\b/m;

export async function followConvex(tarball: string): Promise<void> {
  let pushed = "";
  const folder = makeFolder(() => [
    ["npm install backend-billing ", `npm install ${tarball} `, "this repository's, packed"],
    ["STRIPE_SECRET_KEY=sk_test_…", pushed, "a double of Stripe"],
  ]);
  try {
    const start = `# leave it running\nnode ${DOUBLE} --port 0 --json\n`;
    await folder.follow({ language: "sh", code: start, file: undefined, line: 0 });
    pushed = await until("the double", () => settingsIn(folder.said()));
    for (const block of pageOf(PAGE)) {
      if (block.file === undefined && DEPLOY.test(block.code)) {
        for (const line of block.code.trim().split("\n")) console.log(`  – ${line}`);
      } else {
        await folder.follow(block);
      }
    }
    console.log("      (– needs a deployment; code generation, types and the bundle are checked)");
    const init = "npx convex codegen --init --system-udfs --typecheck enable\n";
    await folder.follow({ language: "sh", code: init, file: undefined, line: 0 });
    const app = { name: "quickstart", folder: folder.path, source: folder.path };
    const problems = await gates.bundle(app, (text) => console.log(`      ${text}`));
    if (problems.length > 0) throw new Error(problems.join("\n"));
  } finally {
    await folder.close();
  }
}

/** How a command reaches the double, from what that printed. */
function settingsIn(said: string): string | undefined {
  const [, url, key] = /"url":"([^"]+)".*"secret_key":"([^"]+)"/.exec(said) ?? [];
  return key && `STRIPE_HOST=${url} STRIPE_SECRET_KEY=${key}`;
}
