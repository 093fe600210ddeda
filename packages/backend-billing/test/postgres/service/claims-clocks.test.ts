// Two machines whose clocks are far apart, at the claim of one entity while its request is under way.
import { expect, it, onTestFinished } from "vitest";
import { createPatientDouble } from "../../../../../support/patient-double.js";
import { databaseOfEachTest } from "../../../../../support/postgres/database.js";
import { setup } from "../../../src/core/customers/setup.js";
import { createRuntime } from "../../../src/core/runtime/runtime.js";
import { createBilling } from "../../../src/postgres/index.js";

const HOUR = 60 * 60_000;
const database = databaseOfEachTest();

for (const [name, hours] of [
  ["a day ahead", 24],
  ["two hours ahead", 2],
  ["a day behind", -24],
  ["two hours behind", -2],
] as const) {
  it(`a machine whose clock is ${name} makes no second customer`, async () => {
    const double = await createPatientDouble({ seed: name });
    const config = {
      secret_key: double.secretKey,
      webhook_secret: "whsec_unused",
      base_url: "https://app.example",
      stripe_options: double.stripeConfig,
    };
    const app = createBilling({ ...config, db: database.pool, background: false });
    onTestFinished(async () => {
      await app.billing.close();
      await double.close();
    });
    await app.store.migrate();
    await app.sync();
    const machine = (offset: number) =>
      createRuntime(config, {
        store: app.store,
        baseUrl: () => config.base_url,
        wake: () => {},
        now: () => Date.now() + offset,
      });
    // The first request is held up on its way, so that the other machine finds nothing at Stripe.
    double.faults.add({
      fault: "latency",
      milliseconds: 2_000,
      on: "POST /v1/customers",
      times: 1,
    });
    const first = setup(machine(0), { entityId: "org_1" });
    const isSent = async () => (await app.store.record("claim", "org_1"))?.data.lastAttemptAt;
    await expect.poll(isSent).toEqual(expect.any(Number));
    const second = setup(machine(hours * HOUR), { entityId: "org_1" });
    const told = await Promise.all([first, second]);
    expect(double.objects("customer")).toHaveLength(1);
    expect(new Set(told.map(({ customerId }) => customerId)).size).toBe(1);
  });
}
