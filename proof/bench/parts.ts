/** The parts of a run: which scenarios belong to each, and which figures come of them. */
import { type ConvexCost, convexCost } from "./convex.js";
import { usualBesideEight } from "./eight.js";
import { type BarId, ratios, type Series } from "./figures.js";
import { gateCosts } from "./gates.js";
import { type Growth, growth } from "./growth.js";
import { linkCosts } from "./links.js";
import type { Accounts } from "./list-server.js";
import { type Bench, backfill, calls, line, webhooks } from "./measure.js";
import { toldBesideSilent } from "./reactions.js";
import type { Stage } from "./stage.js";
import { setupTrips } from "./trips.js";
import { usageCosts } from "./usage.js";

/** What is measured on, and where results go. */
export interface Run extends Bench, Pick<Stage, "serverUrl" | "open" | "close"> {
  readonly quick: boolean;
  readonly accounts: Accounts;
  /** Peers that run. */
  readonly peers: readonly string[];
  /** Rows of the tables in the parts that are about large tables, if not the usual. */
  readonly rows: number | undefined;
  readonly series: { [id: string]: Series };
  readonly growth: Growth[];
  convex: ConvexCost | undefined;
  figure(id: BarId, values: readonly number[], note?: string): void;
}

export const parts: { readonly [name: string]: (run: Run) => Promise<void> } = {
  async webhooks(run) {
    const stored = run.quick ? 2_000 : 10_000;
    const common = ["bare", "ours", ...run.peers];
    for (const name of [...common, "bare-batched"])
      await run.workers.get(name)?.store("customers", stored);
    // Many short turns rather than few long ones: others on the machine come and go.
    const repetitions = run.quick ? 11 : 15;
    const seconds = run.quick ? 0.25 : 0.8;
    for (const callers of run.quick ? [1, 32] : [1, 8, 32, 128]) {
      const subjects = callers === 32 ? [...common, "bare-batched"] : common;
      const options = {
        kind: "customers",
        stored,
        callers,
        seconds,
        repetitions,
        subjects,
      } as const;
      run.series[`webhooks${callers}`] = await webhooks(run, options);
    }
    const { webhooks1, webhooks32 } = run.series;
    if (webhooks1 === undefined || webhooks32 === undefined) return;
    run.figure("webhooks32", ratios(webhooks32, "ours", "bare"));
    run.figure("webhooks32Peer", ratios(webhooks32, "ours", "stripe-sync-engine"));
    run.figure("webhooks1", ratios(webhooks1, "ours", "bare"));
  },

  async subscriptions(run) {
    const stored = run.quick ? 20_000 : 100_000;
    const name = "large";
    await run.open("ours", name);
    await run.workers.get(name)?.store("customers", stored);
    await run.workers.get(name)?.store("subscriptions", stored);
    const values: Record<string, number[]> = { customers: [], subscriptions: [] };
    const common = { stored, callers: 32, seconds: 0.3, repetitions: 1, subjects: [name] };
    for (let repetition = 0; repetition < (run.quick ? 7 : 15); repetition++) {
      for (const kind of ["customers", "subscriptions"] as const) {
        const once = await webhooks({ ...run, say() {} }, { ...common, kind });
        values[kind]?.push(...(once.values[name] ?? []));
      }
    }
    const title = `events with ${stored.toLocaleString("en")} of each stored, 32 callers`;
    run.series.subscriptions = { title, unit: "events/s", values };
    run.figure(
      "subscriptions",
      ratios(run.series.subscriptions, "subscriptions", "customers"),
      run.quick ? `here with ${stored.toLocaleString("en")} stored` : undefined,
    );
    await run.close(name);
  },

  async backfill(run) {
    for (const worker of run.workers.values()) await worker.clear();
    const objects = run.accounts.customers + run.accounts.subscriptions;
    const common = { objects, repetitions: run.quick ? 2 : 5 };
    const subjects = ["bare", "ours", "bare-batched"];
    const fast = await backfill(run, { ...common, latency: 0, subjects });
    const slow = await backfill(run, { ...common, latency: 100, subjects: subjects.slice(0, 2) });
    run.figure("backfill", ratios(fast, "ours", "bare"));
    run.figure("backfillSlow", ratios(slow, "ours", "bare"));
    Object.assign(run.series, { backfill0: fast, backfill100: slow });
    if (run.quick || run.peers.length === 0) return; // a peer takes minutes
    const beside = { objects, repetitions: 1, subjects: ["ours", ...run.peers] };
    const peers0 = await backfill(run, { ...beside, latency: 0 });
    const peers100 = await backfill(run, { ...beside, latency: 100 });
    run.figure("backfillSlowPeer", ratios(peers100, "ours", "stripe-sync-engine"));
    Object.assign(run.series, { backfillPeers0: peers0, backfillPeers100: peers100 });
  },

  resources: usualBesideEight,

  reactions: toldBesideSilent,

  async overhead(run) {
    for (const name of ["bare", "ours"]) await run.workers.get(name)?.clear();
    const often = { times: run.quick ? 200 : 1_000, repetitions: 5 };
    for (const name of ["subscribe", "portal"]) {
      run.series[name] = await calls(run, name, ["bare", "ours"], often);
    }
    run.series.setup = await calls(run, "setup", ["ours"], often);
    run.figure("setupTrips", [await setupTrips(run.serverUrl, run.admin, run.lists.port)]);
  },

  async links(run) {
    const { first, known } = await linkCosts(run.serverUrl, run.admin);
    run.figure("linkRequests", [first.requests.length]);
    run.figure("linkTrips", [first.trips], `${first.statements.length} statements`);
    run.figure("knownLinkTrips", [known.trips], `${known.statements.length} statements`);
  },

  async usage(run) {
    const { many, hot } = await usageCosts(run.serverUrl, run.admin, run.quick ? 5 : 15);
    run.series.usageHot = hot;
    for (const callers of [1, 8, 32] as const) {
      const series = many[callers];
      if (series === undefined) continue;
      run.series[`usage${callers}`] = series;
      run.say(line(series));
      run.figure(`usage${callers}`, ratios(series, "ours", "bare"));
    }
    run.say(line(hot));
    run.figure("usageHot", ratios(hot, "ours", "bare"));
  },

  async gates(run) {
    const often = run.quick ? { repetitions: 7, calls: 1_000 } : { repetitions: 15, calls: 3_000 };
    const series = await gateCosts(run.serverUrl, run.admin, often);
    run.series.gates = series;
    run.say(line(series));
    run.figure("gate", ratios(series, "bare", "can"));
  },

  async convex(run) {
    const cost = await convexCost();
    run.convex = cost;
    run.figure("convexMutations", [cost.event.mutations]);
  },

  async growth(run) {
    for (const name of [...run.workers.keys()]) await run.close(name);
    const large = run.quick ? [100_000] : [1_000_000, 10_000_000];
    const steps = [10_000, ...(run.rows === undefined ? large : [run.rows])];
    run.growth.push(...(await growth(run, run.open, steps)));
    const [first, last] = [run.growth[0], run.growth.at(-1)];
    const rows = last?.rows ?? 0;
    run.figure(
      "growth",
      [(last?.perEvent.ours ?? Number.NaN) / (first?.perEvent.ours ?? Number.NaN)],
      rows < 10_000_000 ? `here at ${rows.toLocaleString("en")} rows` : undefined,
    );
  },
};

/** What the quick form measures. In `reactions` every turn waits until all is told, so it is measured when asked for. */
export const QUICK = [
  "webhooks",
  "subscriptions",
  "backfill",
  "resources",
  "overhead",
  "links",
  "gates",
  "usage",
  "convex",
  "growth",
];
