// The database is set back to an earlier time (a restore, an asynchronous failover): the claim is
// gone and the customer at Stripe is not. In the double's time, on real tables that are set back.
import { describe, expect, it, vi } from "vitest";
import { stream } from "../../../../stripe-double/src/world/random.js";
import { opened } from "../../../src/core/customers/claim/claim.js";
import { claimKey } from "../../../src/core/customers/claim/key.js";
import { put } from "../../../src/core/customers/claim/record.js";
import { finishClaims, setup } from "../../../src/core/customers/setup.js";
import { receiveEvent } from "../../../src/core/events/receive.js";
import { readEvent } from "../../../src/core/mirror/snapshot.js";
import type { Store } from "../../../src/core/mirror/store.js";
import { behindGateway, commit } from "../../../src/core/runtime/commit/commit.js";
import type { Runtime } from "../../../src/core/runtime/runtime.js";
import { CREATE, caughtUp, entityId, LIST, opening, SEARCH, sent } from "./claims-kit.js";
import { type App, type AppOptions, applications, billingError, NOW } from "./kit.js";
import { remember } from "./set-back.js";

const open = applications();

/** A still clock, no webhooks, and a mirror that knows of all customers until now. */
async function still(options: AppOptions = {}): Promise<App> {
  const app = await open({ endpoint: false, ...options, stripe: { now: NOW, ...options.stripe } });
  await caughtUp(app);
  return app;
}

const args = { entityId, email: "ada@example.com" };
const alive = ({ double }: App) => double.objects("customer").map(({ id }) => id);

/** Hands all events of this type to the door, oldest first, as webhooks do. */
async function tell({ core, stripe }: App, type: string): Promise<void> {
  for (const raw of (await stripe.events.list({ type, limit: 100 })).data.reverse()) {
    const event = readEvent(JSON.parse(JSON.stringify(raw)));
    if (event !== undefined) await receiveEvent(core, event);
  }
}

describe("a claim that the database has forgotten", () => {
  it("is made again under the same key: Stripe answers with the customer that there is", async () => {
    const app = await still();
    const back = await remember(app);
    const first = await setup(app.core, args);
    await back();
    expect(await app.claim(entityId)).toBeUndefined();
    app.double.requests.clear();
    expect(await setup(app.core, args)).toEqual(first);
    expect(alive(app)).toEqual([first.customerId]);
    expect(sent(app, SEARCH) + sent(app, LIST)).toBe(0);
    expect((await app.b.store.customerOf(entityId))?.customerId).toBe(first.customerId);
  });

  it("and that comes back with other parameters finds its customer at once, and is not in doubt", async () => {
    const app = await still();
    const back = await remember(app);
    const first = await setup(app.core, args);
    await app.double.clock.advance({ minutes: 5 });
    await back();
    expect(await setup(app.core, { entityId, email: "grace@example.com" })).toEqual(first);
    expect(alive(app)).toEqual([first.customerId]);
  });

  it("just now is found in a list, where search does not show it yet", async () => {
    const app = await still();
    const back = await remember(app);
    const first = await setup(app.core, args);
    await back();
    expect(await setup(app.core, { entityId, email: "grace@example.com" })).toEqual(first);
    expect(sent(app, LIST)).toBe(1);
  });

  it("19 hours ago, with other parameters, is found in a list that goes back as far as a key lives", async () => {
    const app = await still();
    await app.double.clock.advance({ hours: 1 });
    const back = await remember(app);
    const first = await setup(app.core, args);
    await app.double.clock.advance({ hours: 18 });
    await back();
    app.double.faults.add({ fault: "error_before", status: 400, on: SEARCH }); // not offered
    expect(await setup(app.core, { entityId, email: "grace@example.com" })).toEqual(first);
    expect(alive(app)).toEqual([first.customerId]);
  });

  it("with a list that lags is looked for again before another key is tried", async () => {
    const app = await still();
    const back = await remember(app);
    const first = await setup(app.core, args);
    await back();
    app.double.faults.add({ fault: "list_lag", milliseconds: 10_000, on: LIST });
    const error = await billingError(setup(app.core, { entityId, email: "grace@example.com" }));
    expect(error.message).toContain("looked up in a minute");
    await app.double.clock.advance({ seconds: 60 });
    expect(await setup(app.core, { entityId, email: "grace@example.com" })).toEqual(first);
    expect(alive(app)).toEqual([first.customerId]);
  });

  it("three days ago is searched for, because Stripe has forgotten the key", async () => {
    const app = await still();
    const back = await remember(app);
    const first = await setup(app.core, args);
    await app.double.clock.advance({ days: 3 });
    await back();
    expect(await setup(app.core, args)).toEqual(first);
    expect(alive(app)).toEqual([first.customerId]);
    expect(sent(app, CREATE)).toBe(1);
  });

  it("is searched for again after ten minutes, while the mirror stays behind", async () => {
    const app = await still();
    await app.double.clock.advance({ days: 3 });
    app.double.faults.add({ fault: "rate_limited", on: CREATE });
    await billingError(setup(app.core, args));
    expect(sent(app, SEARCH)).toBe(1);
    await app.double.clock.advance({ minutes: 10 });
    await billingError(setup(app.core, args));
    expect(sent(app, SEARCH)).toBe(2);
    app.double.faults.clear();
    await app.double.clock.advance({ seconds: 10 });
    await setup(app.core, args);
    expect(sent(app, SEARCH)).toBe(2);
  });

  it("counts up again to the customer that lives, past those that were deleted", async () => {
    const app = await still();
    const back = await remember(app);
    for (let n = 0; n < 3; n++) {
      const { customerId } = await setup(app.core, args);
      await app.double.clock.advance({ minutes: 1 });
      await app.stripe.customers.del(customerId);
      await tell(app, "customer.deleted");
    }
    const last = await setup(app.core, args);
    expect(await app.claim(entityId)).toMatchObject({ counter: 4, made: true });
    await back();
    expect(await setup(app.core, args)).toEqual(last);
    expect(await app.claim(entityId)).toMatchObject({ counter: 4 });
    expect(alive(app)).toEqual([last.customerId]);
  });

  it("learns the counter from the event of a customer that it adopts", async () => {
    const app = await still();
    const back = await remember(app);
    const first = await setup(app.core, args);
    await app.stripe.customers.del(first.customerId);
    await tell(app, "customer.deleted");
    const second = await setup(app.core, args);
    await back();
    await tell(app, "customer.deleted"); // stored before the creation: the first one stays gone
    await tell(app, "customer.created");
    const key = await claimKey({ entityId, account: null, livemode: false, counter: 2 });
    expect(await app.claim(entityId)).toMatchObject({ ...second, counter: 2, key, made: true });
    await app.stripe.customers.del(second.customerId);
    await tell(app, "customer.deleted");
    app.double.requests.clear();
    const third = await setup(app.core, args);
    expect(alive(app)).toEqual([third.customerId]);
    expect(sent(app, CREATE)).toBe(1); // under the third key at once
  });

  it("does not count what Stripe refused", async () => {
    const app = await still();
    const back = await remember(app);
    await billingError(setup(app.core, { entityId, email: "not an address" }));
    const first = await setup(app.core, args);
    await back();
    expect(await setup(app.core, args)).toEqual(first);
    expect(alive(app)).toEqual([first.customerId]);
  });

  it("does not count a claim under which nothing was sent", async () => {
    const app = await still();
    const back = await remember(app);
    app.double.faults.add({ fault: "rate_limited", on: SEARCH });
    await app.double.clock.advance({ days: 1 });
    await billingError(setup(app.core, args));
    app.double.faults.clear();
    await app.double.clock.advance({ seconds: 10 });
    await setup(app.core, args);
    expect(await app.claim(entityId)).toMatchObject({ counter: 1 });
    await back();
  });

  it("goes on under the next key where Stripe keeps a refusal under the first", async () => {
    const app = await still();
    app.double.faults.add({ fault: "error_before", status: 402, on: CREATE, times: 1 });
    const error = await billingError(setup(app.core, args));
    expect(error).toMatchObject({ cause: { statusCode: 402 } });
    const back = await remember(app);
    const first = await setup(app.core, args); // its cause is mended, the key would say 402 for a day
    expect(await app.claim(entityId)).toMatchObject({ counter: 2, past: [expect.any(String)] });
    await back();
    expect(await setup(app.core, args)).toEqual(first);
    expect(alive(app)).toEqual([first.customerId]);
  });
});

describe("a customer that turns up before anything is sent", () => {
  it("in the mirror: it is taken, right before the first request", async () => {
    const app = await still();
    const { id } = await app.stripe.customers.create({ metadata: { entityId } });
    await put(app.core, undefined, opened(undefined, opening));
    await tell(app, "customer.created");
    app.double.requests.clear();
    expect(await setup(app.core, args)).toEqual({ customerId: id });
    expect(sent(app, CREATE)).toBe(0);
  });

  it("while Stripe is searched in vain: it is taken, and nothing is sent", async () => {
    const app = await still();
    await app.double.clock.advance({ days: 1 }); // what the mirror knows is too old
    const stripe = app.core.stripe();
    let made: string | undefined;
    vi.spyOn(stripe.customers, "search").mockImplementationOnce((async () => {
      made = (await app.stripe.customers.create({ metadata: { entityId } })).id;
      await tell(app, "customer.created");
      app.double.requests.clear();
      return { data: [] }; // search lags
    }) as never);
    const core = { ...app.core, stripe: () => stripe };
    expect(await setup(core, args)).toEqual({ customerId: made });
    expect(sent(app, CREATE)).toBe(0);
    expect(alive(app)).toEqual([made]);
  });

  it("beside an attempt that failed: it is taken before the next one", {
    tags: ["slow"],
  }, async () => {
    const app = await still();
    app.double.faults.add({ fault: "cut_before", on: CREATE });
    await billingError(setup(app.core, args));
    app.double.faults.clear();
    const { id } = await app.stripe.customers.create({ metadata: { entityId } });
    await tell(app, "customer.created");
    expect(await app.claim(entityId)).toMatchObject({ state: "open", others: [id] });
    await app.double.clock.advance({ seconds: 10 });
    expect(await setup(app.core, args)).toEqual({ customerId: id });
    expect(alive(app)).toEqual([id]);
  });
});

describe("a customer that is deleted while its creation is under way", () => {
  /** Events come between Stripe's answer and its commit. */
  const between = (app: App, told: (customer: string) => Promise<void>): Runtime => {
    let isTold = false;
    const seen: Store["commit"] = async (batch) => {
      const link = batch.records?.find(({ kind, next }) => kind === "claim" && next?.ref);
      if (link?.next?.ref && !isTold) {
        isTold = true;
        await told(link.next.ref);
      }
      return app.b.store.commit(batch);
    };
    return { ...app.core, store: behindGateway({ ...app.b.store, commit: seen }, () => {}) };
  };

  it("puts the claim back to open, so that the key is not sent beside the next one", async () => {
    const app = await still();
    let seen: unknown;
    const core = between(app, async (customer) => {
      await tell(app, "customer.created");
      await app.stripe.customers.del(customer);
      await tell(app, "customer.deleted");
      seen = await app.claim(entityId);
    });
    const before = core.now();
    const { customerId } = await setup(core, args);
    expect(seen).toMatchObject({ state: "open", counter: 1, params: { email: args.email } });
    expect(alive(app)).toEqual([customerId]);
    expect(await app.claim(entityId)).toMatchObject({ counter: 2, made: true, params: null });
    expect(core.now() - before).toBeLessThan(5_000); // its own lease is not waited for
  });

  it("drops what was sent when the event came first, too", async () => {
    const app = await still();
    let seen: unknown;
    const core = between(app, async () => {
      await tell(app, "customer.created");
      seen = await app.claim(entityId);
    });
    const { customerId } = await setup(core, args);
    expect(seen).toMatchObject({ state: "linked", customerId, params: { email: args.email } });
    expect(await app.claim(entityId)).toMatchObject({ customerId, params: null, leasedUntil: 0 });
  });

  it("drops it in the background, if the caller died", async () => {
    const app = await still();
    const dying = between(app, async () => {
      await tell(app, "customer.created");
      throw new Error("killed");
    });
    await expect(setup(dying, args)).rejects.toThrow("killed");
    expect(await app.claim(entityId)).toMatchObject({ state: "linked", params: expect.anything() });
    await app.double.clock.advance({ seconds: 91 });
    expect(await finishClaims(app.core)).toBe(1);
    expect(await app.claim(entityId)).toMatchObject({ state: "linked", params: null });
    expect(await finishClaims(app.core)).toBe(0);
  });
});

it("a random key of an earlier version is still finished, and found by its event", async () => {
  const app = await still();
  const { counter, ...rest } = opened(undefined, { ...opening, key: "0b5c-random" });
  const old = Object.entries({ ...rest, searched: true }).filter(
    ([name]) => !["spent", "made", "lookedAt", "doubt"].includes(name),
  );
  const next = { ref: null, due: 0, data: Object.fromEntries(old) };
  const records = [{ kind: "claim", id: entityId, expect: 0, next } as const];
  await commit(app.core, { source: "record", records });
  expect(await finishClaims(app.core)).toBe(1);
  const [event] = (await app.stripe.events.list({ type: "customer.created" })).data;
  expect(event?.request?.idempotency_key).toBe("0b5c-random");
  const [first] = alive(app);
  expect(await setup(app.core, args)).toEqual({ customerId: first });
  await app.stripe.customers.del(first ?? "");
  await tell(app, "customer.deleted");
  const { customerId } = await setup(app.core, args);
  expect(alive(app)).toEqual([customerId]);
  expect(await app.claim(entityId)).toMatchObject({ counter, generation: 2 });
});

describe("random histories of a database that is set back", { tags: ["slow"] }, () => {
  const EMAILS = ["ada@example.com", "ada@example.com", "grace@example.com", "not an address"];
  const FAULTS = [
    "cut_before",
    "cut_after",
    "half_answer",
    "rate_limited",
    "error_before",
  ] as const;

  it("end with one customer", async () => {
    for (let seed = 1; seed <= 30; seed++) {
      const app = await still({ config: { timing: { claimPatience: 120_000 } } });
      const chance = stream("set back", seed);
      const pick = <T>(all: readonly T[]): T => all[Math.floor(chance() * all.length)] as T;
      const story: string[] = [];
      const points = [await remember(app)];
      const act = {
        setup: async () => {
          const email = pick(EMAILS);
          const ended = await setup(app.core, { entityId, email }).then(
            ({ customerId }) => customerId,
            (error: Error) => error.message,
          );
          story.push(`${email}: ${ended}`);
        },
        fault: async () => {
          app.double.faults.add({ fault: pick(FAULTS), on: CREATE, times: 1 });
        },
        delete: async () => {
          const [id] = alive(app);
          if (id === undefined) return;
          await app.stripe.customers.del(id);
          if (chance() < 0.5) await tell(app, "customer.deleted");
        },
        tell: () => tell(app, pick(["customer.created", "customer.deleted"])),
        remember: async () => {
          points.push(await remember(app));
        },
        back: () => pick(points)(),
        wait: () => app.double.clock.advance({ seconds: Math.ceil(chance() * 3_000) }),
      };
      for (let step = 0; step < 14; step++) {
        const name = pick(["setup", "setup", ...Object.keys(act)]) as keyof typeof act;
        story.push(name);
        await act[name]();
      }
      app.double.faults.clear();
      await app.double.clock.advance({ minutes: 2 });
      await tell(app, "customer.deleted");
      const last = await setup(app.core, args);
      expect(alive(app), `seed ${seed}: ${story.join("; ")}`).toEqual([last.customerId]);
    }
  });
});
