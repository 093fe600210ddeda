import { cronJobs, makeFunctionReference } from "convex/server";
import { describe, expect, it } from "vitest";
import { createBilling } from "../../../src/convex/index.js";
import { openApp } from "./kit.js";

const { billing } = createBilling({
  secret_key: undefined,
  webhook_secret: undefined,
  module: "lib/billing",
});

describe("the cron jobs", () => {
  it("read events every five minutes from the first deployment on, and list all once a day", () => {
    const crons = cronJobs();
    billing.addCronJobs(crons);
    expect(crons.crons).toMatchObject({
      "backend-billing catch-up": {
        name: "lib/billing:sync",
        args: [{ step: "catch-up" }],
        schedule: { type: "interval", minutes: 5 },
      },
      "backend-billing reconcile": {
        name: "lib/billing:sync",
        args: [{ step: "reconcile" }],
        schedule: { type: "cron", cron: "37 3 * * *" },
      },
    });
  });

  it("run when the application says, or not at all", () => {
    const crons = cronJobs();
    billing.addCronJobs(crons, { catchUp: { minutes: 1 }, reconcile: false });
    expect(crons.crons).toMatchObject({
      "backend-billing catch-up": { schedule: { type: "interval", minutes: 1 } },
    });
    expect(Object.keys(crons.crons)).toHaveLength(1);
    billing.addCronJobs(crons, { catchUp: false, reconcile: "11 4 * * 0" });
    expect(crons.crons["backend-billing reconcile"]?.schedule).toEqual({
      type: "cron",
      cron: "11 4 * * 0",
    });
  });

  it("do not stand in the way of the application's own", () => {
    const crons = cronJobs();
    const own = makeFunctionReference<"action">("reports:send");
    crons.interval("catch up", { hours: 1 }, own);
    crons.interval("sync", { hours: 1 }, own);
    billing.addCronJobs(crons);
    expect(Object.keys(crons.crons)).toHaveLength(4);
  });

  it("do nothing without a key, and say so once", async () => {
    const lines: string[] = [];
    const keep = (_: object, message: string) => void lines.push(message);
    const { call, double } = await openApp({
      config: { secret_key: undefined, logger: { info: keep, warn: keep, error: keep } },
    });
    double.requests.clear();
    for (const step of ["catch-up", "reconcile", "work", "page", "catch-up"]) {
      expect(await call("billing:sync", { step })).toMatchObject({ state: "done" });
    }
    expect(double.requests.count()).toBe(0);
    expect(lines).toEqual(["STRIPE_SECRET_KEY is not set, so the billing jobs do nothing"]);
  });

  it("begin with a copy of everything, and end up in the runs that the client tells of", async () => {
    const { call, deployment, double, within } = await openApp();
    double.populate({ object: "customer", count: 30 });
    await call("billing:sync", { step: "catch-up" });
    await deployment.idle();
    const [run] = await within((ctx) => deployment.B.billing.runs(ctx));
    expect(run).toMatchObject({
      kind: "backfill",
      state: "done",
      resources: { customers: { state: "done", rows: 30 } },
    });
    await call("billing:sync", { step: "catch-up" });
    await deployment.idle();
    const [latest] = await within((ctx) => deployment.B.billing.runs(ctx, 1));
    expect(latest).toMatchObject({ kind: "catch-up", state: "done" });
  });
});
