import { expect, it } from "vitest";
import { openApp } from "./kit.js";

it("makes one customer, and no orphan, for 200 actions at once", { timeout: 120_000 }, async () => {
  const { call, double, deployment } = await openApp({
    config: { timing: { claimPatience: 100_000 } },
  });
  const calls = Array.from({ length: 200 }, (_, index) =>
    call<{ customerId: string }>(index % 2 === 0 ? "billing:setup" : "stripe:setup", {
      entityId: "user_1",
      email: `ada+${index}@example.com`,
    }),
  );
  const ids = new Set((await Promise.all(calls)).map(({ customerId }) => customerId));
  expect(ids.size).toBe(1);
  expect(double.objects("customer").map(({ id }) => id)).toEqual([...ids]);
  const rows = await deployment.backend.query(async (ctx) =>
    ctx.db.query("backend_billing_customers").collect(),
  );
  expect(rows).toMatchObject([{ customerId: [...ids][0], entityId: "user_1" }]);
});

it("knows of when an answer was true, though Stripe's build for workers shows it otherwise", async () => {
  const { call, deployment } = await openApp();
  await call("billing:setup", { entityId: "user_1" });
  const [version] = await deployment.backend.query(async (ctx) =>
    ctx.db.query("backend_billing_versions").collect(),
  );
  const now = Date.now() / 1000;
  expect(version?.lo).toBeGreaterThan(now - 60);
  expect(version?.hi).toBeLessThan(now + 60);
});
