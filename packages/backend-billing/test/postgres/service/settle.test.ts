// `double.settle({ store })`: what same-second events left in doubt is answered at once.
import { expect, it } from "vitest";
import { applications, NOW } from "./kit.js";

const open = applications();

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
