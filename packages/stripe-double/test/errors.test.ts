/** What every error of the API carries, and which keys are accepted. */
import { describe, expect, it } from "vitest";
import { DoubleError } from "../src/index.js";
import { ask, client, errorOf, type Json, rig, START } from "./kit.js";

describe("an error", () => {
  it("says where its code is explained and where its request is shown (docs: Errors)", async () => {
    const { stripe } = await rig();
    const error = await errorOf(stripe.customers.retrieve("cus_none"));
    expect(error.raw).toMatchObject({
      code: "resource_missing",
      param: "id",
      doc_url: "https://stripe.com/docs/error-codes/resource-missing",
      request_log_url: `https://dashboard.stripe.com/test/logs/${error.requestId}?t=${START}`,
    });
  });

  it("has no link to a code where it has none, and none to a log before the key is known", async () => {
    const { double, stripe } = await rig();
    const address = await errorOf(stripe.rawRequest("GET", "/v1/custmers"));
    expect(address.raw).not.toHaveProperty("doc_url");
    expect(address.raw).toHaveProperty("request_log_url");
    const { body } = await ask(double, "/v1/customers", { key: null });
    expect(Object.keys(body.error as Json)).toEqual(["type", "message"]);
  });

  it("shows a live-mode request among those of live mode", async () => {
    const { double } = await rig();
    const live = client(double, double.liveSecretKey);
    const error = await errorOf(live.customers.retrieve("cus_none"));
    expect((error.raw as Json).request_log_url).toMatch(/dashboard\.stripe\.com\/logs\/req_/);
  });
});

describe("secretKey", () => {
  const anyKey = "sk_test_51Hxyz";

  it("`any` accepts every test-mode key until it is revoked", async () => {
    const { double } = await rig({ secretKey: "any" });
    const stripe = client(double, anyKey);
    const { id } = await stripe.customers.create({});
    expect((await client(double).customers.retrieve(id)).id).toBe(id);
    double.revokeKey(anyKey);
    expect((await errorOf(stripe.customers.list())).statusCode).toBe(401);
    expect((await errorOf(client(double, "sk_live_1").customers.list())).statusCode).toBe(401);
  });

  it("is the application's own, instead of one made up", async () => {
    const { double, stripe } = await rig({ secretKey: anyKey });
    expect(double.secretKey).toBe(anyKey);
    await stripe.customers.list();
    expect((await errorOf(client(double, "sk_test_other").customers.list())).statusCode).toBe(401);
    await expect(rig({ secretKey: "sk_live_1" })).rejects.toThrow(DoubleError);
  });
});
