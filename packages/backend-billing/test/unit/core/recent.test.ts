// What caches keep: what was used lately, and no more than promised.
import { describe, expect, it } from "vitest";
import { createRecent } from "../../../src/core/runtime/recent.js";

describe("what was used lately", () => {
  const make = (size = 100) => createRecent<number>({ size, life: 10 });
  const known = (recent: ReturnType<typeof make>, keys: readonly string[]) =>
    keys.filter((key) => recent.get(key) !== undefined);

  it("is known as it was set last", () => {
    const recent = make();
    recent.set("a", 1, 0);
    recent.set("a", 2, 15);
    expect(recent.get("a")).toBe(2);
    recent.delete("a");
    expect(recent.get("a")).toBeUndefined();
  });

  it("is forgotten once it was not set for twice its life, while others are", () => {
    const recent = make();
    recent.set("a", 1, 0);
    for (let now = 1; now < 20; now++) {
      recent.set("b", 1, now);
      expect(known(recent, ["a", "b"])).toEqual(["a", "b"]);
    }
    recent.set("b", 1, 20);
    expect(known(recent, ["a", "b"])).toEqual(["b"]);
  });

  it("is replaced where it is known, and forgotten no later for that", () => {
    const recent = make();
    recent.set("a", 1, 0);
    recent.replace("a", 2);
    recent.set("b", 1, 12);
    recent.replace("a", 3);
    recent.replace("c", 3);
    expect(["a", "b", "c"].map(recent.get)).toEqual([3, 1, undefined]);
    recent.set("b", 1, 24);
    expect(known(recent, ["a", "b"])).toEqual(["b"]);
  });

  it("is forgotten all together after a long pause", () => {
    const recent = make();
    for (const key of ["a", "b", "c"]) recent.set(key, 1, 0);
    recent.set("d", 1, 1_000);
    expect(known(recent, ["a", "b", "c", "d"])).toEqual(["d"]);
  });

  it("is at least of its size, and at most of twice that", () => {
    const recent = make(100);
    const keys = Array.from({ length: 1_050 }, (_, n) => String(n));
    for (const key of keys) recent.set(key, 1, 0);
    const last = known(recent, keys);
    expect(last).toEqual(keys.slice(-last.length));
    expect(last.length).toBeGreaterThanOrEqual(100);
    expect(last.length).toBeLessThanOrEqual(200);
  });
});
