/** Values that are seldom expected: what a browser, a queue or a database could hand over. */
import type { Dice } from "./dice.js";

/** Ids that would lead elsewhere if they were put into a path as they are. */
export const PATHS: readonly string[] = [
  "..",
  ".",
  "../../v1/accounts",
  "cus_1/../../account",
  "%2e%2e/x",
  "a/b",
  "cus_1?expand[]=sources",
  "cus_1#x",
  "\\..\\x",
  "//evil.example",
  "search",
  "cus_1\r\nHost: evil.example",
];

/** Texts; those that are not in `PATHS` are texts of the wrong kind. */
export const TEXTS: readonly string[] = [
  ...PATHS,
  "",
  " ",
  "\u0000",
  "a\u0000b",
  "\ud800",
  "x\udfffy",
  "\u001f",
  "\u2028",
  "\ufeff",
  "\u202eabc",
  "💥",
  "e\u0301",
  "__proto__",
  "constructor",
  "toString",
  "hasOwnProperty",
  "undefined",
  "null",
  "NaN",
  "0",
  "-1",
  "1e400",
  "'; DROP TABLE x; --",
  '"',
  "$1",
  "{CHECKOUT_SESSION_ID}",
  "#{7*7}",
  "<script>alert(1)</script>",
  "javascript:alert(1)",
  "https://evil.example/",
  "x".repeat(501),
  "x".repeat(5_000),
  "漢".repeat(1_500),
];

const NUMBERS: readonly number[] = [
  0,
  -0,
  -1,
  1.5,
  2 ** 31,
  2 ** 53,
  -(2 ** 53),
  1e21,
  1e308,
  Number.NaN,
  Number.POSITIVE_INFINITY,
  Number.NEGATIVE_INFINITY,
  5e-324,
];

/** What JSON can say, in which a setter or a prototype of its own may hide. */
const SHAPES: readonly (() => unknown)[] = [
  () => null,
  () => true,
  () => false,
  () => [],
  () => ({}),
  () => [[[[[]]]]],
  () => [null],
  () => ["user_1"],
  () => ({ id: "user_1" }),
  () => ({ toString: 1, valueOf: 1 }),
  () => ({ length: 1e9 }),
  () => JSON.parse('{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}'),
  () => ({ $gt: "" }),
  () => ({ "": { "\u0000": "\ud800" } }),
  () => JSON.parse('{"then":"no promise"}'),
];

/** What JSON cannot say, but a caller in the same process can pass. */
const FOREIGN: readonly (() => unknown)[] = [
  () => undefined,
  () => 10n,
  () => new Date(Number.NaN),
  () => new Map([["a", 1]]),
  () => () => "called",
  () => Object.create(null) as unknown,
  () => /x/g,
  () => new Uint8Array(3),
];

/** Anything that JSON can say. */
export function oddJson(dice: Dice): unknown {
  switch (dice.below(4)) {
    case 0:
      return dice.pick(NUMBERS.filter(Number.isFinite));
    case 1:
      return dice.pick(SHAPES)();
    default:
      return dice.pick(TEXTS);
  }
}

/** Anything at all. */
export function odd(dice: Dice): unknown {
  switch (dice.below(6)) {
    case 0:
      return dice.pick(NUMBERS);
    case 1:
      return dice.pick(SHAPES)();
    case 2:
      return dice.pick(FOREIGN)();
    default:
      return dice.pick(TEXTS);
  }
}

/** Whether any object has come to have what none may have. */
export const isPolluted = (): boolean =>
  "polluted" in {} || Object.keys(Object.prototype).length > 0 || "polluted" in Object;
