// Nobody is subscribed twice: what callers are given, and what can be paid of it.
import Stripe from "stripe";
import { describe, expect, it } from "vitest";
import { createBilling, createStripe } from "../../../src/postgres/index.js";
import { type App, type AppOptions, applications, billingError } from "./kit.js";
import { entityId, price, sessionsOf, subscribing, urlsOf } from "./links-kit.js";

const open = applications();
/** An application that no webhook reaches: what it knows it has been answered. */
const deaf = (options: AppOptions = {}) => open({ endpoint: false, ...options });

const statuses = (app: App) => sessionsOf(app).map(({ status }) => status);
const payPage = ({ double }: App, id: string | null) =>
  double.dashboard.payCheckout(id ?? "", { email: "ada@example.com" });
const liveOf = ({ double }: App) =>
  double.objects("subscription").filter(({ status }) => status !== "canceled");
const checkingOut = (app: App, priceId: string) => {
  const { success_url: successUrl, cancel_url: cancelUrl } = urlsOf(app);
  return { entityId, priceId, successUrl, cancelUrl };
};

describe("two clicks", () => {
  it("lead to one page, in both variants and from another process", async () => {
    const app = await deaf();
    const plan = await price(app);
    const first = await app.b.checkout(checkingOut(app, plan));
    expect(first).toMatchObject({ kind: "checkout", subscriptionId: null });
    const again = { ...first, kind: "open" };
    expect(await app.b.checkout(checkingOut(app, plan))).toEqual(again);
    expect(await createBilling(app.config).checkout(checkingOut(app, plan))).toEqual(again);
    expect(await app.a.stripe.subscribe({}, subscribing(app, plan))).toEqual(again);
    expect(sessionsOf(app)).toHaveLength(1);
  });

  it("at once lead to one page that can be paid, from several processes", async () => {
    const app = await deaf();
    const plan = await price(app);
    const processes = [1, 2, 3].map(() => createBilling(app.config));
    const pages = await Promise.all(
      processes.flatMap(({ checkout }) => [
        checkout(checkingOut(app, plan)),
        checkout(checkingOut(app, plan)),
      ]),
    );
    expect(new Set(pages.map(({ sessionId }) => sessionId)).size).toBe(1);
    expect(statuses(app).filter((status) => status === "open")).toEqual(["open"]);
    payPage(app, pages[0]?.sessionId ?? null);
    expect(liveOf(app)).toHaveLength(1);
  });

  it("on two plans lead to the second page, and the first can be paid no more", async () => {
    const app = await deaf();
    const [small, large] = [await price(app), await price(app)];
    const first = await app.b.checkout(checkingOut(app, small));
    const second = await app.b.checkout(checkingOut(app, large));
    expect(second.kind).toBe("checkout");
    expect(statuses(app)).toEqual(["expired", "open"]);
    expect(payPage(app, first.sessionId)).toBe("closed");
    payPage(app, second.sessionId);
    expect(liveOf(app)).toHaveLength(1);
  });

  it("of different quantities, trials or parameters are different orders", async () => {
    const app = await deaf();
    const plan = await price(app);
    const args = checkingOut(app, plan);
    await app.b.checkout(args);
    await app.b.checkout({ ...args, quantity: 2 });
    await app.b.checkout({ ...args, trialDays: 7 });
    await app.b.checkout({ ...args, params: { locale: "de" } });
    await app.b.checkout({ ...args, allowPromotionCodes: true });
    expect(statuses(app)).toEqual(["expired", "expired", "expired", "expired", "open"]);
  });

  it("get a new page when the old one ends soon or has ended", async () => {
    const app = await deaf();
    const plan = await price(app);
    const first = await app.b.checkout(checkingOut(app, plan));
    await app.double.clock.advance({ hours: 23, minutes: 55 });
    const second = await app.b.checkout(checkingOut(app, plan));
    expect(second.sessionId).not.toBe(first.sessionId);
    await app.double.clock.advance({ hours: 25 });
    const third = await app.b.checkout(checkingOut(app, plan));
    expect(third.kind).toBe("checkout");
    expect(statuses(app)).toEqual(["expired", "expired", "open"]);
  });
});

describe("a page that was paid while no webhook came", () => {
  it("leads to the portal, where the subscription can be changed", async () => {
    const app = await deaf();
    const plan = await price(app);
    await app.b.sync({ data: true, portal: true });
    const { sessionId } = await app.b.checkout(checkingOut(app, plan));
    payPage(app, sessionId);
    const [subscription] = liveOf(app);
    const next = await app.b.checkout(checkingOut(app, await price(app)));
    expect(next).toMatchObject({ kind: "change", subscriptionId: subscription?.id });
    expect(liveOf(app)).toHaveLength(1);
    // It is in the mirror now.
    expect(await app.b.store.activeSubscriptionsOf(entityId)).toHaveLength(1);
  });

  it("is refused where the call or the settings say so, or no portal can be opened", async () => {
    const app = await deaf();
    const plan = await price(app);
    const { sessionId } = await app.b.checkout(checkingOut(app, plan));
    payPage(app, sessionId);
    const args = checkingOut(app, plan);
    const refusing = createBilling({ ...app.config, if_subscribed: "refuse" });
    for (const call of [
      () => app.b.checkout({ ...args, ifSubscribed: "refuse" }),
      () => refusing.checkout(args),
      () => app.b.checkout(args),
    ]) {
      const error = await billingError(call());
      expect(error).toMatchObject({ code: "already_subscribed", status: 409, expose: true });
      expect(error.message).toContain(liveOf(app)[0]?.id);
    }
    expect((await billingError(app.b.checkout(args))).message).toContain("sync({ portal: true })");
  });

  it("sells another one where that is asked for", async () => {
    const app = await deaf();
    const plan = await price(app);
    payPage(app, (await app.b.checkout(checkingOut(app, plan))).sessionId);
    const more = await app.b.checkout({ ...checkingOut(app, plan), ifSubscribed: "allow" });
    expect(more.kind).toBe("checkout");
    payPage(app, more.sessionId);
    expect(liveOf(app)).toHaveLength(2);
  });

  it("sells again once the subscription has ended, though the mirror calls it live", async () => {
    const app = await deaf();
    const plan = await price(app);
    payPage(app, (await app.b.checkout(checkingOut(app, plan))).sessionId);
    await app.b.sync();
    expect(await app.b.store.activeSubscriptionsOf(entityId)).toHaveLength(1);
    await app.stripe.subscriptions.cancel(liveOf(app)[0]?.id ?? "");
    const next = await app.b.checkout(checkingOut(app, plan));
    expect(next.kind).toBe("checkout");
    payPage(app, next.sessionId);
    expect(liveOf(app)).toHaveLength(1);
  });
});

describe("what the record does not know", () => {
  const forget = (app: App) =>
    app.sql(`DELETE FROM ${app.schema}.backend_billing_records WHERE kind = 'guard'`);

  it("is expired, after the database was set back", async () => {
    const app = await deaf();
    const plan = await price(app);
    const first = await app.b.checkout(checkingOut(app, plan));
    await forget(app);
    const second = await app.b.checkout(checkingOut(app, plan));
    expect(second.sessionId).not.toBe(first.sessionId);
    expect(statuses(app)).toEqual(["expired", "open"]);
  });

  it("is found by its subscription, if it was paid before", async () => {
    const app = await deaf();
    const plan = await price(app);
    const { sessionId } = await app.b.checkout(checkingOut(app, plan));
    await app.b.sync(); // the mirror is complete, and knows of no subscription
    payPage(app, sessionId);
    await forget(app);
    const call = app.b.checkout({ ...checkingOut(app, plan), ifSubscribed: "refuse" });
    expect((await billingError(call)).code).toBe("already_subscribed");
  });

  it("is found in Stripe's list, while the mirror is empty: made in the dashboard", async () => {
    const app = await deaf();
    const plan = await price(app);
    const { customerId } = await app.b.setup({ entityId });
    await app.stripe.subscriptions.create({
      customer: customerId,
      items: [{ price: plan }],
      collection_method: "send_invoice",
      days_until_due: 30,
    });
    const call = app.b.checkout({ ...checkingOut(app, plan), ifSubscribed: "refuse" });
    expect((await billingError(call)).code).toBe("already_subscribed");
  });
});

describe("a subscription that was made in the dashboard is found", () => {
  const some = ["subscriptions", "products", "prices"] as const;
  /** A subscription that the tables have, in which nobody's customer is. */
  const subscribed = async () => {
    const app = await deaf({ config: { resources: some } });
    const plan = await price(app);
    const { customerId: customer } = await app.b.setup({ entityId });
    const items = [{ price: plan }];
    const late = { collection_method: "send_invoice", days_until_due: 30 } as const;
    await app.stripe.subscriptions.create({ customer, items, ...late });
    await app.b.sync();
    return { app, args: { ...checkingOut(app, plan), ifSubscribed: "refuse" } as const };
  };

  it("where customers are not mirrored", async () => {
    const { app, args } = await subscribed();
    expect((await billingError(app.b.checkout(args))).code).toBe("already_subscribed");
  });

  it("where they are by now, and were not listed yet", async () => {
    const { app, args } = await subscribed();
    const more = createBilling({ ...app.config, resources: [...some, "customers"] });
    await more.store.migrate();
    expect((await billingError(more.checkout(args))).code).toBe("already_subscribed");
  });
});

describe("groups", () => {
  const grouped = async (app: App, group: string) => {
    const id = await price(app);
    const { product } = await app.stripe.prices.retrieve(id);
    await app.stripe.products.update(String(product), { metadata: { billing_group: group } });
    return id;
  };

  it("are sold beside each other, each once", async () => {
    const app = await deaf();
    const [plan, extra] = [await price(app), await grouped(app, "extras")];
    const first = await app.b.checkout(checkingOut(app, plan));
    const second = await app.b.checkout(checkingOut(app, extra));
    expect(statuses(app)).toEqual(["open", "open"]);
    payPage(app, first.sessionId);
    payPage(app, second.sessionId);
    expect(liveOf(app)).toHaveLength(2);
    const other = await grouped(app, "extras");
    const call = app.b.checkout({ ...checkingOut(app, other), ifSubscribed: "refuse" });
    expect((await billingError(call)).code).toBe("already_subscribed");
  });

  it("of one cart share its page", async () => {
    const app = await deaf();
    const [plan, extra] = [await price(app), await grouped(app, "extras")];
    const cart = { ...subscribing(app, plan), line_items: [{ price: extra, quantity: 1 }] };
    const first = await app.a.stripe.subscribe({}, cart);
    expect(await app.a.stripe.subscribe({}, cart)).toEqual({ ...first, kind: "open" });
    await app.b.checkout(checkingOut(app, extra));
    expect(statuses(app)).toEqual(["expired", "open"]);
  });
});

describe("a trial", () => {
  const trialOf = (app: App) =>
    sessionsOf(app).map((each) => (each as Stripe.Checkout.Session).subscription);

  it("is given once for an entity, and again where that is asked for", async () => {
    const app = await deaf();
    const args = { ...checkingOut(app, await price(app)), trialDays: 7 };
    const first = await app.b.checkout(args);
    payPage(app, first.sessionId);
    expect(liveOf(app)).toMatchObject([{ status: "trialing" }]);
    await app.stripe.subscriptions.cancel(String(trialOf(app)[0]));
    payPage(app, (await app.b.checkout(args)).sessionId);
    expect(liveOf(app)).toMatchObject([{ status: "active" }]);
    await app.stripe.subscriptions.cancel(liveOf(app)[0]?.id ?? "");
    payPage(app, (await app.b.checkout({ ...args, trial: "always" })).sessionId);
    expect(liveOf(app)).toMatchObject([{ status: "trialing" }]);
  });

  it.each([
    ["", {}],
    [", also where one more is sold on purpose", { ifSubscribed: "allow" }],
  ] as const)("is remembered though the customer was deleted since%s", async (_, more) => {
    const app = await deaf();
    const args = { ...checkingOut(app, await price(app)), trialDays: 7 };
    payPage(app, (await app.b.checkout(args)).sessionId);
    await app.stripe.subscriptions.cancel(liveOf(app)[0]?.id ?? "");
    await app.b.checkout(args); // this is where it is remembered
    const { customerId } = await app.b.setup({ entityId });
    await app.stripe.customers.del(customerId);
    payPage(app, (await app.b.checkout({ ...args, ...more })).sessionId);
    expect(liveOf(app)).toMatchObject([{ status: "active" }]);
  });

  it.each([0, -1, 1.5])("of %j days is refused", async (trialDays) => {
    const app = await deaf();
    const args = { ...checkingOut(app, await price(app)), trialDays };
    expect((await billingError(app.b.checkout(args))).code).toBe("invalid_argument");
  });
});

describe("an embedded page", () => {
  it("is answered by its secret, and again", async () => {
    const app = await deaf();
    const params = { ...subscribing(app, await price(app)), ui: "embedded" as const };
    const page = await app.a.stripe.subscribe({}, params);
    if (page.kind !== "checkout") throw new Error(`It is ${page.kind}`);
    expect(page.clientSecret).toContain(page.sessionId);
    expect(await app.a.stripe.subscribe({}, params)).toEqual({ ...page, kind: "open" });
    const [session] = sessionsOf(app);
    expect(session).toMatchObject({ ui_mode: "embedded_page" });
    expect((session as Stripe.Checkout.Session).return_url).toContain("/stripe/return/checkout?");
  });
});

describe("a first payment that was not completed", () => {
  const begun = async (app: App, plan: string) => {
    const { customerId: customer } = await app.b.setup({ entityId });
    const { id, latest_invoice: invoice } = await app.stripe.subscriptions.create({
      customer,
      items: [{ price: plan, quantity: 1 }],
      payment_behavior: "default_incomplete",
    });
    return { id, customer, invoice: typeof invoice === "string" ? invoice : (invoice?.id ?? "") };
  };
  const pay = async (
    { stripe }: App,
    { customer, invoice }: { customer: string; invoice: string },
  ) => {
    const { id } = await stripe.paymentMethods.attach("pm_card_visa", { customer });
    return stripe.invoices.pay(invoice, { payment_method: id });
  };

  /** A process in which something happens before and after its requests, told as "GET https://…". */
  const watched = (
    { config }: App,
    meanwhile: (request: string, isOver: boolean) => Promise<void>,
  ) => {
    const httpClient = Stripe.createFetchHttpClient(async (url, init) => {
      await meanwhile(`${init?.method} ${url}`, false);
      const answer = await fetch(url, init);
      await meanwhile(`${init?.method} ${url}`, true);
      return answer;
    });
    return createBilling({ ...config, stripe_options: { ...config.stripe_options, httpClient } });
  };

  it.each(["the same plan", "another plan"])(
    "makes way for %s, and its invoice can be paid no more",
    async (wanted) => {
      const app = await deaf();
      const plan = await price(app);
      const first = await begun(app, plan);
      const isSame = wanted === "the same plan";
      const page = await app.b.checkout(checkingOut(app, isSame ? plan : await price(app)));
      expect(page.kind).toBe("checkout");
      expect((await app.stripe.invoices.retrieve(first.invoice)).status).toBe("void");
      await expect(pay(app, first)).rejects.toThrow();
      payPage(app, page.sessionId);
      expect(liveOf(app).map(({ status }) => status)).toEqual(["active"]);
    },
  );

  it("makes way also where another caller cancels it at that very moment", async () => {
    const app = await deaf();
    const first = await begun(app, await price(app));
    const asking = watched(app, async (request, isOver) => {
      const isCancelling = request.startsWith("DELETE ") && request.includes(first.id);
      if (isCancelling && !isOver) await app.stripe.subscriptions.cancel(first.id);
    });
    const page = await asking.checkout(checkingOut(app, await price(app)));
    expect(page.kind).toBe("checkout");
    expect(liveOf(app)).toEqual([]);
    payPage(app, page.sessionId);
    expect(liveOf(app).map(({ status }) => status)).toEqual(["active"]);
  });

  it.each(["before", "after"])(
    "that is completed at that very moment stands: %s its invoices are listed",
    async (moment) => {
      const app = await deaf();
      app.double.dashboard.savePortalSettings();
      const first = await begun(app, await price(app));
      const asking = watched(app, async (request, isOver) => {
        const isListing = request.includes("/v1/invoices?");
        if (isListing && isOver === (moment === "after")) await pay(app, first);
      });
      const page = await asking.checkout(checkingOut(app, await price(app)));
      expect(page).toMatchObject({ kind: "manage", subscriptionId: first.id });
      expect(liveOf(app).map(({ id, status }) => [id, status])).toEqual([[first.id, "active"]]);
    },
  );
});

it("a page that Stripe would copy after it expired is refused", async () => {
  const app = await deaf();
  const after_expiration = { recovery: { enabled: true } };
  const params = { ...subscribing(app, await price(app)), after_expiration };
  const { stripe } = createStripe(app.config);
  const error = await billingError(stripe.subscribe({}, params));
  expect(error.message).toContain("after_expiration.recovery");
  await stripe.subscribe({}, { ...params, ifSubscribed: "allow" });
  expect(sessionsOf(app)).toHaveLength(1);
});
