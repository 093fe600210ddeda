/**
 * What applications keep at Stripe beside billing: connected accounts, transfers, Radar's lists and
 * apps' secrets. Stored and shown again, nothing more. Sources: API reference of each object.
 */
import type Stripe from "stripe";
import { beforeEach, expect, it } from "vitest";
import { ask, errorOf, idsOf, type Rig, raisedBy, rig } from "./kit.js";

let it_: Rig;
let stripe: Stripe;

beforeEach(async () => {
  it_ = await rig();
  stripe = it_.stripe;
});

it("accounts are connected, changed, listed and let go", async () => {
  const made = await stripe.accounts.create({
    type: "express",
    country: "DE",
    email: "shop@example.com",
    capabilities: { transfers: { requested: true } },
    metadata: { shop: "1" },
  });
  expect(made).toMatchObject({
    type: "express",
    country: "DE",
    charges_enabled: false,
    details_submitted: false,
    capabilities: { transfers: "inactive" },
  });
  const changed = await stripe.accounts.update(made.id, { metadata: { shop: "2" } });
  expect(changed).toMatchObject({ email: "shop@example.com", metadata: { shop: "2" } });
  expect(await stripe.accounts.retrieve(made.id)).toMatchObject({ metadata: { shop: "2" } });
  expect(idsOf(await stripe.accounts.list())).toEqual([made.id]);
  expect((await stripe.accounts.listExternalAccounts(made.id)).data).toEqual([]);
  await stripe.customers.create({}, { stripeAccount: made.id });
  const link = await stripe.accountLinks.create({
    account: made.id,
    type: "account_onboarding",
    refresh_url: "https://e.example/again",
    return_url: "https://e.example/back",
  });
  expect(link).toMatchObject({ object: "account_link", url: expect.stringContaining(made.id) });
  expect(link.expires_at).toBeGreaterThan(link.created);
  expect((await stripe.accounts.createLoginLink(made.id)).object).toBe("login_link");
  expect(await stripe.accounts.del(made.id)).toMatchObject({ deleted: true });
  const gone = await errorOf(stripe.accounts.retrieve(made.id));
  expect([gone.statusCode, gone.code]).toEqual([403, "account_invalid"]);
});

it("an account is connected by OAuth, and let go", async () => {
  const post = (path: string, body: string) => ask(it_.double, path, { method: "POST", body });
  const { status, body } = await post("/oauth/token", "grant_type=authorization_code&code=ac_1");
  expect([status, body.token_type, body.scope]).toEqual([200, "bearer", "read_write"]);
  const account = String(body.stripe_user_id);
  expect((await stripe.accounts.retrieve(account)).charges_enabled).toBe(true);
  const form = `client_id=ca_1&stripe_user_id=${account}`;
  expect((await post("/oauth/deauthorize", form)).body).toEqual({ stripe_user_id: account });
  expect((await post("/oauth/deauthorize", form)).status).toBe(403);
});

it("transfers are made to connected accounts, and reversed in parts", async () => {
  const destination = it_.double.connectAccount();
  const make = (params: Partial<Stripe.TransferCreateParams> = {}) =>
    stripe.transfers.create({ amount: 900, currency: "usd", destination, ...params });
  const made = await make({ transfer_group: "order_7" });
  expect(made).toMatchObject({ amount: 900, amount_reversed: 0, destination, reversed: false });
  await make();
  expect(idsOf(await stripe.transfers.list({ transfer_group: "order_7" }))).toEqual([made.id]);
  const raised = await raisedBy(stripe, () =>
    stripe.transfers.createReversal(made.id, { amount: 400 }),
  );
  expect(raised).toEqual(["transfer.reversed"]);
  expect(await stripe.transfers.createReversal(made.id)).toMatchObject({ amount: 500 });
  expect(await stripe.transfers.retrieve(made.id)).toMatchObject({
    amount_reversed: 900,
    reversed: true,
  });
  expect((await errorOf(stripe.transfers.createReversal(made.id))).statusCode).toBe(400);
  expect((await errorOf(make({ destination: "acct_x" }))).statusCode).toBe(403);
});

it("Radar's lists hold each value once, and are named by their alias", async () => {
  const list = await stripe.radar.valueLists.create({ alias: "blocked", name: "Blocked" });
  const add = (value: string) =>
    stripe.radar.valueListItems.create({ value_list: "blocked", value });
  const item = await add("eve@example.com");
  expect(item.value_list).toBe(list.id);
  expect((await errorOf(add("eve@example.com"))).statusCode).toBe(400);
  const listed = await stripe.radar.valueListItems.list({ value_list: list.id });
  expect(idsOf(listed)).toEqual([item.id]);
  expect(await stripe.radar.valueListItems.del(item.id)).toMatchObject({ deleted: true });
});

it("a secret of an app is found by its name and scope, and shows its payload when asked to", async () => {
  const scope = { type: "user", user: "usr_1" } as const;
  const named = { name: "token", scope };
  await stripe.apps.secrets.create({ ...named, payload: "first" });
  await stripe.apps.secrets.create({ ...named, payload: "second" });
  const found = await stripe.apps.secrets.find({ ...named, expand: ["payload"] });
  expect(found.payload).toBe("second");
  expect(await stripe.apps.secrets.find(named)).not.toHaveProperty("payload");
  expect((await stripe.apps.secrets.list({ scope })).data).toHaveLength(1);
  await stripe.apps.secrets.deleteWhere(named);
  expect((await errorOf(stripe.apps.secrets.find(named))).code).toBe("resource_missing");
});
