// An application that mirrors only what Stripe sends no event of: its runs have no events to read,
// and must come to their end all the same. They once waited for ever.
import { expect, it } from "vitest";
import { expectEqual, quietApplications, scheduled } from "./kit.js";

const open = quietApplications();

it("runs end where nothing that is mirrored has events", async () => {
  const app = await open({ config: { resources: ["features"] } });
  await app.stripe.entitlements.features.create({ name: "Steam", lookup_key: "steam" });
  await app.b.sync();
  await expectEqual(app, ["features"]);
  const { id } = await app.stripe.entitlements.features.create({
    name: "Coal",
    lookup_key: "coal",
  });
  await app.stripe.entitlements.features.update(id, { active: false });
  const caughtUp = await scheduled(app, "catch-up");
  expect(caughtUp).toMatchObject({ kind: "catch-up", state: "done" });
  const compared = await scheduled(app, "reconcile");
  expect(compared).toMatchObject({ kind: "reconcile", state: "done" });
  await expectEqual(app, ["features"]);
  expect(app.double.requests.count("GET /v1/events")).toBe(0);
});
