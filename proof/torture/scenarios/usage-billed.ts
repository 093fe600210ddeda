/** What Stripe's meters bill, whatever happens on the way there. */
import { called, consumer } from "../harness/consumer.js";
import { sleep } from "../harness/patience.js";
import type { Scenario } from "../harness/scenario.js";
import type { Stage } from "../harness/stage.js";

const BILLED = {
  about: ["subscription"],
  judged: "by itself",
} as const satisfies Partial<Scenario>;
const SEND = "POST /v1/billing/meter_events";
/** How often an application calls again after an error. */
const TRIES = 5;

/** Uses units; calls again while it fails, as an application does. */
async function use(t: Stage, entityId: string, amount: number, key: string): Promise<void> {
  for (let time = 1; time <= TRIES; time++) {
    try {
      return await called(t, "use")({ entityId, amount, key });
    } catch (error) {
      if (time === TRIES) throw error;
      await sleep(200);
    }
  }
}

/** States what the meter has counted. */
async function checkMeter(t: Stage, customer: string, units: number): Promise<void> {
  await t.settle();
  await t.double.clock.advance({ minutes: 1 });
  const [meter] = (await t.stripe.billing.meters.list()).data;
  const minute = Math.floor(t.double.clock.seconds() / 60) * 60;
  const { data } = await t.stripe.billing.meters.listEventSummaries(meter?.id ?? "", {
    customer,
    start_time: minute - 3 * 86_400,
    end_time: minute + 60,
  });
  const counted = data.reduce((sum, each) => sum + each.aggregated_value, 0);
  t.check(counted === units, `Stripe has counted ${counted} units, and not ${units}`);
}

export const bills: readonly Scenario[] = [
  {
    name: "billed",
    what: "5 units are used that Stripe bills, and 3 more.",
    must: "Stripe has counted 8.",
    ...BILLED,
    needs: ["usage", "billed usage"],
    play: async (t) => {
      const { entityId, customer } = await consumer(t, { plan: "large" });
      await use(t, entityId, 5, "request_1");
      await use(t, entityId, 3, "request_2");
      await checkMeter(t, customer, 8);
    },
  },
  {
    name: "billed-after-an-error",
    what: "5 units are used that Stripe bills; Stripe counts them and answers 500, and the caller does it again if it is told.",
    must: "Stripe has counted 5.",
    ...BILLED,
    needs: ["usage", "billed usage"],
    play: async (t) => {
      const { entityId, customer } = await consumer(t, { plan: "large" });
      t.fault({ fault: "error_after", on: SEND, times: 1 });
      await use(t, entityId, 5, "request_1");
      await checkMeter(t, customer, 5);
      t.check(t.double.faults.all().length === 0, "Stripe was not asked, so nothing is shown");
    },
  },
  {
    name: "billed-and-killed",
    what: "5 units are used that Stripe bills, and the process is killed before Stripe has answered.",
    must: "When it runs again, Stripe has counted 5.",
    ...BILLED,
    needs: ["usage", "billed usage", "kill"],
    ownProcess: true,
    long: true,
    play: async (t) => {
      const { entityId, customer } = await consumer(t, { plan: "large" });
      t.fault({ fault: "error_before", on: SEND, kept: false });
      const using = use(t, entityId, 5, "request_1").catch(() => {});
      await sleep(1_000);
      await t.kill();
      await using;
      t.double.faults.clear();
      await t.restart();
      await use(t, entityId, 5, "request_1");
      await checkMeter(t, customer, 5);
    },
  },
];
