// Which events a handler of some process takes as they come, and how often that is read.
import { expect, it } from "vitest";
import { takesRaw } from "../../../../src/core/events/raw.js";
import { readEvent } from "../../../../src/core/mirror/snapshot.js";
import type { StoredRecord } from "../../../../src/core/mirror/store.js";
import { rawTypes, rawTypesSent } from "../../../../src/core/runtime/commit/listening.js";

const SECOND = 1_000;
const FRAUD = "radar.early_fraud_warning.created";
const METER = "v1.billing.meter.error_report_triggered";

/** A process with handlers of its own, beside others whose handlers are stored. */
function process(own: readonly string[], stored: readonly string[]) {
  const said = { names: stored, now: 0, reads: 0, fails: false };
  const context = {
    local: { process: new Map(), database: new Map(), runtime: new Map() },
    reactions: { names: new Set(own), needs: {} },
    now: () => said.now,
    store: {
      record: async (): Promise<StoredRecord> => {
        said.reads += 1;
        if (said.fails) throw new Error("no database");
        const names = Object.fromEntries(
          said.names.map((name) => [name, { listens: {}, seen: 0 }]),
        );
        const data = { resources: {}, names };
        return { kind: "setting", id: "listening", revision: 1, ref: null, due: null, data };
      },
    },
  };
  const takes = (type: string, object = "event") => {
    const created = object === "event" ? 1 : "2026-01-15T10:00:00Z";
    const event = readEvent({ id: "evt_1", object, type, created, data: { object: {} } });
    return event && takesRaw(context, event);
  };
  return { said, context, takes };
}

it("its own handlers cost no reading", async () => {
  const { said, takes } = process([`stripe ${FRAUD}`], []);
  expect(await takes(FRAUD)).toBe(true);
  expect(said.reads).toBe(0);
});

it("those of others are read once in a minute, however many events come", async () => {
  const { said, takes } = process([], ["invoice.paid", "change invoices"]);
  expect(await Promise.all([takes(FRAUD), takes("review.opened"), takes("invoice.paid")])).toEqual([
    false,
    false,
    false,
  ]);
  said.names = [`stripe ${FRAUD}`];
  said.now = 59 * SECOND;
  expect(await takes(FRAUD)).toBe(false);
  expect(said.reads).toBe(1);
  said.now = 60 * SECOND;
  expect(await takes(FRAUD)).toBe(true);
  expect(await takes("review.opened")).toBe(false);
  expect(said.reads).toBe(2);
});

it("are read again when the clock was set back, or where the reading failed", async () => {
  const { said, takes } = process([], []);
  said.now = 3_600 * SECOND;
  expect(await takes(FRAUD)).toBe(false);
  said.now = 0;
  said.fails = true;
  await expect(takes(FRAUD)).rejects.toThrow("no database");
  Object.assign(said, { fails: false, names: [`stripe ${FRAUD}`] });
  expect(await takes(FRAUD)).toBe(true);
});

it("a thin event is taken by its own name", async () => {
  const { takes } = process([`stripe ${FRAUD}`, `stripe ${METER}`], []);
  expect(await takes(METER, "v2.core.event")).toBe(true);
  expect(await takes(`v1.${FRAUD}`, "v2.core.event")).toBe(false);
});

it("an endpoint is sent what any process takes, but nothing thin", async () => {
  const { context } = process(
    [`stripe ${FRAUD}`, "invoice.paid"],
    ["stripe review.opened", `stripe ${FRAUD}`, `stripe ${METER}`],
  );
  expect(await rawTypes(context)).toEqual([FRAUD, "review.opened", METER]);
  expect(await rawTypesSent(context)).toEqual([FRAUD, "review.opened"]);
});
