import { describe, expect, it } from "vitest";
import {
  afterFailure,
  afterSight,
  attempting,
  besides,
  type Claim,
  claimId,
  claimWrite,
  doubted,
  freed,
  isTooOld,
  leased,
  linkedTo,
  madeBy,
  type Opening,
  opened,
  outlived,
  provisionally,
  retried,
  rotated,
  type Sighted,
  searchedInVain,
  settled,
} from "../../src/core/claims.js";
import { TIMING } from "../../src/core/config.js";
import type { StoredRecord } from "../../src/core/store.js";

const NOW = 1_800_000_000_000;
const HOUR = 60 * 60 * 1000;
const opening: Opening = {
  entityId: "user_1",
  account: null,
  livemode: false,
  key: "key-1",
  params: { email: "ada@example.com", metadata: { entityId: "user_1" } },
  searched: true,
};
const open = opened(undefined, opening);
const sent = leased(attempting(open, NOW), NOW, TIMING);
const uncertain = doubted(sent, NOW, TIMING);
const linked = linkedTo(sent, "cus_1");
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
    [{ status: 400, replayed: false, type: "idempotency_error" }, "doubt"],
    [{ status: 400, replayed: false, type: "invalid_request_error" }, "refuse"],
    [{ status: 400, replayed: true, type: "invalid_request_error" }, "refuse"],
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
    const next = opened(free, { ...opening, key: "key-2" });
    expect(next).toMatchObject({ generation: 2, key: "key-2", past: [], firstAttemptAt: null });
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

  it("in doubt waits a minute, keeps its key, and belongs to nobody", () => {
    expect(uncertain).toMatchObject({
      state: "uncertain",
      key: "key-1",
      notBefore: NOW + 60_000,
      leasedUntil: 0,
    });
  });

  it("that found nothing goes on under a new key and remembers the old ones", () => {
    const twice = rotated(doubted(rotated(uncertain, "key-2"), NOW, TIMING), "key-3");
    expect(twice).toMatchObject({ state: "open", key: "key-3", past: ["key-1", "key-2"] });
    expect(twice).toMatchObject({ firstAttemptAt: null, notBefore: 0, params: opening.params });
    expect(rotated(retried(uncertain, NOW, 1), "key-2").failures).toBe(0);
    expect(["key-1", "key-2", "key-3"].every((key) => madeBy(twice, key))).toBe(true);
    expect(madeBy(twice, "key-4")).toBe(false);
    expect(madeBy(twice, null)).toBe(false);
  });

  it("that was searched for is not searched for again", () => {
    const claim = leased({ ...open, searched: false }, NOW, TIMING);
    expect(searchedInVain(claim)).toMatchObject({ searched: true, leasedUntil: 0 });
  });

  it("linked to a customer drops it from the others, and freed forgets it", () => {
    const crowded = linkedTo(besides(sent, ["cus_1", "cus_2"]), "cus_1");
    expect(crowded).toMatchObject({ state: "linked", customerId: "cus_1", others: ["cus_2"] });
    expect(freed(crowded)).toMatchObject({ state: "free", customerId: null, others: ["cus_2"] });
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

describe("what a sight of a customer makes of a claim", () => {
  const see = (claim: Claim | undefined, sighted: Partial<Sighted>) =>
    afterSight(
      claim,
      { id: "cus_2", idempotencyKey: null, isOlder: false, ...sighted },
      { ...opening, key: "key-9" },
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
    for (const claim of [open, sent, uncertain]) {
      const next = see(claim, { idempotencyKey: "key-of-somebody" });
      expect(next).toMatchObject({ state: claim.state, customerId: null, others: ["cus_2"] });
      expect(see(next, {})).toBe(next);
    }
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
});
