// What a restricted key must be allowed, and the link to Stripe's form for one.
import { describe, expect, it } from "vitest";
import { grantsFor, keyLink } from "../../src/cli/doctor/permissions.js";
import { resourceNames } from "../../src/core/catalogue/catalogue.js";

const permissionsIn = (link: string): readonly string[] =>
  new URL(link).searchParams.getAll("permissions[]");

describe("the link to a restricted key", () => {
  it("fills in what is mirrored, and what the library does beside that", () => {
    expect(keyLink(["coupons"], { name: "shop & co" })).toBe(
      "https://dashboard.stripe.com/apikeys/create?name=shop%20%26%20co" +
        "&permissions[]=rak_coupon_read&permissions[]=rak_event_read" +
        "&permissions[]=rak_customer_write&permissions[]=rak_checkout_session_write" +
        "&permissions[]=rak_webhook_write",
    );
  });

  it("asks to write where it would otherwise ask to read and to write", () => {
    const asked = permissionsIn(keyLink(["customers", "checkout_sessions"]));
    expect(asked).toContain("rak_customer_write");
    expect(asked).not.toContain("rak_customer_read");
    expect(asked).not.toContain("rak_checkout_session_read");
  });

  it("asks to write subscriptions and invoices where subscriptions are mirrored", () => {
    const asked = permissionsIn(keyLink(["subscriptions", "invoices"]));
    expect(asked).toEqual(expect.arrayContaining(["rak_subscription_write", "rak_invoice_write"]));
    expect(asked).not.toContain("rak_subscription_read");
    expect(asked).not.toContain("rak_invoice_read");
    expect(permissionsIn(keyLink(["invoices"]))).toContain("rak_invoice_read");
  });

  it.each([
    ["refunds", "charges"],
    ["prices", "plans"],
    ["invoices", "invoice_items"],
  ] as const)("asks once for %s and %s", (one, other) => {
    const asked = permissionsIn(keyLink([one, other]));
    expect(new Set(asked).size).toBe(asked.length);
    expect(asked).toEqual(permissionsIn(keyLink([one])));
  });

  it("asks for meters and their events where the plans have meters", () => {
    const asked = permissionsIn(keyLink(["coupons"], { hasMeters: true }));
    expect(asked).toContain("rak_billing_meter_read");
    expect(asked).toContain("rak_billing_meter_event_write");
    expect(permissionsIn(keyLink(["coupons"])).join(" ")).not.toContain("meter");
  });

  it("leaves out what has no published id", () => {
    const unnamed = grantsFor(resourceNames).filter(({ id }) => id === null);
    expect(unnamed.map(({ row, access }) => `${access} ${row}`)).toEqual([
      "Read Tax IDs",
      "Read Radar",
      "Write Customer portal",
      "Read Billing credit grants",
    ]);
  });
});
