// What an application configures, read when it is needed.
import { describe, expect, it } from "vitest";
import { defineCatalogue } from "../../../src/catalogue/index.js";
import {
  appName,
  givenSecrets,
  stripePlace,
  webhookSecrets,
} from "../../../src/core/runtime/config.js";

describe("the signing secrets", () => {
  it.each([
    ["nothing", undefined, []],
    ["an empty text", "", []],
    ["an empty list", [], []],
    ["one", "whsec_a", ["whsec_a"]],
    ["several by commas, as in a variable", "whsec_a,whsec_b", ["whsec_a", "whsec_b"]],
    ["several by commas and spaces", " whsec_a , whsec_b,", ["whsec_a", "whsec_b"]],
    ["a list", ["whsec_a", "whsec_b"], ["whsec_a", "whsec_b"]],
    ["a list with empty texts", ["", "whsec_a", " "], ["whsec_a"]],
    [
      "a list whose texts hold several",
      ["whsec_a,whsec_b", "whsec_c"],
      ["whsec_a", "whsec_b", "whsec_c"],
    ],
  ] as const)("are read from %s", (_, webhook_secret, secrets) => {
    expect(givenSecrets({ webhook_secret })).toEqual(secrets);
  });

  it.each([
    ["missing", undefined, /STRIPE_WEBHOOK_SECRET/],
    ["empty", " , ", /STRIPE_WEBHOOK_SECRET/],
    ["a key", "sk_test_1", /not a signing secret/],
    ["a secret beside something else", "whsec_a,sk_test_1", /not a signing secret/],
  ])("that are %s are refused", (_, webhook_secret, message) => {
    const config = { secret_key: "sk_test_1", webhook_secret };
    expect(() => webhookSecrets(config)).toThrow(message);
  });
});

describe("the application's name", () => {
  const catalogue = defineCatalogue({ app: "acme" });
  it("is the setting's alone, and the catalogue's is the same", () => {
    expect(appName({ app: "acme", catalogue })).toBe("acme");
    expect(appName({ app: "acme", catalogue: defineCatalogue({}) })).toBe("acme");
    expect(appName({ catalogue })).toBeUndefined();
    expect(() => appName({ app: "other", catalogue })).toThrow(/One application has one name/);
  });
});

describe("another Stripe", () => {
  const keys = { secret_key: "sk_test_1", webhook_secret: "whsec_a" };
  it.each([
    ["is Stripe itself without an address", undefined, {}],
    ["is Stripe itself where the variable is empty", "", {}],
    [
      "is where the address says",
      "http://127.0.0.1:12111",
      { host: "127.0.0.1", port: "12111", protocol: "http" },
    ],
    [
      "has the protocol's own port",
      "https://stripe.example",
      { host: "stripe.example", port: 443, protocol: "https" },
    ],
  ])("%s", (_, stripe_host, place) => {
    expect(stripePlace({ ...keys, stripe_host })).toEqual(place);
  });

  it.each([
    "127.0.0.1:12111",
    "ftp://stripe.example",
    "stripe",
    "https://gateway.example/stripe",
    "https://name:word@stripe.example",
    "http://[::1]:12111",
  ])("is not at %s", (stripe_host) => {
    expect(() => stripePlace({ ...keys, stripe_host })).toThrow(/stripe_host.*STRIPE_HOST/);
  });
});
