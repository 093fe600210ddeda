import { convexToJson, getConvexSize, type Value } from "convex/values";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decode, encode } from "../../src/convex/calls/encode.js";
import { fitted, fittedPair, LIMITS, OMITTED } from "../../src/convex/calls/fit.js";

describe("field names", () => {
  it.each([
    ["plan", "plan"],
    ["a.b", "a.b"],
    ["_y", "_y"],
    ["with space", "with space"],
    ["100%", "100%"],
    ["clé", "~cl%C3%A9"],
    ["$x", "~$x"],
    ["", "~"],
    ["🙂", "~%F0%9F%99%82"],
    ["~", "~~"],
    ["~cl%C3%A9", "~~cl%25C3%25A9"],
    ["é%u00e9", "~%C3%A9%25u00e9"],
    ["tab\t", "~tab%09"],
  ])("stores %j as %j, and reads it back", (key, stored) => {
    expect(encode({ [key]: 1 })).toEqual({ [stored]: 1 });
    expect(decode(encode({ [key]: 1 }))).toEqual({ [key]: 1 });
  });

  it("takes any key there is, and no two become one", () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string({ unit: "binary" }), fc.integer()), (metadata) => {
        const stored = encode({ metadata });
        convexToJson(stored as Value); // throws for a name that Convex refuses
        expect(Object.keys(stored.metadata)).toHaveLength(Object.keys(metadata).length);
        expect(decode(stored)).toEqual({ metadata });
      }),
      { numRuns: 2_000 },
    );
  });
});

describe("what is larger than a document", () => {
  const nested = (depth: number): object =>
    depth === 0 ? { end: true } : { inner: nested(depth - 1) };
  const depthOf = (value: unknown): number =>
    typeof value !== "object" || value === null
      ? 0
      : 1 + Math.max(0, ...Object.values(value).map(depthOf));

  it("leaves what fits as it is", () => {
    const object = { id: "prod_1", name: "Pro", metadata: { a: "b" } };
    expect(fitted(object)).toBe(object);
  });

  it("keeps the small fields of an object of 2 MiB and names what it left out", () => {
    const items = Array.from({ length: 2_000 }, (_, i) => ({
      id: `si_${i}`,
      text: "x".repeat(1_000),
    }));
    const stored = fitted({
      id: "sub_1",
      items: { data: items, has_more: false },
      status: "active",
    });
    expect(getConvexSize(stored as Value)).toBeLessThan(1024 * 1024 - 2_000);
    expect(stored).toMatchObject({ id: "sub_1", status: "active", items: { has_more: false } });
    const { data } = (stored as { items: { data: unknown[] } }).items;
    expect(data).toEqual(items.slice(0, data.length));
    expect(data.length).toBeGreaterThan(900);
    expect(stored).toHaveProperty([OMITTED], [`items.data[${data.length}…]`]);
  });

  it("leaves out a text of 2 MiB", () => {
    expect(fitted({ id: "prod_1", description: "é".repeat(1024 * 1024) })).toEqual({
      id: "prod_1",
      [OMITTED]: ["description"],
    });
  });

  it("leaves out a list for which not even its brackets have room", () => {
    const object = { a: "x".repeat(20), list: [1, 2, 3, 4] };
    for (let bytes = 1; bytes < getConvexSize(object); bytes++) {
      const { [OMITTED]: _, ...rest } = fitted(object, { ...LIMITS, bytes }) as Record<
        string,
        Value
      >;
      expect(getConvexSize(rest)).toBeLessThanOrEqual(Math.max(2, bytes));
    }
  });

  it("cuts a nesting of 20", () => {
    const stored = fitted({ id: "prod_1", deep: nested(20) });
    expect(depthOf(stored)).toBe(LIMITS.depth);
    expect(stored).toHaveProperty([OMITTED], [expect.stringMatching(/^deep(\.inner)+$/)]);
  });

  it("cuts an array of 9,000 elements", () => {
    const list = Array.from({ length: 9_000 }, (_, i) => i);
    expect(fitted({ list })).toEqual({ list: list.slice(0, 8_192), [OMITTED]: ["list[8192…]"] });
  });

  it("keeps all of the smaller of two objects in one document, and the small fields of both", () => {
    const object = (size: number) => ({ id: "in_1", status: "open", text: "x".repeat(size) });
    const [small, large, larger] = [object(300_000), object(800_000), object(900_000)];
    expect(fittedPair(null, large)).toEqual([null, large]);
    expect(fittedPair(small, small)).toEqual([small, small]);
    const cut = { id: "in_1", status: "open", [OMITTED]: ["text"] };
    expect(fittedPair(small, large)).toEqual([small, cut]);
    expect(fittedPair(large, small)).toEqual([cut, small]);
    expect(fittedPair(large, larger)).toEqual([cut, cut]);
  });

  it("fits whatever it is given", () => {
    const small = { bytes: 400, elements: 4, fields: 4, depth: 4 };
    const within = (value: unknown, depth = 1): boolean =>
      typeof value !== "object" ||
      value === null ||
      (depth <= small.depth &&
        Object.keys(value).length <= (Array.isArray(value) ? small.elements : small.fields) &&
        Object.values(value).every((inner) => within(inner, depth + 1)));
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 8 })), (object) => {
        const { [OMITTED]: omitted, ...rest } = fitted(object, small) as Record<string, Value>;
        expect(getConvexSize(rest)).toBeLessThanOrEqual(small.bytes);
        expect(within(rest)).toBe(true);
        if (omitted === undefined) expect(rest).toEqual(object);
      }),
      { numRuns: 2_000 },
    );
  });
});
