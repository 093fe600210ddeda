import { expect, it } from "vitest";
import { openApp, thrown } from "./kit.js";

it("keeps the application's name, and refuses a push without it or with another", async () => {
  const { call, deployment, double } = await openApp();
  const setup = (entityId: string) => call<{ customerId: string }>("billing:setup", { entityId });
  const first = await setup("user_1");
  deployment.push({ app: "acme" });
  await setup("user_2");
  for (const app of [undefined, "other"]) {
    deployment.push({ app });
    expect(await thrown(setup("user_3"))).toMatchObject({ data: { code: "invalid_config" } });
  }
  expect(double.objects("customer")).toMatchObject([
    { metadata: { entityId: "user_1" } },
    { metadata: { entityId: "user_2", billingApp: "acme" } },
  ]);
  deployment.push({ app: "acme" });
  expect(await setup("user_1")).toEqual(first);
});
