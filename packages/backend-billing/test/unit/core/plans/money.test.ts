import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { eur, money, usd } from "../../../../src/catalogue/index.js";
import { amountText, decimalText } from "../../../../src/core/plans/money.js";

describe("amounts of money", () => {
  it.each([
    ["20", "usd", 2000],
    ["0.01", "usd", 1],
    ["19.99", "eur", 1999],
    ["1.1", "usd", 110],
    ["500", "jpy", 500],
    ["1.234", "kwd", 1234],
    ["0.0001", "usd", 0.01],
    ["0.29", "usd", 29],
    ["1.005", "usd", 100.5],
  ])("%s %s is %d of the smallest unit", (text, currency, amount) => {
    expect(money(text, currency).amount).toBe(amount);
  });

  it.each(["", "-1", "1,5", "1.", ".5", "1e3", "NaN", "12345678901", "0.000000000000001"])(
    "refuses %j",
    (text) => {
      expect(() => usd(text)).toThrow("is not an amount of money");
    },
  );

  it("refuses what is no currency", () => {
    expect(() => money("1", "dollar")).toThrow("three letters");
  });

  it("makes prices of them", () => {
    expect(eur("10").perSeat().monthly()).toEqual({
      amount: 1000,
      currency: "eur",
      interval: "month",
      intervalCount: 1,
      isPerSeat: true,
    });
    expect(usd("50").every(3, "month")).toMatchObject({ interval: "month", intervalCount: 3 });
    expect(usd("200").yearly()).toMatchObject({ interval: "year", isPerSeat: false });
  });

  it("writes them as Stripe and as people do", () => {
    expect(decimalText(0.01)).toBe("0.01");
    expect(decimalText(1e-7)).toBe("0.0000001");
    expect(amountText(2000, "usd")).toBe("20");
    expect(amountText(1990, "usd")).toBe("19.90");
    expect(amountText(0.01, "usd")).toBe("0.0001");
    expect(amountText(5, "usd")).toBe("0.05");
    expect(amountText(500, "jpy")).toBe("500");
  });

  it("reads again what it has written", () => {
    const digits = fc.tuple(
      fc.nat(9_999_999),
      fc.nat(999_999),
      fc.constantFrom("usd", "jpy", "kwd"),
    );
    fc.assert(
      fc.property(digits, ([whole, fraction, currency]) => {
        const { amount } = money(`${whole}.${String(fraction).padStart(6, "0")}`, currency);
        expect(money(amountText(amount, currency), currency).amount).toBe(amount);
      }),
    );
  });
});
