import { describe, expect, it } from "vitest";
import { afterFailure } from "../../../src/core/customers/claim/answer.js";
import {
  attempting,
  besides,
  type Claim,
  claimId,
  claimOf,
  claimWrite,
  doubted,
  forgotten,
  freed,
  isTooOld,
  leased,
  linkedTo,
  listedSince,
  mustSearch,
  nextCounter,
  type Opening,
  opened,
  outlived,
  provisionally,
  refused,
  renewed,
  retried,
  rotated,
  searchedInVain,
  settled,
  usedUp,
} from "../../../src/core/customers/claim/claim.js";
import { claimKey, counterIn } from "../../../src/core/customers/claim/key.js";
import {
  afterForeignSighting,
  afterSighting,
  madeBy,
  type Sighting,
} from "../../../src/core/customers/claim/sightings.js";
import type { StoredRecord } from "../../../src/core/mirror/store.js";
import { TIMING } from "../../../src/core/runtime/config.js";

const NOW = 1_800_000_000_000;
const HOUR = 60 * 60 * 1000;
const opening: Opening = {
  entityId: "user_1",
  account: null,
  livemode: false,
  counter: 1,
  key: "key-1",
  params: { email: "ada@example.com", metadata: { entityId: "user_1" } },
};
const open = opened(undefined, opening);
const sent = leased(attempting(open, NOW), NOW, TIMING);
const uncertain = doubted(sent, "answer", NOW, TIMING);
const linked = linkedTo(sent, "cus_1", true);
const free = freed(linked);

describe("what follows from an answer that is no success", () => {
  const cases: [Parameters<typeof afterFailure>[0], ReturnType<typeof afterFailure>][] = [
    [{ status: undefined, replayed: false, type: undefined }, "again"],
    [{ status: 409, replayed: false, type: "invalid_request_error" }, "again"],
    [{ status: 429, replayed: false, type: "invalid_request_error" }, "again"],
    [{ status: 401, replayed: false, type: "invalid_request_error" }, "again"],
    [{ status: 403, replayed: false, type: "invalid_request_error" }, "again"],
    [{ status: 500, replayed: false, type: "api_error" }, "again"],
    [{ status: 502, replayed: false, type: undefined }, "again"],
    [{ status: 503, replayed: false, type: "api_error" }, "again"],
    [{ status: 500, replayed: true, type: "api_error" }, "doubt"],
    [{ status: 503, replayed: true, type: "api_error" }, "doubt"],
    [{ status: 400, replayed: false, type: "idempotency_error" }, "conflict"],
    [{ status: 400, replayed: false, type: "invalid_request_error" }, "refuse"],
    [{ status: 400, replayed: true, type: "invalid_request_error" }, "rotate"],
    [{ status: 402, replayed: false, type: "card_error" }, "refuse"],
    [{ status: 404, replayed: false, type: "invalid_request_error" }, "refuse"],
  ];
  it.each(cases)("%o is %s", (attempted, next) => {
    expect(afterFailure(attempted)).toBe(next);
  });
});

describe("a claim", () => {
  it("begins open and untried, in a generation of its own, with the exact parameters", () => {
    expect(open).toMatchObject({ ...opening, state: "open", generation: 1, firstAttemptAt: null });
    const next = opened(free, { ...opening, counter: 2, key: "key-2" });
    expect(next).toMatchObject({ generation: 2, key: "key-2", past: [], firstAttemptAt: null });
    expect(next.spent).toBe(false);
  });

  it("has the first attempt of its key, and of its generation, on record", () => {
    expect(sent).toMatchObject({ since: NOW, firstAttemptAt: NOW, lastAttemptAt: NOW });
    const again = attempting(sent, NOW + 5);
    expect(again).toMatchObject({ since: NOW, firstAttemptAt: NOW, lastAttemptAt: NOW + 5 });
    const other = attempting(rotated(again, "key-2"), NOW + 9);
    expect(other).toMatchObject({ since: NOW, firstAttemptAt: NOW + 9, lastAttemptAt: NOW + 9 });
  });

  it("is one caller's for as long as the lease", () => {
    expect(leased(open, NOW, TIMING).leasedUntil).toBe(NOW + 30_000);
    expect(leased(open, NOW, TIMING).firstAttemptAt).toBeNull();
  });

  it("is tried again after a pause that grows up to five seconds", () => {
    let claim = sent;
    const pauses = Array.from({ length: 9 }, () => {
      claim = retried(claim, NOW, 1);
      return claim.notBefore - NOW;
    });
    expect(pauses).toEqual([100, 200, 400, 800, 1600, 3200, 5000, 5000, 5000]);
    expect(retried(sent, NOW, 0).notBefore - NOW).toBe(50);
    expect(claim).toMatchObject({ state: "open", key: "key-1", leasedUntil: 0 });
  });

  it("is not to be trusted once its key is 20 hours old", () => {
    expect(isTooOld(sent, NOW + 20 * HOUR, TIMING)).toBe(false);
    expect(isTooOld(sent, NOW + 20 * HOUR + 1, TIMING)).toBe(true);
    expect(isTooOld(open, NOW + 48 * HOUR, TIMING)).toBe(false);
    expect(isTooOld(uncertain, NOW + 48 * HOUR, TIMING)).toBe(false);
    expect(isTooOld(linked, NOW + 48 * HOUR, TIMING)).toBe(false);
  });

  it("that outlived its key is looked into a minute after its last attempt", () => {
    const late = attempting(sent, NOW + 21 * HOUR);
    expect(outlived(late, TIMING)).toMatchObject({
      state: "uncertain",
      notBefore: NOW + 21 * HOUR + 60_000,
    });
  });

  it("that seemed to outlive its key goes on under the same one, for the request may be under way", () => {
    const again = renewed(outlived(sent, TIMING));
    expect(again).toMatchObject({
      state: "open",
      doubt: null,
      key: sent.key,
      counter: sent.counter,
    });
    expect(isTooOld(again, NOW - 24 * HOUR, TIMING)).toBe(false);
    expect(isTooOld(again, NOW + 24 * HOUR, TIMING)).toBe(false);
  });

  it("in doubt waits a minute, keeps its key, and belongs to nobody", () => {
    expect(uncertain).toMatchObject({
      state: "uncertain",
      key: "key-1",
      notBefore: NOW + 60_000,
      leasedUntil: 0,
    });
  });

  it("that found nothing goes on under a new key and remembers the old ones", () => {
    const twice = rotated(doubted(rotated(uncertain, "key-2"), "answer", NOW, TIMING), "key-3");
    expect(twice.counter).toBe(3);
    expect(twice).toMatchObject({ state: "open", key: "key-3", past: ["key-1", "key-2"] });
    expect(twice).toMatchObject({ firstAttemptAt: null, notBefore: 0, params: opening.params });
    expect(rotated(retried(uncertain, NOW, 1), "key-2").failures).toBe(0);
    expect(["key-1", "key-2", "key-3"].every((key) => madeBy(twice, key))).toBe(true);
    expect(madeBy(twice, "key-4")).toBe(false);
    expect(madeBy(twice, null)).toBe(false);
  });

  it("is searched for while the mirror is 20 hours behind or knows nothing, every ten minutes", () => {
    const seconds = NOW / 1000;
    const must = (claim: Claim, knownUntil: number | undefined, now = NOW) =>
      mustSearch(claim, knownUntil, now, TIMING);
    expect(must(open, seconds - 20 * 3600)).toBe(false);
    expect(must(open, seconds - 20 * 3600 - 1)).toBe(true);
    expect(must(open, undefined)).toBe(true);
    expect(must(sent, undefined)).toBe(true); // not only before the first request
    const looked = searchedInVain(leased(open, NOW, TIMING), NOW);
    expect(looked).toMatchObject({ state: "open", lookedAt: NOW, leasedUntil: 0 });
    expect(must(looked, undefined, NOW + 10 * 60_000)).toBe(false);
    expect(must(looked, undefined, NOW + 10 * 60_000 + 1)).toBe(true);
  });

  it("whose key carried other parameters is looked into at once, and once more later", () => {
    const conflict = doubted(sent, "conflict", NOW, TIMING);
    expect(conflict).toMatchObject({ state: "uncertain", notBefore: NOW, leasedUntil: 0 });
    const looked = doubted(conflict, "looked", NOW, TIMING);
    expect(looked).toMatchObject({ state: "uncertain", notBefore: NOW + 60_000 });
  });

  it("in doubt is looked for from its first attempt, after a conflict as far back as a key lives", () => {
    const seconds = NOW / 1000;
    const late = NOW + HOUR;
    expect(listedSince(uncertain, undefined, late)).toBe(seconds - 60);
    for (const doubt of ["conflict", "looked"] as const) {
      const claim = doubted(sent, doubt, NOW, TIMING);
      expect(listedSince(claim, undefined, late)).toBe(seconds + 3600 - 25 * 3600);
      // The mirror knows of all that were made until then.
      expect(listedSince(claim, seconds - 7200, late)).toBe(seconds - 7200 - 600);
      expect(listedSince(claim, seconds + 3600, late)).toBe(seconds - 60);
    }
  });

  it("linked to a customer drops it from the others, and freed forgets it", () => {
    const crowded = linkedTo(besides(sent, ["cus_1", "cus_2"]), "cus_1");
    expect(crowded).toMatchObject({ state: "linked", customerId: "cus_1", others: ["cus_2"] });
    expect(freed(crowded)).toMatchObject({ state: "free", customerId: null, others: ["cus_2"] });
  });
});

describe("the counter of the key", () => {
  const next = (claim: Claim | undefined, now = NOW) => nextCounter(claim, now, TIMING);

  it("begins at one", () => {
    expect(next(undefined)).toBe(1);
  });

  it("rises when the customer that the key made is gone", () => {
    expect(next(freed(linked))).toBe(2);
    expect(next(usedUp(sent))).toBe(2);
  });

  it("stays when another customer is gone than the key's own, and keeps the age of the key", () => {
    const adopted = freed(linkedTo(sent, "cus_2"));
    expect(next(adopted)).toBe(1);
    const again = opened(adopted, opening);
    expect(again).toMatchObject({ since: NOW, firstAttemptAt: NOW, lastAttemptAt: NOW });
  });

  it("rises when the last attempt is so old that Stripe may have forgotten the key", () => {
    const adopted = freed(linkedTo(sent, "cus_2"));
    expect(next(adopted, NOW + 20 * HOUR)).toBe(1);
    expect(next(adopted, NOW + 20 * HOUR + 1)).toBe(2);
  });

  it("stays after a refusal, and after a claim under which nothing was sent", () => {
    const rejected = refused(sent, open);
    expect(rejected).toMatchObject({ state: "free", firstAttemptAt: null, spent: false });
    expect(next(rejected)).toBe(1);
    expect(next(freed(open))).toBe(1);
    const second = attempting(sent, NOW + 5);
    expect(refused(second, sent)).toMatchObject({ firstAttemptAt: NOW, lastAttemptAt: NOW });
  });

  it("begins at one after a random key of an earlier version", () => {
    const { counter, spent, made, written, lookedAt, doubt, ...old } = { ...sent, searched: true };
    const record = { kind: "claim", id: "user_1", revision: 1, ref: null, due: null } as const;
    const claim = claimOf({ ...record, data: { ...old, key: "b0a9-random" } })!;
    expect(claim).toMatchObject({ state: "open", key: "b0a9-random", counter: 0, doubt: null });
    expect(next(freed(linkedTo(claim, "cus_1", true)))).toBe(1);
    expect(opened(freed(claim), opening).firstAttemptAt).toBeNull();
    const on = rotated(doubted(claim, "answer", NOW, TIMING), "key-1");
    expect(on).toMatchObject({ counter: 1, past: ["b0a9-random"] });
    expect({ counter, spent, made, written, lookedAt, doubt }).toMatchObject({ counter: 1 });
  });
});

describe("the key", () => {
  const owner = { entityId: "user_1", account: null, livemode: false };

  it("follows from the entity and the counter, and shows the counter alone", async () => {
    const key = await claimKey({ ...owner, counter: 3 });
    expect(key).toBe(await claimKey({ ...owner, counter: 3 }));
    expect(key).toMatch(/^backend-billing-[\da-f]{64}-3$/);
    expect(key).not.toContain("user_1");
    expect(await counterIn(owner, key)).toBe(3);
  });

  it("is another one for everything that tells two customers apart", async () => {
    const others = [
      { ...owner, entityId: "user_2" },
      { ...owner, account: "acct_1" },
      { ...owner, account: "user_1", entityId: "" },
      { ...owner, livemode: true },
      { ...owner, app: "shop" },
    ];
    const keys = await Promise.all([owner, ...others].map((o) => claimKey({ ...o, counter: 1 })));
    expect(new Set(keys).size).toBe(keys.length);
    for (const other of others) expect(await counterIn(other, keys[0] ?? "")).toBeUndefined();
    expect(await claimKey({ ...owner, app: undefined, counter: 1 })).toBe(keys[0]);
  });

  it("fits what Stripe takes, whatever the entity is called", async () => {
    const key = await claimKey({
      ...owner,
      entityId: "\u{1f511}".repeat(250),
      counter: 999_999_999,
    });
    expect(key).toMatch(/^[\w-]{1,255}$/);
  });

  it("of another kind has no counter", async () => {
    for (const key of [null, "", "b0a9-random", "backend-billing-00-1"]) {
      expect(await counterIn(owner, key)).toBeUndefined();
    }
  });
});

describe("a customer that is gone", () => {
  it("frees its claim", () => {
    expect(forgotten(linked, NOW)).toMatchObject({ state: "free", customerId: null, spent: true });
  });

  it("puts a claim that is under a lease back to open, with the same key and parameters", () => {
    const told = afterSighting(
      sent,
      { id: "cus_1", idempotencyKey: "key-1", counter: 1, at: NOW, isOlder: false },
      opening,
    );
    expect(told).toMatchObject({ state: "linked", made: true, leasedUntil: NOW + 30_000 });
    expect(forgotten(told, NOW + 29_999)).toMatchObject({
      state: "open",
      customerId: null,
      key: "key-1",
      params: opening.params,
      leasedUntil: NOW + 30_000,
    });
    expect(forgotten(told, NOW + 30_000)).toMatchObject({ state: "free", spent: true });
  });
});

describe("the record of a claim", () => {
  const due = (claim: Claim) => claimWrite(undefined, claim, NOW, TIMING).next?.due;

  it("is due a minute after somebody had his time, while it is pending", () => {
    expect(due(open)).toBe(NOW + 60_000);
    expect(due(sent)).toBe(NOW + 30_000 + 60_000);
    expect(due(uncertain)).toBe(NOW + 60_000 + 60_000);
    expect(due(linked)).toBeNull();
    expect(due(free)).toBeNull();
  });

  it("holds what is sent only while it may be sent", () => {
    const params = (claim: Claim) => claimWrite(undefined, claim, NOW, TIMING).next?.data.params;
    for (const claim of [open, sent, uncertain]) expect(params(claim)).toEqual(opening.params);
    for (const claim of [linked, free, refused(sent, open)]) expect(params(claim)).toBeNull();
    // A link under a lease may have to be opened again; the background drops them afterwards.
    const told = { ...linked, leasedUntil: NOW + 1 };
    expect(params(told)).toEqual(opening.params);
    expect(due(told)).toBe(NOW + 1 + 60_000);
  });

  it("points at the customer only while linked", () => {
    const ref = (claim: Claim) => claimWrite(undefined, claim, NOW, TIMING).next?.ref;
    expect([open, sent, uncertain, linked, free].map(ref)).toEqual([
      null,
      null,
      null,
      "cus_1",
      null,
    ]);
  });

  it("replaces exactly what was read, under the entity's own id", () => {
    const record: StoredRecord = {
      kind: "claim",
      id: "user_1",
      revision: 7,
      ref: null,
      due: null,
      data: {},
    };
    expect(claimWrite(record, open, NOW, TIMING)).toMatchObject({ id: "user_1", expect: 7 });
    expect(claimWrite(undefined, open, NOW, TIMING).expect).toBe(0);
  });

  it("of a connected account is another one", () => {
    const ids = [null, "acct_1", "acct_2"].map((account) =>
      claimId({ entityId: "user_1", account }),
    );
    expect(ids[0]).toBe("user_1");
    expect(new Set(ids).size).toBe(3);
  });
});

describe("what a sighting of a customer makes of a claim", () => {
  const see = (claim: Claim | undefined, sighting: Partial<Sighting>) =>
    afterSighting(
      claim,
      {
        id: "cus_2",
        idempotencyKey: null,
        counter: undefined,
        at: NOW,
        isOlder: false,
        ...sighting,
      },
      { ...opening, counter: 9, key: "key-9", params: null },
    );
  const kept = linkedTo(sent, "cus_1");
  const taken = provisionally(kept);

  it("nobody claims it: it is adopted, for whoever asks first", () => {
    expect(see(undefined, {})).toMatchObject({
      state: "linked",
      customerId: "cus_2",
      generation: 1,
    });
    expect(see(free, {})).toMatchObject({ state: "linked", customerId: "cus_2", generation: 2 });
    expect(see(free, {}).provisional).toBe(true);
    expect(settled(see(free, {})).provisional).toBe(false);
  });

  it("it is the one that is linked: nothing", () => {
    expect(see(kept, { id: "cus_1" })).toBe(kept);
  });

  it("it was made by this claim, under its key or a past one: linked", () => {
    const later = rotated(uncertain, "key-2");
    for (const claim of [sent, uncertain]) {
      expect(see(claim, { idempotencyKey: "key-1" })).toMatchObject({ customerId: "cus_2" });
    }
    for (const idempotencyKey of ["key-1", "key-2"]) {
      const next = see(later, { idempotencyKey });
      expect(next).toMatchObject({ state: "linked", customerId: "cus_2", provisional: false });
    }
  });

  it("it was made elsewhere while this claim is pending: it is remembered, not linked", () => {
    for (const claim of [sent, uncertain]) {
      const next = see(claim, { idempotencyKey: "another-key" });
      expect(next).toMatchObject({ state: claim.state, customerId: null, others: ["cus_2"] });
      expect(see(next, {})).toBe(next);
    }
  });

  it("nothing was sent under the claim's key yet: it is linked, wherever it was made", () => {
    const next = see(open, { idempotencyKey: "another-key" });
    expect(next).toMatchObject({ state: "linked", customerId: "cus_2", made: false });
  });

  it("nobody claims it and it was made under a later key than is known: that key is learnt", () => {
    const sighting = { idempotencyKey: "key-12", counter: 12, at: NOW - 5_000 };
    const learnt = see(free, sighting);
    expect(learnt).toMatchObject({ counter: 12, key: "key-12", firstAttemptAt: NOW - 5_000 });
    expect(nextCounter(freed(learnt), NOW, TIMING)).toBe(13);
    const older = see(free, { idempotencyKey: "key-8", counter: 8 });
    expect(older).toMatchObject({ counter: 9, key: "key-9", made: false, firstAttemptAt: null });
    expect(nextCounter(freed(older), NOW, TIMING)).toBe(9);
    expect(see(undefined, {})).toMatchObject({ counter: 9, key: "key-9", made: false });
  });

  it("it is one too many: it is remembered, and the link stays, older or not", () => {
    for (const isOlder of [false, true]) {
      const next = see(kept, { isOlder });
      expect(next).toMatchObject({ customerId: "cus_1", others: ["cus_2"] });
      expect(see(next, { isOlder })).toBe(next);
    }
  });

  it("it is older than one that was adopted and given to nobody yet: the link goes to it", () => {
    expect(see(taken, { isOlder: true })).toMatchObject({
      customerId: "cus_2",
      others: ["cus_1"],
      provisional: true,
    });
    expect(see(taken, { isOlder: false })).toMatchObject({
      customerId: "cus_1",
      others: ["cus_2"],
    });
    expect(see(settled(taken), { isOlder: true })).toMatchObject({ customerId: "cus_1" });
  });

  it("it is another application's: nothing, also where nobody claims it", () => {
    const other = { id: "cus_2", idempotencyKey: "another-key" };
    for (const claim of [undefined, free, open, sent, uncertain, kept, taken]) {
      expect(afterForeignSighting(claim, other)).toBe(claim);
      expect(afterForeignSighting(claim, { ...other, idempotencyKey: null })).toBe(claim);
    }
    for (const claim of [free, kept]) {
      expect(afterForeignSighting(claim, { ...other, idempotencyKey: "key-1" })).toBe(claim);
    }
  });

  it("it carries no application's name because this claim is older than that: linked", () => {
    for (const claim of [sent, uncertain]) {
      const next = afterForeignSighting(claim, { id: "cus_2", idempotencyKey: "key-1" });
      expect(next).toMatchObject({ state: "linked", customerId: "cus_2" });
    }
  });
});
