/**
 * What random histories of usage run in: customers at a double of Stripe whose clock stands still, their
 * subscriptions in the mirror, and workers that can die.
 */
import Stripe from "stripe";
import {
  createRuntime,
  type Runtime,
} from "../../packages/backend-billing/src/core/runtime/runtime.js";
import type { Telemetry } from "../../packages/backend-billing/src/core/runtime/telemetry/telemetry.js";
import { sendUsage } from "../../packages/backend-billing/src/core/usage/outbox/outbox.js";
import type { UsageWrites } from "../../packages/backend-billing/src/core/usage/usage.js";
import {
  createStripeDouble,
  type StripeDouble,
} from "../../packages/backend-billing/src/testing/index.js";
import { batch, event } from "../conformance/fixtures.js";
import { catalogue, type Keep, METER } from "./keep.js";

/** The clock begins a few days before the period ends, which is not at a whole minute. */
const BEGIN = Date.UTC(2026, 0, 8, 9);
export const RENEWAL = Date.UTC(2026, 0, 10, 10, 0, 30);
const PERIOD = { from: Date.UTC(2025, 11, 10, 10, 0, 30), until: RENEWAL };

/** Where a worker dies; nothing that it had not stored by then is known to any other. */
export type Death = "after a batch is stored" | "before a result is stored";

class Died extends Error {}

export interface Shop {
  readonly double: StripeDouble;
  readonly keep: Keep;
  readonly stripe: Stripe;
  readonly usage: Pick<UsageWrites, "consume">;
  readonly meterId: string;
  /** Entities, with their customers. */
  readonly customers: ReadonlyMap<string, string>;
  /** One turn of a worker that has just been started. */
  work(death?: Death): Promise<void>;
  /** The same, as a runtime. */
  runtime(death?: Death): Runtime;
  /** The entity has its customer and its subscription from now on, or one that has ended. Milliseconds. */
  link(entityId: string, ended?: { readonly from: number; readonly until: number }): Promise<void>;
  close(): Promise<void>;
}

/** `keep` is empty. */
export async function openShop(
  keep: Keep,
  {
    seed,
    entities,
    telemetry,
  }: { readonly seed: number; readonly entities: number; readonly telemetry?: Telemetry },
): Promise<Shop> {
  const double = await createStripeDouble({ seed, now: BEGIN });
  const stripe = new Stripe(double.secretKey, { ...double.stripeConfig, maxNetworkRetries: 0 });
  const meter = await stripe.billing.meters.create({
    display_name: "Calls",
    event_name: METER,
    default_aggregation: { formula: "sum" },
  });
  const { store, outbox, books } = keep;
  const { now } = double.clock;
  const customers = new Map<string, string>();
  for (let index = 0; index < entities; index++) {
    customers.set(`org_${index}`, (await stripe.customers.create()).id);
  }
  const runtime = (death?: Death): Runtime => {
    const dies = (at: Death) => {
      if (at === death) throw new Died(at);
    };
    return createRuntime(
      {
        secret_key: double.secretKey,
        webhook_secret: "whsec_none",
        stripe_options: double.stripeConfig,
        rate: false,
        timing: { verifyDelay: 0 },
        catalogue,
        ...(telemetry === undefined ? {} : { telemetry }),
      },
      {
        store: {
          ...store,
          commit: async (what) => {
            if (what.records?.some(({ kind }) => kind === "batch"))
              dies("before a result is stored");
            return store.commit(what);
          },
        },
        outbox: {
          ...outbox,
          gather: async (gathering) => {
            const made = await outbox.gather(gathering);
            if (made !== undefined) dies("after a batch is stored");
            return made;
          },
        },
        books,
        baseUrl: () => "https://app.example",
        wake: () => {},
        now,
      },
    );
  };
  return {
    double,
    keep,
    stripe,
    meterId: meter.id,
    customers,
    usage: keep.usage(now),
    runtime,
    work: async (death) => {
      try {
        while ((await sendUsage(runtime(death))) > 0);
      } catch (error) {
        if (!(error instanceof Died)) throw error;
      }
    },
    link: async (entityId, ended) => {
      const from = ended?.from ?? PERIOD.from;
      const customer = customers.get(entityId) ?? "";
      const seconds = (milliseconds: number) => milliseconds / 1000;
      const recurring = { interval: "month", interval_count: 1, usage_type: "metered" };
      const item = {
        id: `si_${entityId}`,
        price: { id: "price_team", product: "acme_team", lookup_key: null, recurring },
        current_period_start: seconds(from),
        current_period_end: seconds(PERIOD.until),
      };
      await store.commit({
        ...batch(
          event("customers", customer, 100),
          event("subscriptions", `sub_${entityId}`, 100, {
            customer,
            status: ended === undefined ? "active" : "canceled",
            created: seconds(from),
            start_date: seconds(from),
            ended_at: ended === undefined ? null : seconds(ended.until),
            schedule: null,
            cancel_at: null,
            cancel_at_period_end: false,
            billing_cycle_anchor: seconds(from),
            items: { data: [item] },
          }),
        ),
        records: [
          { kind: "claim", id: entityId, expect: 0, next: { ref: customer, due: null, data: {} } },
        ],
      });
    },
    close: () => double.close(),
  };
}
