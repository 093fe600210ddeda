/**
 * The tests over every resource, also what no application mirrors by default: listed, told of by
 * events, caught up on, compared, repaired and removed, each as Stripe has it. Every platform runs them.
 */
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import {
  type ResourceName,
  resourceNames,
} from "../../packages/backend-billing/src/core/catalogue/catalogue.js";
import { resources } from "../../packages/backend-billing/src/core/catalogue/resources.js";
import { ABSENT, fillAll } from "./account.js";
import { expectMirrored } from "./equality.js";
import { LIVELY, live } from "./life.js";
import type { MirrorApp, MirrorPlatform, OpenOptions } from "./platform.js";

/** Deeds of each part of a life. */
const DEEDS = 40;
/** Of which edits alone are silent, or what is open: the filled account has neither. */
const EDITED: readonly ResourceName[] = ["payment_intents", "setup_intents", "checkout_sessions"];

const isSilent = (name: ResourceName): boolean => "silent" in resources[name];
const told = resourceNames.filter((name) => !isSilent(name));
const present = resourceNames.filter((name) => !ABSENT.includes(name));

const expectEqual = (app: MirrorApp, some: readonly ResourceName[] = resourceNames) =>
  expectMirrored(app.double, some, app.contents);

async function expectNoDrift(app: MirrorApp): Promise<void> {
  const report = await app.verify();
  for (const name of resourceNames) {
    const drift = report.resources[name]?.drift;
    expect(drift, name).toMatchObject({ missing: 0, different: 0, ghost: 0 });
  }
}

export function describeEverything(
  platform: string,
  start: () => Promise<MirrorPlatform>,
  lives: { readonly [tag in "slow" | "long"]: number },
): void {
  describe(`every resource on ${platform}`, () => {
    let started: MirrorPlatform;
    beforeAll(async () => {
      started = await start();
    });
    afterAll(() => started.close?.());
    const open = async (options: OpenOptions): Promise<MirrorApp> => {
      const app = await started.open(options);
      onTestFinished(() => app.close());
      return app;
    };

    it("is listed by a backfill as Stripe has it", async () => {
      const app = await open({ endpoint: false, seed: "backfill" });
      await fillAll(app);
      await app.sync();
      await expectEqual(app);
      for (const name of present) expect((await app.contents(name)).size, name).toBeGreaterThan(0);
      await expectNoDrift(app);
    });

    it("is told of by events, but for what Stripe is silent about", async () => {
      const app = await open({ endpoint: true, seed: "events" });
      await fillAll(app);
      await app.settle();
      await expectEqual(app, [...told, ...EDITED]);
      // Of a charge whose refund fails later there is no event, but for that of the refund. Nothing
      // may be in doubt by then: the charge would be asked for in any case.
      for (let round = 0; round < 2; round++) {
        await app.double.clock.advance({ seconds: 30 });
        await app.settle();
      }
      const paidBack = app.double.objects("refund").find(({ status }) => status === "succeeded");
      app.double.dashboard.failRefund(paidBack?.id ?? "");
      await app.settle();
      await expectEqual(app, ["charges", "refunds"]);
      await app.reconcile();
      await expectEqual(app);
    });

    it("is put right by a reconcile, and what is gone is removed", async () => {
      const app = await open({ endpoint: false, seed: "reconcile" });
      const { customer } = await fillAll(app);
      await app.sync();
      // On a slow machine, what is done in the background may mend a row before it is compared.
      let unseen: readonly ResourceName[] = present;
      for (let round = 0; round < 4 && unseen.length > 0; round++) {
        await app.spoil(unseen);
        const { resources: found } = await app.verify();
        unseen = unseen.filter((name) => !found[name]?.drift?.different);
      }
      expect(unseen).toEqual([]);
      const [taxId] = (await app.stripe.customers.listTaxIds(customer)).data;
      await app.stripe.customers.deleteTaxId(customer, taxId?.id ?? "");
      await app.reconcile();
      await expectEqual(app);
    });

    const life = async (seed: string) => {
      expect(LIVELY.every((name) => name in resources)).toBe(true);
      const app = await open({ endpoint: true, seed });
      await fillAll(app);
      await app.sync();
      // Webhooks that come twice and in another order.
      app.double.faults.add({ fault: "doubled", rate: 0.3 });
      app.double.faults.add({ fault: "shuffled", within: 4, rate: 0.3 });
      const first = await live(app, `${seed} a`, DEEDS);
      expect(first.done).toBeGreaterThan(DEEDS / 2);
      await app.settle();
      await expectEqual(app, told);
      // None comes: the scheduled catch-up reads Stripe's events.
      app.double.faults.clear();
      app.double.faults.add({ fault: "lost" });
      await live(app, `${seed} b`, DEEDS);
      await app.scheduled("catch-up");
      await app.settle();
      await expectEqual(app, told);
      // What no event tells of is found by a comparison, and what is gone with it.
      await app.reconcile();
      await expectEqual(app);
      await expectNoDrift(app);
    };

    for (const tag of ["slow", "long"] as const) {
      const seeds = Array.from({ length: lives[tag] }, (_, index) => `${tag} life ${index + 1}`);
      it.each(seeds)("stays as Stripe has it through %s", { tags: [tag] }, life);
    }
  });
}
