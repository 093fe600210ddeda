// Claims that their callers could not finish: dead processes, deleted customers, and events that
// come before anybody heard Stripe's answer. In the double's time.
import { describe, expect, it } from "vitest";
import { opened, rotated } from "../../../src/core/customers/claim/claim.js";
import { put } from "../../../src/core/customers/claim/record.js";
import { finishClaims, setup } from "../../../src/core/customers/setup.js";
import { receiveEvent } from "../../../src/core/events/receive.js";
import { readEvent } from "../../../src/core/mirror/snapshot.js";
import { behindGateway, commit } from "../../../src/core/runtime/commit/commit.js";
import type { Runtime } from "../../../src/core/runtime/runtime.js";
import {
  CREATE,
  caughtUp,
  emailsAt,
  entityId,
  LIST,
  leftBehind,
  opening,
  params,
  SEARCH,
  sent,
} from "./claims-kit.js";
import { type App, type AppOptions, applications, billingError, NOW } from "./kit.js";

const open = applications();

/** A still clock, and no webhooks unless a test wants them. */
const still = (options: AppOptions = {}) =>
  open({ endpoint: false, ...options, stripe: { now: NOW, ...options.stripe } });

describe("a claim that a dead process left behind", () => {
  const finish = {
    "the background": async ({ core }: App) => {
      await finishClaims(core);
    },
    "the next setup": async ({ core }: App) => {
      await setup(core, { entityId });
    },
  };

  for (const [who, finishes] of Object.entries(finish)) {
    it(`two days ago, with the customer made: ${who} looks it up and links it`, async () => {
      const app = await still();
      const made = await leftBehind(app, true);
      await app.double.clock.advance({ days: 2 });
      app.double.requests.clear();
      await finishes(app);
      expect(app.double.objects("customer").map(({ id }) => id)).toEqual([made]);
      expect(await app.claim(entityId)).toMatchObject({ state: "linked", customerId: made });
      expect(sent(app, SEARCH)).toBe(1);
      expect(sent(app, CREATE)).toBe(0);
    });

    it(`two days ago, with nothing made: ${who} looks first, and makes it under the same key`, async () => {
      const app = await still();
      await leftBehind(app, false);
      await app.double.clock.advance({ days: 2 });
      app.double.requests.clear();
      await finishes(app);
      const order = app.double.requests.recent().map(({ signature }) => signature);
      expect(order.slice(0, 3)).toEqual([SEARCH, LIST, CREATE]);
      const claim = await app.claim(entityId);
      expect(claim).toMatchObject({ state: "linked", generation: 1, key: opening.key, past: [] });
      // With the parameters of the claim, which the next caller does not know.
      expect(emailsAt(app)).toEqual(["ada@example.com"]);
    });

    it(`a minute and a half ago, with the customer made: ${who} repeats the key`, async () => {
      const app = await still();
      await caughtUp(app);
      const made = await leftBehind(app, true);
      await app.double.clock.advance({ seconds: 91 });
      app.double.requests.clear();
      await finishes(app);
      expect(app.double.objects("customer").map(({ id }) => id)).toEqual([made]);
      expect(sent(app, CREATE)).toBe(1);
      expect(sent(app, "GET /v1/customers/:customer")).toBe(1); // a replay is not trusted
      expect(sent(app, LIST)).toBe(0);
    });
  }

  it("is left alone while its lease lasts, and by the background a minute longer", async () => {
    const app = await still({ config: { timing: { claimPatience: 5_000 } } });
    await leftBehind(app, true);
    app.double.requests.clear();
    await billingError(setup(app.core, { entityId }));
    await app.double.clock.advance({ seconds: 60 });
    expect(await finishClaims(app.core)).toBe(0);
    expect(app.double.requests.count()).toBe(0);
  });

  it("with an attempt just before its key grew old is not looked up at once", async () => {
    const app = await still();
    await leftBehind(app, false);
    await app.double.clock.advance({ hours: 20 });
    app.double.faults.add({ fault: "rate_limited", on: CREATE });
    await billingError(setup(app.core, { entityId }));
    app.double.faults.clear();
    await app.double.clock.advance({ seconds: 10 });
    app.double.requests.clear();
    await billingError(setup(app.core, { entityId }));
    expect(app.double.requests.count()).toBe(0);
    await app.double.clock.advance({ seconds: 60 });
    await setup(app.core, { entityId });
    expect(await app.claim(entityId)).toMatchObject({ state: "linked", key: opening.key });
  });
});

describe("a deletion", () => {
  it("frees the entity, and the next setup makes a new customer within the key's life", async () => {
    const app = await still({ endpoint: true });
    const first = await setup(app.core, { entityId, email: "ada@example.com" });
    const { key } = (await app.claim(entityId))!;
    await app.stripe.customers.del(first.customerId);
    await app.double.settle();
    expect(await app.claim(entityId)).toMatchObject({ state: "free" });
    const second = await setup(app.core, { entityId, email: "ada@example.com" });
    expect(second.customerId).not.toBe(first.customerId);
    const claim = await app.claim(entityId);
    expect(claim).toMatchObject({ customerId: second.customerId, generation: 2 });
    expect(claim?.key).not.toBe(key);
    expect((await app.customers()).map(({ customerId }) => customerId)).toEqual([
      second.customerId,
    ]);
  });

  it("before the answer was heard: the replay is not trusted", async () => {
    const app = await still();
    const made = await leftBehind(app, true);
    await app.stripe.customers.del(made ?? "");
    await app.double.clock.advance({ seconds: 31 });
    const { customerId } = await setup(app.core, { entityId });
    expect(customerId).not.toBe(made);
    expect(app.double.objects("customer").map(({ id }) => id)).toEqual([customerId]);
  });

  it("that is told between the answer and its commit is not missed", async () => {
    const app = await still({ endpoint: false });
    let first = "";
    const core: Runtime = {
      ...app.core,
      store: behindGateway(
        {
          ...app.b.store,
          commit: async (batch) => {
            const link = batch.records?.find(({ kind, next }) => kind === "claim" && next?.ref);
            if (link !== undefined && first === "") {
              first = link.next?.ref ?? "";
              await app.stripe.customers.del(first);
              await tell(app, "customer.deleted");
            }
            return app.b.store.commit(batch);
          },
        },
        () => {},
      ),
    };
    const { customerId } = await setup(core, { entityId });
    expect(first).not.toBe("");
    expect(customerId).not.toBe(first);
    expect(app.double.objects("customer").map(({ id }) => id)).toEqual([customerId]);
  });

  it("that nobody told the claim of is noticed by the next setup", async () => {
    const app = await still();
    const { customerId } = await setup(app.core, { entityId });
    await app.stripe.customers.del(customerId);
    // As when an ask is answered with a deletion: the mirror knows, the claim does not.
    await commit(app.core, {
      source: "answer",
      units: [
        {
          snapshots: [
            {
              resource: "customers",
              id: customerId,
              origin: "page",
              kind: "deleted",
              usable: true,
              lo: app.double.clock.seconds(),
              hi: app.double.clock.seconds(),
              content: null,
            },
          ],
        },
      ],
    });
    const again = await setup(app.core, { entityId });
    expect(again.customerId).not.toBe(customerId);
  });
});

/** Hands the newest event of this type to the door, as a webhook does. */
async function tell({ core, stripe }: App, type: string): Promise<void> {
  const [raw] = (await stripe.events.list({ type })).data;
  const event = readEvent(JSON.parse(JSON.stringify(raw)));
  if (event === undefined) throw new Error(`There is no ${type}`);
  await receiveEvent(core, event);
}

describe("a customer.created event", () => {
  it("links a pending claim by the key of its request, before anybody else does", async () => {
    const app = await still({ endpoint: true });
    const made = await leftBehind(app, true);
    await app.double.settle();
    expect(await app.claim(entityId)).toMatchObject({ state: "linked", customerId: made });
    app.double.requests.clear();
    expect(await setup(app.core, { entityId })).toEqual({ customerId: made });
    expect(app.double.requests.count()).toBe(0);
    expect(await app.customers()).toMatchObject([{ entityId, customerId: made }]);
  });

  it("links it by a key that was given up, too", async () => {
    const app = await still({ endpoint: true });
    const claim = rotated(opened(undefined, opening), "another-key");
    await put(app.core, undefined, claim);
    const { id } = await app.stripe.customers.create(params, {
      idempotencyKey: opening.key,
    });
    await app.double.settle();
    expect(await app.claim(entityId)).toMatchObject({ state: "linked", customerId: id });
  });

  it("of a customer made elsewhere does not resolve a pending claim, and is reported", async () => {
    const app = await still({ endpoint: true });
    await leftBehind(app, false);
    const { id } = await app.stripe.customers.create({ metadata: { entityId } });
    await app.double.settle();
    expect(await app.claim(entityId)).toMatchObject({ state: "open", others: [id] });
    expect(app.log).toContain(
      `A second customer carries an entity's id; it is mirrored and not linked: ${id}`,
    );
  });
});
