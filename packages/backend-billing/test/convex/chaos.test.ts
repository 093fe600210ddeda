// @module-tag slow
// A backfill on Convex whose actions die: before they begin, at any mutation, before or after it
// was committed, or after all they had to do. Convex does not run a failed action again, so each of
// these breaks a chain of pages, and the watchdog must take it up. Its minutes pass at once here.
import {
  type DataModelFromSchemaDefinition,
  type GenericDatabaseReader,
  makeFunctionReference,
} from "convex/server";
import { convexTest } from "convex-test";
import { afterEach, expect, it, onTestFinished, vi } from "vitest";
import { schema, storeReference } from "../../../../support/convex/store.js";
import { listedAtOnce } from "../../../../support/listed-at-once.js";
import { createPatientDouble } from "../../../../support/patient-double.js";
import { cancelAll, idle } from "../../../../support/spec/platforms/convex-deployment.js";
import { stream } from "../../../stripe-double/src/world/random.js";
import type { Operation } from "../../src/convex/calls/operations.js";
import { createConvexStore } from "../../src/convex/calls/store.js";
import { createBilling } from "../../src/convex/index.js";

const CUSTOMERS = 250;
/** Of a hundred actions. */
const FAULTS = { never: 10, before: 10, during: 25, after: 10 };
const MINUTE = 60_000;
const MOST_MINUTES = 500;

afterEach(() => void vi.useRealTimers());

interface ActionCtx {
  runMutation(reference: unknown, args: unknown): Promise<unknown>;
}
type Db = GenericDatabaseReader<DataModelFromSchemaDefinition<typeof schema>>;
type Handler<Ctx, Args> = (ctx: Ctx, args: Args) => Promise<unknown>;
type Sync = Handler<ActionCtx, { step?: string }>;

/** The same function with another handler, which is given the one that it had. */
function handledBy<F extends object, H>(registered: F, wrap: (handler: H) => H): F {
  return new Proxy(registered, {
    get: (target, name) => {
      const value = Reflect.get(target, name);
      return name === "_handler" ? wrap(value as H) : value;
    },
  });
}

/** The action, dying at random. It is told what it died of. */
function mortal(chance: () => number, died: (how: string) => void) {
  const die = (how: string): never => {
    died(how);
    throw new Error(`The action died ${how}`);
  };
  return (handler: Sync): Sync =>
    async (ctx, args) => {
      if (args.step === undefined) return handler(ctx, args); // somebody waits for this one
      let lot = Math.floor(chance() * 100);
      if (lot < FAULTS.never) {
        died("unseen");
        return { runId: null, state: "done", resources: {} };
      }
      lot -= FAULTS.never;
      if (lot < FAULTS.before) die("before it began");
      lot -= FAULTS.before;
      if (lot < FAULTS.during)
        return handler(dyingAt(ctx, 1 + Math.floor(chance() * 4), die), args);
      lot -= FAULTS.during;
      await handler(ctx, args);
      return lot < FAULTS.after ? die("at its end") : { runId: null, state: "done", resources: {} };
    };
}

/** A context whose mutations fail from one of them on: a dead action does nothing more. */
function dyingAt(ctx: ActionCtx, last: number, die: (how: string) => never): ActionCtx {
  let count = 0;
  return {
    ...ctx,
    runMutation: async (reference, args) => {
      count++;
      if (count > last) throw new Error("The action is dead");
      const isLast = count === last;
      if (isLast && last % 2 === 0) die("before a mutation");
      const result = await ctx.runMutation(reference, args);
      return isLast ? die("after a mutation") : result;
    },
  };
}

async function stateOf(db: Db): Promise<unknown> {
  const records = await db.query("backend_billing_records").collect();
  return records.find(({ kind }) => kind === "run")?.data.state;
}

/** The store; tells with how many customers its run was done, after each transaction. */
const watched =
  (done: (customers: number) => void) =>
  (handler: Handler<{ db: Db }, { operation: Operation }>): typeof handler =>
  async (ctx, args) => {
    const result = await handler(ctx, args);
    if (args.operation.type === "commit" && (await stateOf(ctx.db)) === "done") {
      done((await ctx.db.query("backend_billing_customers").collect()).length);
    }
    return result;
  };

it.each([1, 2, 3])("a backfill whose actions die ends complete, history %i", async (seed) => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "Date"], shouldAdvanceTime: true });
  vi.spyOn(console, "error").mockImplementation(() => {}); // every death is written there
  const double = await createPatientDouble({ seed, delivery: "held" });
  double.populate({ object: "customer", count: CUSTOMERS });
  const deaths = new Map<string, number>();
  const doneWith: number[] = [];
  const billing = createBilling({
    secret_key: double.secretKey,
    webhook_secret: undefined,
    stripe_options: double.stripeConfig,
    resources: listedAtOnce,
    rate: false,
  });
  const count = (how: string) => void deaths.set(how, (deaths.get(how) ?? 0) + 1);
  // Made once: the modules are loaded anew with every call.
  const application = {
    ...billing,
    store: handledBy(
      billing.store,
      watched((customers) => void doneWith.push(customers)),
    ),
    sync: handledBy(billing.sync, mortal(stream("chaos", seed), count)),
  };
  const backend = convexTest({
    schema,
    modules: {
      "./_generated/api.js": async () => ({}),
      "./billing.ts": async () => application,
    },
  });
  onTestFinished(async () => {
    await cancelAll(backend);
    await double.close();
  });
  await backend.action(makeFunctionReference<"action">("billing:sync"), {});

  let minutes = 0;
  for (; minutes < MOST_MINUTES; minutes++) {
    await idle(backend);
    const state = await backend.run((ctx) => stateOf(ctx.db));
    if (state === "done") break;
    expect(state).toBe("running");
    await vi.advanceTimersByTimeAsync(MINUTE);
  }
  expect(minutes).toBeLessThan(MOST_MINUTES);
  expect(new Set(doneWith)).toEqual(new Set([CUSTOMERS])); // not earlier
  expect([...deaths.keys()].length).toBeGreaterThan(2);
  const call = (operation: Operation): Promise<unknown> =>
    backend.mutation(storeReference, { operation });
  const store = createConvexStore(call, { resources: listedAtOnce });
  const ours = (await store.rows("customers", "", 2 * CUSTOMERS)).map(({ stripe }) => stripe);
  const byId = (left: { id: string }, right: { id: string }) => (left.id < right.id ? -1 : 1);
  expect(ours.sort(byId)).toEqual(double.objects("customer").sort(byId));
});
