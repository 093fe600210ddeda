/** The table of Stripe's parameters, and that the double models nothing beside it. */
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { generateStripeParameters } from "../../../scripts/generate-stripe-parameters.js";
import { isStripeParameter, stripePattern, unknownParameters } from "../src/api/known.js";
import { decodeForm } from "../src/api/params.js";
import { LATEST_VERSION } from "../src/api/versions.js";
import { signatureOf } from "../src/http/route.js";
import { routes } from "../src/resources/index.js";
import { KEPT } from "../src/resources/kept.js";

it("is what the installed packages say: otherwise run `npm run generate`", {
  timeout: 120_000,
}, () => {
  const file = new URL("../src/api/stripe-parameters.ts", import.meta.url);
  expect(readFileSync(file, "utf8") === generateStripeParameters()).toBe(true);
});

describe("the routes of the double", () => {
  const known = routes.filter(
    ({ method, pattern }) => stripePattern(method, pattern) !== undefined,
  );

  it("are Stripe's, with two that its SDK has no method for", () => {
    const others = routes.filter((route) => !known.includes(route)).map(signatureOf);
    expect(others).toEqual([
      "GET /v1/charges/:charge/refunds",
      "POST /v1/subscription_items/:item/usage_records",
    ]);
  });

  it("take only parameters that Stripe takes now, or took before a version", () => {
    const names = known.flatMap((route) =>
      Object.keys(route.shape ?? {})
        .filter((name) => !isStripeParameter(signatureOf(route), name, "2020-08-27"))
        .map((name) => `${signatureOf(route)} ${name}`),
    );
    expect(names).toEqual([]);
  });

  it("keep only parameters that Stripe takes, and that they do not model", () => {
    for (const [signature, names] of Object.entries(KEPT)) {
      const route = routes.find((each) => signatureOf(each) === signature);
      for (const name of Object.keys(names)) {
        expect([signature, name, isStripeParameter(signature, name, LATEST_VERSION)]).toEqual([
          signature,
          name,
          true,
        ]);
        expect(route?.shape).not.toHaveProperty(name);
      }
    }
  });
});

it.each([
  ["POST /v1/customers", "email=a&emial=b", ["emial"]],
  ["POST /v1/customers", "metadata[anything]=1&address[street]=x", ["address[street]"]],
  ["POST /v1/customers/:customer", "invoice_settings[footer]=x&expand[]=sources", []],
  ["POST /v1/subscriptions", "items[0][price]=p&items[0][prize]=q", ["items[0][prize]"]],
  ["POST /v1/prices", "currency_options[eur][unit_amount]=1", []],
  ["POST /v1/prices", "currency_options[eur][amount]=1", ["currency_options[eur][amount]"]],
  ["GET /v1/customers", "created[gte]=1&created[since]=1", ["created[since]"]],
])("%s with %s: unknown are %j", (signature, form, unknown) => {
  expect(unknownParameters(signature, decodeForm(form), LATEST_VERSION)).toEqual(unknown);
});

it.each([
  ["GET", "/v1/quotes/qt_1", "/v1/quotes/:id"],
  ["GET", "/v1/customers/search", "/v1/customers/search"],
  ["POST", "/v2/billing/meter_events", "/v2/billing/meter_events"],
  ["GET", "/v1/quotes/", undefined],
  ["GET", "/v1/custmers", undefined],
  ["DELETE", "/v1/events", undefined],
])("%s %s is %s of Stripe's API", (method, path, pattern) => {
  expect(stripePattern(method, path)).toBe(pattern);
});
