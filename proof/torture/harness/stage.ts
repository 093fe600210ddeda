/**
 * Where a scenario is played: a Stripe of its own, a subject of its own on an empty database, and
 * hands for what merchants, people and networks do. Stripe's clock is the wall clock, because some
 * subjects compare Stripe's times with their own.
 */
import Stripe from "stripe";
import type {
  Delivery,
  Fault,
  StripeDouble,
} from "../../../packages/backend-billing/src/testing/index.js";
import { createPatientDouble } from "../../../support/patient-double.js";
import type { Database, Template } from "./database.js";
import { type Kind, truth } from "./facts.js";
import { type Gate, openGate } from "./gate.js";
import { type Inbox, openInbox } from "./inbox.js";
import { createMerchant, type Merchant } from "./merchant.js";
import { createNeighbourhood, type Neighbourhood } from "./neighbourhood.js";
import { gathering, Late, message, sleep, within } from "./patience.js";
import { redirectStripe } from "./redirect.js";
import { type Remote, startRemote } from "./remote.js";
import type { Scenario } from "./scenario.js";
import { serve, Unreachable } from "./serve.js";
import type { Entity, Installed, Instance, Subject, Surroundings, UsageShop } from "./subject.js";
import { openUsageShop } from "./usage-shop.js";
import { differences } from "./verdict.js";

/** The machine was too slow for what had to happen within one second: play again. */
export class TooSlow extends Error {}

export interface Stage extends Merchant, Pick<Neighbourhood, "neighbour" | "elsewhere"> {
  readonly stripe: Stripe;
  readonly double: StripeDouble;
  readonly gate: Gate;
  /** What the application's hooks call, if the scenario is about hooks. */
  readonly inbox: Inbox;
  readonly installed: Installed;
  readonly subject: Subject;
  /** Where the subject is reached. */
  readonly url: string;
  /** What is sold, if the scenario is about usage. */
  readonly shop: UsageShop | undefined;

  /** Waits until another second has begun. */
  later(): Promise<void>;
  /** Does something within one second of Stripe's time. */
  inOneSecond(act: () => Promise<void>): Promise<void>;

  /** Events that wait to be delivered, of one type or all, oldest first. */
  held(type?: string): readonly Delivery[];
  /** Delivers these, or all that wait, one after another; answers the statuses, 0 for none. */
  deliver(deliveries?: readonly Delivery[]): Promise<number[]>;
  /** Delivers all that wait, in the opposite order. */
  deliverLastFirst(): Promise<number[]>;
  /** Delivers these at the same moment: they wait at the door until all are there. */
  deliverAtOnce(deliveries: readonly Delivery[]): Promise<number[]>;
  /** These never arrive. */
  lose(deliveries: readonly Delivery[]): void;
  /** An event that Stripe did not raise, in the form it would have. */
  event(type: string, object: object): object & { readonly type: string };
  /** Posts a body of our own making, signed with the endpoint's secret unless told otherwise. */
  post(event: object, options?: { secret?: string; age?: number }): Promise<number>;
  /** Whether the subject's endpoint can be reached. */
  reachable: boolean;

  fault(fault: Fault): void;
  setup(entity: Entity): Promise<string>;
  /** Calls setup until it succeeds, as a person does who presses the button again. */
  setupPatiently(entity: Entity, on?: Instance): Promise<string>;
  /** Checks that Stripe has one customer, and that it is this one. */
  checkOneCustomer(id: string): void;
  /** Runs the backfill until the subject says that it is complete, ten times at most. */
  backfill(on?: Instance): Promise<void>;
  /** Acts while the backfill's first page of this list is on its way, then lets it come to its end. */
  duringBackfill(list: "customers" | "products", act: () => Promise<unknown>): Promise<void>;
  /** The same with the subject's way to find what was missed. */
  repair(): Promise<void>;
  /** The same by Stripe's events, if it reads them. */
  catchUp(on?: Instance): Promise<void>;
  /** The running subject, and another one on the same data. */
  instance(): Instance;
  another(): Promise<Instance>;
  kill(): Promise<void>;
  /** Starts it again, with other secrets or in other surroundings if they are given. */
  restart(
    changed?: Partial<Pick<Installed, "secrets"> & { around: Partial<Surroundings> }>,
  ): Promise<void>;
  settle(): Promise<void>;
  takeDatabaseAway(): Promise<void>;
  giveDatabaseBack(): Promise<void>;

  /** States something that must hold; what is said names what is wrong if it does not. */
  check(holds: boolean, wrong: string): void;
}

const ROUNDS = 10;
const SETUP_PATIENCE = 300_000;
/** How long one call of a subject may take before it counts as hanging. */
const CALL = 600_000;

/** Where the data goes, and what the ids of this play begin with. */
export interface Place {
  readonly database: Database | undefined;
  readonly template: Template | undefined;
  readonly seed: string;
}

/** Plays a scenario once and answers what is wrong at the end; nothing if all is well. */
export async function play(
  subject: Subject,
  scenario: Scenario,
  { database, seed, template }: Place,
): Promise<string[]> {
  const double = await createPatientDouble({
    seed,
    delivery: "held",
    ...(scenario.apiVersion === undefined ? {} : { apiVersion: scenario.apiVersion }),
  });
  const stripe = new Stripe(double.secretKey, { ...double.stripeConfig, maxNetworkRetries: 0 });
  const gate = await openGate(double.port);
  const inbox = await openInbox();
  const running = new Set<Instance>();
  const problems: string[] = [];
  const lost = new Set<string>();
  let current: Instance | undefined;
  let remote: Remote | undefined;
  let made = 0;
  let crowd: (() => Promise<void>) | undefined;

  const front = await serve(async (request) => {
    await crowd?.();
    if (!stage.reachable || current === undefined) throw new Unreachable();
    return current.fetch(request);
  });
  const around: Surroundings = {
    url: front.url,
    stripe: { host: "127.0.0.1", port: gate.port, protocol: "http" },
    secretKey: double.secretKey,
    account: double.account,
    database: database?.url ?? "",
    ...(scenario.sharesAccount ? { app: "first" } : {}),
    ...(scenario.needs?.includes("usage") ? { shop: await openUsageShop(stripe) } : {}),
    ...(scenario.needs?.includes("hooks") ? { inbox: inbox.url } : {}),
  };
  const neighbourhood = createNeighbourhood({ subject, around, template, seed });
  redirectStripe(double.secretKey, gate.port);

  const isApart =
    scenario.ownProcess || scenario.needs?.some((need) => subject.ownProcessFor?.includes(need));
  const begin = async (installed: Installed, at: Surroundings): Promise<Instance> => {
    if (isApart) {
      remote = await startRemote(subject.name, at, installed);
      return remote.instance;
    }
    return subject.start(at, installed);
  };
  const status = (delivery: Delivery) => delivery.attempts.at(-1)?.status ?? 0;
  const untilComplete = async (
    what: string,
    run: ((kinds: readonly Kind[]) => Promise<boolean>) | undefined,
  ) => {
    for (let round = 0; round < ROUNDS; round++) {
      if (run === undefined) throw new Error(`${subject.name} has no such thing`);
      const complete = await within(CALL, what, run(scenario.about)).catch((error: unknown) => {
        // It was killed, or hangs, and is not asked again.
        if (current === undefined || error instanceof Late) throw error;
        return false;
      });
      if (complete) return;
      await sleep(200);
    }
    problems.push(`${what} was not complete after ${ROUNDS} rounds`);
  };

  const installed = await subject.install(around);
  const stage: Stage = {
    ...createMerchant(double, stripe, subject, (entity) => stage.setup(entity)),
    ...neighbourhood,
    stripe,
    double,
    gate,
    inbox,
    installed,
    subject,
    url: front.url,
    shop: around.shop,
    later: async () => {
      await sleep(1050 - (Date.now() % 1000));
    },
    inOneSecond: async (act) => {
      await sleep(1010 - (Date.now() % 1000));
      const second = double.clock.seconds();
      await act();
      if (double.clock.seconds() !== second) throw new TooSlow();
    },
    held: (type) => {
      const held = double.deliveries.held().filter(({ id }) => !lost.has(id));
      if (type === undefined) return held;
      const wanted = held.filter((each) => each.type === type);
      if (wanted.length === 0) throw new Error(`No ${type} waits: nothing would be shown`);
      return wanted;
    },
    deliver: async (deliveries = stage.held()) => {
      await double.deliveries.release(deliveries.map(({ id }) => id));
      return deliveries.map(status);
    },
    deliverLastFirst: () => stage.deliver([...stage.held()].reverse()),
    deliverAtOnce: async (deliveries) => {
      crowd = gathering(deliveries.length);
      await Promise.all(deliveries.map(({ id }) => double.deliveries.release([id])));
      crowd = undefined;
      return deliveries.map(status);
    },
    lose: (deliveries) => {
      for (const { id } of deliveries) lost.add(id);
    },
    event: (type, object) => ({
      id: `evt_${++made}${type.replaceAll(/\W/g, "")}`,
      object: "event",
      type,
      created: double.clock.seconds(),
      livemode: false,
      api_version: stripe.getApiField("version"),
      pending_webhooks: 1,
      request: null,
      data: { object },
    }),
    post: async (event, { secret = installed.secrets[0] ?? "", age = 0 } = {}) => {
      const payload = JSON.stringify(event);
      const timestamp = Math.floor(Date.now() / 1000) - age;
      const header = await stripe.webhooks.generateTestHeaderStringAsync({
        payload,
        secret,
        timestamp,
      });
      const [endpoint] = double.objects("webhook_endpoint");
      const answer = await fetch(endpoint?.url ?? front.url, {
        method: "POST",
        headers: { "Stripe-Signature": header, "Content-Type": "application/json" },
        body: payload,
      });
      await answer.arrayBuffer();
      return answer.status;
    },
    reachable: true,
    fault: (fault) => void double.faults.add(fault),
    setup: async (entity) => {
      const customer = await stage.instance().setup?.(entity);
      if (customer === undefined) throw new Error(`${subject.name} has no setup`);
      return customer;
    },
    setupPatiently: async (entity, on) => {
      for (const end = Date.now() + SETUP_PATIENCE; ; ) {
        try {
          const call = (on ?? stage.instance()).setup?.(entity);
          const customer = await within(CALL, "Setup", Promise.resolve(call));
          if (customer) return customer;
          throw new Error("Setup answered no customer");
        } catch (error) {
          if (Date.now() > end) throw new Error(`Setup never succeeded: ${message(error)}`);
          await sleep(500);
        }
      }
    },
    checkOneCustomer: (id) => {
      const all = double.objects("customer").map((each) => each.id);
      stage.check(all.length === 1, `there are ${all.length} customers at Stripe`);
      stage.check(all.includes(id), "the entity's customer is not one that Stripe has");
    },
    backfill: async (on = stage.instance()) => {
      await stage.later(); // what is to be copied is not of this very second
      await untilComplete("The backfill", on.backfill);
    },
    duringBackfill: async (list, act) => {
      const page = gate.hold(new RegExp(`^GET /v1/${list}\\?.*limit=100`));
      const copying = stage.backfill();
      await page.caught;
      await act();
      page.release();
      await copying;
    },
    repair: () => untilComplete("The repair", stage.instance().repair),
    catchUp: (on = stage.instance()) => untilComplete("The catch-up", on.catchUp ?? on.repair),
    instance: () => {
      if (current === undefined) throw new Error("It was killed");
      return current;
    },
    another: async () => {
      const instance = await subject.start(around, installed);
      running.add(instance);
      return instance;
    },
    kill: async () => {
      current = undefined;
      await remote?.kill();
    },
    restart: async ({ secrets = installed.secrets, around: changed } = {}) => {
      current = await begin({ ...installed, secrets }, { ...around, ...changed });
      running.add(current);
    },
    settle: async () => {
      await current?.settle();
    },
    takeDatabaseAway: async () => database?.takeAway(),
    giveDatabaseBack: async () => database?.giveBack(),
    check: (holds, wrong) => {
      if (!holds) problems.push(wrong);
    },
  };

  try {
    await stage.restart();
    await scenario.play(stage);
    double.faults.clear();
    // What was refused is delivered again, as Stripe does, before anything is judged.
    for (let round = 0; round < 3 && stage.held().length > 0; round++) await stage.deliver();
    await stage.settle();
    for (const kind of scenario.judged === "by itself" ? [] : scenario.about) {
      const expected = await truth(stripe, kind);
      problems.push(...differences(kind, expected, await stage.instance().rows(kind)));
    }
    const allowed = scenario.sells
      ? /\/(webhook_endpoints|subscriptions)\//
      : /\/webhook_endpoints\//;
    const deletions = gate.asked.filter(
      ({ method, url }) => method === "DELETE" && !allowed.test(url),
    );
    if (deletions.length > 0) problems.push(`it deleted ${deletions[0]?.url} at Stripe`);
    return problems;
  } finally {
    await Promise.all([...running].map((instance) => instance.close().catch(() => {})));
    await remote?.end();
    await neighbourhood.close();
    await front.close();
    await gate.close();
    await inbox.close();
    await double.close();
  }
}
