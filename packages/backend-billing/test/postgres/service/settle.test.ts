// `double.settle({ store })`: what same-second events left in doubt is answered at once.
import { expect, it } from "vitest";
import { answerAsks } from "../../../src/core/events/refetch.js";
import { applications, NOW } from "./kit.js";

const open = applications();

it("leaves what another configuration asked about alone, and answers the others", async () => {
  const app = await open({ stripe: { now: NOW } });
  const product = await app.stripe.products.create({ name: "First" });
  await app.stripe.products.update(product.id, { name: "Second" });
  const coupon = await app.stripe.coupons.create({ percent_off: 10, duration: "once", name: "A" });
  await app.stripe.coupons.update(coupon.id, { name: "B" });
  await app.double.settle();
  await app.double.clock.advance({ seconds: 10 });
  const { resources } = app.core;
  const fewer = { ...app.core, resources: resources.filter((each) => each !== "products") };
  expect(await answerAsks(fewer)).toBe(1);
  expect(await app.b.store.version("coupons", coupon.id)).toMatchObject({ stale: false });
  expect(await app.b.store.version("products", product.id)).toMatchObject({ stale: true });
  expect(await answerAsks(fewer)).toBe(0);
  await app.double.clock.advance({ minutes: 31 });
  expect(await answerAsks(app.core)).toBe(1);
});

it("settles the library as well as the deliveries", async () => {
  const app = await open({ stripe: { now: NOW } });
  const { id } = await app.stripe.products.create({ name: "First" });
  for (const name of ["Second", "Third"]) await app.stripe.products.update(id, { name });
  await app.double.settle();
  expect((await app.b.store.version("products", id))?.stale).toBe(true);
  await app.double.settle(app.b);
  expect(await app.b.store.version("products", id)).toMatchObject({ stale: false });
  const [row] = await app.b.store.rows("products", "", 10);
  expect(row?.stripe.name).toBe("Third");
});
