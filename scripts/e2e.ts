/**
 * `npm run e2e`: a real browser on the double's pages and on the example apps. Screenshots go to
 * artifacts/e2e.
 *
 *   npm run e2e -- --only story
 *   npm run e2e -- --only late --runs 200
 */
import { parseArgs } from "node:util";
import { launch } from "./e2e/browser.js";
import { walkConvex } from "./e2e/convex.js";
import { walkFramework } from "./e2e/frameworks/walk.js";
import { walkLate } from "./e2e/late.js";
import { walkPages } from "./e2e/pages.js";
import { walkPricing } from "./e2e/pricing.js";
import { createWalk } from "./e2e/steps.js";
import { walkStory } from "./e2e/story.js";

const { values } = parseArgs({
  options: { only: { type: "string" }, runs: { type: "string", default: "50" } },
});
const browser = await launch();
const { step, summary } = createWalk();
const parts = {
  pages: () => walkPages(browser, step),
  convex: () => walkConvex(browser, step),
  pricing: () => walkPricing(browser, step),
  story: () => walkStory(browser, step),
  late: () => walkLate(browser, step, Number(values.runs)),
  next: () => walkFramework(browser, step, "next"),
  sveltekit: () => walkFramework(browser, step, "sveltekit"),
};

for (const [name, walk] of Object.entries(parts)) {
  if (values.only !== undefined && values.only !== name) continue;
  console.log(`\n${name}`);
  await walk();
}
const well = summary();
await browser.close();
process.exit(well ? 0 : 1);
