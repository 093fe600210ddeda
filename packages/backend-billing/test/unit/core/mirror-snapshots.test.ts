// What the rule is given: events, answers and pages as they come from Stripe, and which of them say
// what an object is and not only that something happened to it.
import Stripe from "stripe";
import { describe, expect, it } from "vitest";
import { receiveEvent } from "../../../src/core/events/receive.js";
import { handleWebhook } from "../../../src/core/events/webhook.js";
import {
  readEvent,
  snapshotOfCreation,
  snapshotOfPart,
  snapshotsOfPage,
} from "../../../src/core/mirror/snapshot.js";
import { createRuntime } from "../../../src/core/runtime/runtime.js";
import { createMemoryStore } from "../../../src/memory/store.js";

const NOW = Date.UTC(2026, 0, 15, 10);
const SECONDS = NOW / 1000;
const SECRET = "whsec_test";

const open = () => {
  const store = createMemoryStore();
  const woken: number[] = [];
  const runtime = createRuntime(
    { secret_key: "sk_test_1", webhook_secret: SECRET },
    { store, baseUrl: () => "", wake: (delay) => void woken.push(delay), now: () => NOW },
  );
  return { runtime, store, woken };
};

type Body = { readonly [field: string]: unknown };
const full = (type: string, object: Body, over: Body = {}): Body => ({
  id: "evt_1",
  object: "event",
  type,
  created: SECONDS,
  livemode: false,
  api_version: Stripe.API_VERSION,
  request: null,
  data: { object },
  ...over,
});
const thin = (type: string, object: Body): Body => ({
  id: "evt_1",
  object: "v2.core.event",
  type: `v1.${type}`,
  created: new Date(NOW).toISOString(),
  livemode: false,
  related_object: object,
});
const product = { id: "prod_1", object: "product", active: true, metadata: {} };
const items = (has_more: boolean) => ({
  id: "sub_1",
  object: "subscription",
  customer: "cus_1",
  items: { object: "list", has_more, data: [{ id: "si_1" }] },
});
const invoice = { id: "in_1", object: "invoice", customer: "cus_1" };
const parent = (subscription: unknown) => ({ subscription_details: { subscription } });

async function stateAfter(body: Body, resource: "products" | "subscriptions", id: string) {
  const { runtime, store } = open();
  const event = readEvent(body);
  if (event === undefined) throw new Error("That is no event");
  const received = await receiveEvent(runtime, event);
  const version = await store.version(resource, id);
  return {
    received,
    state: version?.state,
    stale: version?.stale,
    first: version?.first,
    interval: version && [version.lo - SECONDS, version.hi - SECONDS],
    requests: (await store.records("refresh", "", 10)).map(({ id: customer }) => customer),
  };
}

describe("an event", () => {
  const told = { received: "handled", requests: [] };
  const isWritten = { ...told, state: "live", stale: false, interval: [-1, 1] };
  const isAsked = {
    ...told,
    state: "unknown",
    stale: true,
    interval: [-1 - SECONDS, -1 - SECONDS],
  };

  it.each([
    ["of a change is written", full("product.updated", product), { ...isWritten, first: false }],
    [
      "of a creation, where ids return, is not known to be the first",
      full("product.created", product),
      { ...isWritten, first: false },
    ],
    ["that is thin is asked about", thin("product.updated", product), isAsked],
    [
      "of another API version is asked about",
      full("product.updated", product, { api_version: "2024-06-20" }),
      isAsked,
    ],
    [
      "of no API version is asked about",
      full("product.updated", product, { api_version: null }),
      isAsked,
    ],
    [
      "of a deletion is certain, whatever its version",
      full("product.deleted", product, { api_version: "2024-06-20" }),
      { ...told, state: "deleted", stale: false },
    ],
    [
      "of a deletion is certain, even if it is thin",
      thin("product.deleted", product),
      { ...told, state: "deleted", stale: false },
    ],
  ])("%s", async (_, body, expected) => {
    expect(await stateAfter(body, "products", "prod_1")).toMatchObject(expected);
  });

  it.each([
    ["of a creation is remembered as one", "customer.subscription.created", false, { first: true }],
    ["with a whole list is written", "customer.subscription.updated", false, { state: "live" }],
    [
      "with a cut list is asked about",
      "customer.subscription.updated",
      true,
      { state: "unknown", stale: true },
    ],
    [
      "of a cancellation is no deletion",
      "customer.subscription.deleted",
      false,
      { state: "live", stale: false },
    ],
  ])("%s", async (_, type, cut, expected) => {
    expect(await stateAfter(full(type, items(cut)), "subscriptions", "sub_1")).toMatchObject(
      expected,
    );
  });

  it("of the other mode is refused before it is judged", async () => {
    const { runtime, store } = open();
    const body = JSON.stringify(full("product.updated", product, { livemode: true }));
    const header = await new Stripe("sk_test_1").webhooks.generateTestHeaderStringAsync({
      payload: body,
      secret: SECRET,
    });
    const request = new Request("https://app.example/stripe/webhook", {
      method: "POST",
      headers: { "Stripe-Signature": header },
      body,
    });
    const response = await handleWebhook(runtime, request);
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ error: { code: "livemode_mismatch" } });
    expect(await store.version("products", "prod_1")).toBeUndefined();
  });
});

describe("a hint", () => {
  const asked = { received: "handled", state: "unknown", stale: true, requests: [] };

  it.each([
    ["an invoice's parent", full("invoice.paid", { ...invoice, parent: parent("sub_1") }), asked],
    [
      "an invoice of an older version",
      full("invoice.paid", { ...invoice, subscription: "sub_1" }, { api_version: "2024-06-20" }),
      asked,
    ],
    [
      "an invoice without an id",
      full("invoice.upcoming", { object: "invoice", customer: "cus_1", parent: parent("sub_1") }),
      asked,
    ],
    [
      "a checkout",
      full("checkout.session.completed", { id: "cs_1", customer: "cus_1", subscription: "sub_1" }),
      asked,
    ],
  ])("asks about the subscription that it names: %s", async (_, body, expected) => {
    expect(await stateAfter(body, "subscriptions", "sub_1")).toMatchObject(expected);
  });

  it.each([
    ["a payment", full("payment_intent.succeeded", { id: "pi_1", customer: "cus_1" })],
    ["an invoice of nothing that recurs", full("invoice.paid", { ...invoice, parent: null })],
  ])("that names only the customer has all of its subscriptions read: %s", async (_, body) => {
    const after = await stateAfter(body, "subscriptions", "sub_1");
    expect(after).toMatchObject({ received: "handled", state: undefined, requests: ["cus_1"] });
  });

  it("that is older than what is stored is dropped", async () => {
    const { runtime, store, woken } = open();
    const now = readEvent(full("customer.subscription.updated", items(false)));
    const hint = full("invoice.paid", { ...invoice, parent: parent("sub_1") });
    const then = readEvent({ ...hint, id: "evt_2", created: SECONDS - 3 });
    if (now === undefined || then === undefined) throw new Error("They are events");
    await receiveEvent(runtime, now);
    await receiveEvent(runtime, then);
    expect(await store.version("subscriptions", "sub_1")).toMatchObject({
      revision: 1,
      stale: false,
    });
    expect(woken).toEqual([]);
  });
});

describe("what else is seen", () => {
  it("in the answer to a call is no object where Stripe cut a list of it", () => {
    const seen = { lo: SECONDS, hi: SECONDS };
    const invoice = (has_more: boolean) =>
      snapshotOfPart("invoices", { id: "in_1", lines: { data: [], has_more } } as never, seen);
    expect(invoice(true)).toMatchObject({ usable: false, content: null });
    expect(invoice(false)).toMatchObject({ usable: true, content: { id: "in_1" } });
  });

  const headers = { date: new Date(NOW).toUTCString() };

  it("a page holds from before it could have lagged, and a cut list is asked about", () => {
    const { runtime } = open();
    const page = { data: [items(false), items(true)], lastResponse: { headers } };
    const [whole, cut] = snapshotsOfPage(runtime, "subscriptions", page, NOW - 2_000);
    expect(whole).toMatchObject({
      origin: "page",
      usable: true,
      lo: SECONDS - 13,
      hi: SECONDS + 1,
    });
    expect(cut).toMatchObject({ usable: false, content: null });
  });

  it("a page without a date holds for any time", () => {
    const { runtime } = open();
    const [seen] = snapshotsOfPage(runtime, "products", { data: [product] }, NOW);
    expect(seen).toMatchObject({ lo: 0, hi: Number.MAX_SAFE_INTEGER });
  });

  it("the answer to a creation does not lag", () => {
    const { runtime } = open();
    const seen = snapshotOfCreation(
      runtime,
      "products",
      { ...product, lastResponse: { headers } },
      NOW,
    );
    expect(seen).toMatchObject({ origin: "page", lo: SECONDS - 1, hi: SECONDS + 1 });
  });
});
