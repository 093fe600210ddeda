/**
 * Runs one history of the guard: the real calls of the library over a real store and the real SDK,
 * against the double of Stripe, in turned time. What must hold is checked as it happens.
 */
import { workOnce } from "../../packages/backend-billing/src/core/background.js";
import { setup } from "../../packages/backend-billing/src/core/customers/setup.js";
import { receiveEvent } from "../../packages/backend-billing/src/core/events/receive.js";
import { checkout, subscribe } from "../../packages/backend-billing/src/core/links/sessions.js";
import { readEvent } from "../../packages/backend-billing/src/core/mirror/snapshot.js";
import { TIMING } from "../../packages/backend-billing/src/core/runtime/config.js";
import { BillingError } from "../../packages/backend-billing/src/core/runtime/errors.js";
import type { RunKind } from "../../packages/backend-billing/src/core/runtime/reports.js";
import {
  createRuntime,
  type Runtime,
} from "../../packages/backend-billing/src/core/runtime/runtime.js";
import { START } from "../convergence/model.js";
import { connection, StoreFault } from "../convergence/stores/faulty.js";
import { workAt } from "../convergence/syncing.js";
import { createTime, type Process, startProcess } from "../convergence/time.js";
import { waitingForCrypto } from "./crypto.js";
import { type CallerPlan, endOf, type History, PROCESSES } from "./history.js";
import { createJudge, type Given, type Verdict } from "./judge.js";
import { wayTo } from "./network.js";
import { openShop, orders, type Sold } from "./shop.js";
import type { GuardDatabase } from "./stores/memory.js";

const BASE = "https://app.example";
const ENTITY = "entity";
const RESTART = 300;
/** A process that is no caller's: it receives webhooks, and is never killed. */
const SERVER = PROCESSES;
/** Milliseconds that its store takes at most: a sync whose pages outlast their leases never ends. */
const SERVER_HOP = 20;
/** Milliseconds after all that was planned: from then on nothing goes wrong. */
const CALM = 10 * 60_000;

/** Milliseconds after which somebody is back who was told to come back in a minute. */
const COMES_BACK = 90_000;

/**
 * Milliseconds of one way, to Stripe or back, beyond which a caller may be told that Stripe is slow:
 * callers who take turns make some ten requests each, and are patient for a minute.
 */
const SLOW = 1_500;

/** The same of one way to the store: a call takes more than a dozen of its calls. */
const SLOW_STORE = 750;

/** Milliseconds for which a store is away that is being set back: no connection lives through it. */
const AWAY = 5_000;

const GOOD = ["good", "good", "good", "good"] as const;

/** Takes from a list for ever, in turn. */
function around<T>(list: readonly T[]): () => T {
  let next = 0;
  return () => list[next++ % list.length]!;
}

interface Slot {
  process: Process;
  runtime: Runtime;
  /** Over all its lives. */
  gates: number;
}

export async function runHistory(
  history: History,
  database: GuardDatabase,
  trace?: string[],
): Promise<Verdict> {
  const [wait, travel] = [around(history.waits), around(history.travels)];
  // Neither Stripe nor the store fails always.
  const answer = around([...history.answers, ...GOOD]);
  const storeOutcome = around([...history.stores, ...GOOD]);
  const delivery = around(history.deliveries);
  const slots: Slot[] = [];
  const people = startProcess("people");
  let isBegun = false;
  let wakesAt = Infinity;
  /** How often the store went away, and how often it came back. */
  let [left, returned] = [0, 0];

  const log = (name: string, line: string) =>
    trace?.push(`${((time.now() - START) / 1000).toFixed(3).padStart(10)} ${name} ${line}`);
  const beforeGate = (process: Process) => {
    const index = slots.findIndex((each) => each.process === process);
    if (index < 0 || index === SERVER) return;
    const gate = slots[index]!.gates++;
    if (!history.crashes.some((crash) => crash.process === index && crash.gate === gate)) return;
    log(process.name, "is killed");
    judge.trouble();
    time.kill(process);
    time.at(time.now() + RESTART, () => {
      slots[index] = open(index, slots[index]!.gates);
    });
  };
  const time = createTime({ start: START, turns: database.turns ?? 1, beforeGate });
  const calm = START + endOf(history) + CALM;
  const isCalm = () => !isBegun || time.now() >= calm;

  const shop = await openShop({
    start: START,
    now: time.now,
    onEvent: (body) => {
      const delay = isBegun ? delivery() : null;
      if (delay !== null) time.at(time.now() + delay, () => deliver(body));
    },
    log: (line) => log("Stripe", line),
  });
  // Until an answer has come from the store, another caller may know of it before this one does.
  const judge = createJudge(shop, {
    now: time.now,
    isEmpty: !history.isFilled && history.catchUps.length === 0,
    hop: 3 * Math.max(...history.waits),
  });

  function open(index: number, gates: number): Slot {
    const name = index === SERVER ? "server" : `p${index + 1}`;
    const process = startProcess(name);
    const limit = index === SERVER ? SERVER_HOP : Infinity;
    const pause = async () => {
      if (!isBegun) return;
      const before = left;
      const milliseconds = Math.min(wait(), limit);
      if (milliseconds > SLOW_STORE) judge.trouble();
      if (left === returned) await time.pause(process, milliseconds);
      if (left === before && left === returned) return;
      judge.trouble();
      throw new StoreFault("The store is being set back");
    };
    const store = connection(database.connect({ pause, real: time.real }), {
      pause,
      part: (work) => time.part(process, work),
      outcome: () => {
        const outcome = isCalm() ? "good" : storeOutcome();
        if (outcome !== "good") judge.trouble();
        return outcome;
      },
      log: (line) => log(name, line),
    });
    const stripe_options = wayTo(shop, {
      travel: async () => {
        if (!isBegun) return;
        const milliseconds = isCalm() ? 40 : Math.min(travel(), 50 * limit);
        if (milliseconds > SLOW) judge.trouble();
        if (milliseconds > TIMING.guardLease / 3) judge.stalled(); // it takes several for one step
        await time.pause(process, milliseconds);
      },
      outcome: () => {
        const outcome = isCalm() ? "good" : answer();
        if (outcome !== "good") judge.trouble();
        return outcome;
      },
      log: (line) => log(name, line),
    });
    const config = {
      secret_key: shop.secretKey,
      webhook_secret: "whsec_1",
      base_url: BASE,
      rate: false as const,
      stripe_options,
    };
    const runtime = createRuntime(config, { store, baseUrl: () => BASE, wake, now: time.now });
    // This one request asks for retries of the SDK's own, which wait for the machine's clock.
    const { accounts } = runtime.stripe();
    const retrieve = accounts.retrieveCurrent.bind(accounts);
    accounts.retrieveCurrent = (params, options) =>
      retrieve(params, { ...options, maxNetworkRetries: 0 });
    const sleep = async (milliseconds: number) => {
      if (isBegun) await time.pause(process, milliseconds);
    };
    return { process, runtime: { ...runtime, sleep }, gates };
  }

  /** What a process leaves to the background, the server does. */
  function wake(delay: number): void {
    const moment = time.now() + delay;
    if (!isBegun || wakesAt <= moment) return;
    wakesAt = moment;
    time.at(moment, () => {
      if (wakesAt !== moment) return;
      wakesAt = Infinity;
      const { process, runtime } = slots[SERVER]!;
      time.start(process, async () => {
        if ((await tolerant(() => workOnce(runtime))) !== 0) wake(1_000);
      });
    });
  }

  /** Until all is calm a store that fails is part of the game, and so is Stripe; else it is a bug. */
  async function tolerant<T>(act: () => Promise<T>): Promise<T | undefined> {
    const isGame = !isCalm();
    try {
      return await act();
    } catch (error) {
      if (isGame && (error instanceof StoreFault || error instanceof BillingError))
        return undefined;
      throw error;
    }
  }

  const deliver = (body: object) => {
    const { process, runtime } = slots[SERVER]!;
    const event = readEvent(body)!;
    time.start(process, async () => {
      const received = await tolerant(() => receiveEvent(runtime, event));
      if (received === undefined) time.at(time.now() + 60_000, () => deliver(body));
      else if (event.type === "customer.subscription.created") judge.mirrored(event.object.id!);
    });
  };

  const run = (kind: RunKind) => {
    const { process, runtime } = slots[SERVER]!;
    time.start(process, async () => {
      const isDone = await tolerant(() => workAt(runtime, kind));
      log(process.name, `${isDone === true ? "is done with" : "gives up"} a ${kind}`);
    });
  };

  /** A call that its process does not live to see the end of has no outcome. */
  function call(caller: CallerPlan, name: string, backs = 0): void {
    const slot = slots[caller.process]!;
    if (!slot.process.isAlive) {
      time.at(time.now() + RESTART, () => call(caller, name, backs));
      return;
    }
    const asked = judge.asked(name, caller, backs);
    slot.process.onDeath.add(asked.died);
    time.start(slot.process, async () => {
      log(slot.process.name, `${name} orders ${caller.order} by ${caller.variant}`);
      try {
        const given = await callOf(slot.runtime, caller);
        slot.process.onDeath.delete(asked.died);
        const session = asked.answered(given);
        log(slot.process.name, `${name} is given ${given.kind ?? "page"} ${session ?? ""}`);
        if (session !== undefined) use(caller, async (card) => shop.pay(session, card));
        const { kind, subscriptionId: id } = given;
        if (kind === "pay" && id) use(caller, () => shop.payInvoices(id));
      } catch (error) {
        slot.process.onDeath.delete(asked.died);
        log(slot.process.name, `${name} is refused: ${String(error)}`);
        const code = error instanceof BillingError ? error.code : undefined;
        if (!asked.refused(error, code)) return;
        // Under a key of its own it would be answered the same for a day.
        time.at(time.now() + COMES_BACK, () =>
          call({ ...caller, key: null }, `${name} again`, backs + 1),
        );
      }
    });
  }

  const callOf = (runtime: Runtime, caller: CallerPlan): Promise<Given> => {
    const { variant, order, ui, key } = caller;
    const { prices, quantity, trialDays } = orders[order];
    const [priceId = "", ...others] = prices.map(shop.priceOf);
    const line_items = others.map((price) => ({ price, quantity: 1 }));
    const sold = { entityId: ENTITY, priceId, quantity, trialDays, ui };
    const [success, cancel] = [`${BASE}/welcome`, `${BASE}/pricing`];
    if (variant === "B") {
      const urls = { successUrl: success, cancelUrl: cancel };
      return checkout(runtime, { ...sold, ...urls, params: { line_items } });
    }
    const urls = { success_url: success, cancel_url: cancel };
    const options = key === null ? undefined : { idempotencyKey: `${key} ${order} ${ui}` };
    const mode = "subscription" as const;
    return subscribe(runtime, { ...sold, ...urls, mode, line_items }, options);
  };

  /** People do with a page what they like, whatever has become of it. */
  const use = (
    { payments }: CallerPlan,
    pay: (card: "good" | "declined") => Promise<Sold | undefined>,
  ) => {
    for (const { after, card, ends } of payments) {
      time.at(time.now() + after, () =>
        time.start(people, async () => {
          const sold = await time.real(() => pay(card));
          if (sold !== undefined && ends !== null) endAt(time.now() + ends, sold);
        }),
      );
    }
  };

  const endAt = (moment: number, sold: Sold) =>
    time.at(moment, () => time.start(people, () => time.real(() => shop.end(sold))));

  for (let index = 0; index <= PROCESSES; index++) slots.push(open(index, 0));
  if (history.isFilled) await workAt(slots[SERVER]!.runtime, "backfill");
  if (history.hasCustomer) await setup(slots[SERVER]!.runtime, { entityId: ENTITY });
  isBegun = true;

  for (const [index, caller] of history.callers.entries()) {
    time.at(START + caller.at, () => call(caller, `c${index + 1}`));
  }
  for (const at of history.catchUps) time.at(START + at, () => run("catch-up"));
  for (const { at, order, ends } of history.dashboard) {
    time.at(START + at, () =>
      time.start(people, async () => {
        const sold = await time.real(() => shop.subscribe(order));
        if (sold !== undefined && ends !== null) endAt(time.now() + ends, sold);
      }),
    );
  }
  for (const { at, loses } of history.restores) {
    const moment = Math.max(0, at - loses);
    let goBack = async () => {};
    time.at(START + moment, () =>
      time.start(people, async () => {
        goBack = await time.real(() => database.remember());
      }),
    );
    time.at(START + at, () =>
      time.start(people, async () => {
        left++;
        await time.real(goBack);
        log("the store", `is as it was at ${moment / 1000}`);
        judge.restored(START + moment);
        time.at(time.now() + AWAY, () => {
          returned++;
        });
      }),
    );
  }
  // When all is calm, everybody who asks must be helped.
  for (const [index, order] of (["basic", "addon"] as const).entries()) {
    const last: CallerPlan = {
      at: 0,
      process: index,
      variant: "B",
      order,
      ui: "hosted",
      key: null,
      payments: [{ after: 60_000, card: "good", ends: null }],
    };
    time.at(calm + index * 120_000, () => call(last, `last${index + 1}`));
  }
  const giveBack = waitingForCrypto(time.real);
  await time.run().finally(giveBack);
  return judge.verdict();
}
