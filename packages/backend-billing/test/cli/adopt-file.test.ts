// What `adopt` makes of a file, as tables.
import { describe, expect, it } from "vitest";
import { csvOf, parseCsv } from "../../src/cli/adopt/csv.js";
import { readPairs } from "../../src/cli/adopt/pairs.js";

const fieldsOf = (text: string) => parseCsv(text).map(({ fields }) => fields);

describe("comma-separated values", () => {
  it.each([
    [
      "a,b\nc,d\n",
      [
        ["a", "b"],
        ["c", "d"],
      ],
    ],
    [
      "a,b\r\nc,d",
      [
        ["a", "b"],
        ["c", "d"],
      ],
    ],
    ["\uFEFFa,b", [["a", "b"]]],
    ['"a,b","c ""d"""\n', [["a,b", 'c "d"']]],
    ['"a\nb",c', [["a\nb", "c"]]],
    [
      "a,\n,b",
      [
        ["a", ""],
        ["", "b"],
      ],
    ],
    ["\n\na,b\n\n", [["a", "b"]]],
    ['""', [[""]]],
    ["", []],
  ])("%j", (text, rows) => {
    expect(fieldsOf(text)).toEqual(rows);
  });

  it.each(['"a', 'a"b,c', '"a"b,c', 'x\ny,"z'])("%j is refused", (text) => {
    expect(() => parseCsv(text)).toThrow(/quote/);
  });

  it("lines are counted through quotes", () => {
    expect(parseCsv('a\n"b\nb"\nc\n').map(({ line }) => line)).toEqual([1, 2, 4]);
  });

  it("what is written is read again", () => {
    const rows = [
      ["a", 'say "b", c'],
      ["d\ne", ""],
    ];
    expect(fieldsOf(csvOf(rows))).toEqual(rows);
  });
});

describe("pairs", () => {
  const codes = (text: string) => {
    const { pairs, refused } = readPairs(text);
    return [
      pairs.map(({ entityId, customerId }) => `${entityId} ${customerId}`),
      refused.map(({ line, code }) => `${line} ${code}`),
    ];
  };

  it.each([
    ["entityId,customerId\nu1,c1\nu2,c2\n", ["u1 c1", "u2 c2"], []],
    ["customer_id,email,Entity_ID\nc1,x,u1\n", ["u1 c1"], []],
    ["entityId,customerId\nu1, c1 \nu1,c1\n", ["u1 c1"], []],
    ["entityId,customerId\nu1,c1\nu2,c1\nu3,c3\n", ["u3 c3"], ["2 duplicate", "3 duplicate"]],
    ["entityId,customerId\nu1,c1\nu1,c2\nu3,c3\n", ["u3 c3"], ["2 duplicate", "3 duplicate"]],
    [
      "entityId,customerId\n,c1\nu2,\nu3\nu4,c4,x\nu5,c5\n",
      ["u5 c5"],
      ["2 malformed", "3 malformed", "4 malformed", "5 malformed"],
    ],
    ["entityId,customerId\n", [], []],
  ])("%j", (text, pairs, refused) => {
    expect(codes(text)).toEqual([pairs, refused]);
  });

  it.each([
    "",
    "u1,c1\n",
    "entityId\nu1\n",
    "entityId,customerId,customer_id\n",
    "entityId;customerId\n",
  ])("without its columns %j is refused as a whole", (text) => {
    expect(() => readPairs(text)).toThrow("entityId,customerId");
  });
});
