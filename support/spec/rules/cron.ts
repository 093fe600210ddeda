/** Section 4.2, `addCronJobs`; and what the other sections say of cron jobs. */
import { expect } from "vitest";
import { defaultResources } from "../../../packages/backend-billing/src/core/catalogue/catalogue.js";
import type { Check, Checks, SpecApp } from "../harness.js";
import { existing, expectMirror, later, populate } from "../kit.js";
import { DAY, longestGap, MINUTE } from "../schedule.js";

/** How long data may stay old: what §8 of docs/spec.md decides of the cron interval. */
const AT_MOST = { "catch-up": 5 * MINUTE, reconcile: DAY } as const;

async function expectAll(app: SpecApp): Promise<void> {
  for (const resource of defaultResources) {
    expect((await app.rows(resource)).length, resource).toBeGreaterThan(0);
    await expectMirror(app, resource);
  }
}

/** Things made, changed and removed at Stripe. */
async function change(app: SpecApp): Promise<void> {
  await later(app);
  const { stripe } = app;
  const [product] = (await existing(app, "products")).keys();
  const [customer] = (await existing(app, "customers")).keys();
  const active = await stripe.subscriptions.list({ status: "active" });
  await stripe.products.update(product ?? "", { name: `Renamed at ${Date.now()}` });
  await stripe.customers.update(customer ?? "", { name: "Ada King" });
  if (active.data[0] !== undefined) await stripe.subscriptions.cancel(active.data[0].id);
  const coupon = await stripe.coupons.create({ percent_off: 50, duration: "forever" });
  await stripe.coupons.create({ percent_off: 60, duration: "forever" });
  await stripe.coupons.del(coupon.id);
  await later(app);
}

/** No webhook is delivered and nobody calls `sync`: only the jobs can have brought it. */
export const fillsTables: Check = async (open) => {
  const app = await open({ installed: false });
  expect(app.exports.B.client).toContain("addCronJobs");
  await populate(app);
  await app.startCrons();
  await expectAll(app);
};

/** What nobody was told of while the application was down is found by the jobs. */
export const keepsCurrent: Check = async (open) => {
  const app = await open({ delivery: "held" });
  await populate(app);
  await app.startCrons();
  await expectAll(app);
  for (const job of ["catch-up", "reconcile", "catch-up"] as const) {
    expect(longestGap(await app.schedule(job)), job).toBeLessThanOrEqual(AT_MOST[job]);
    await change(app);
    await app.nextCron(job);
    await expectAll(app);
  }
};

export const cron: Checks<"4.2#cron-"> = {
  "4.2#cron-startup": fillsTables,
  "4.2#cron-current": keepsCurrent,
};
