/** Where usage is kept whose way to a meter is looked at: an empty database of a platform. */
import { defineCatalogue, usd } from "../../packages/backend-billing/src/catalogue/index.js";
import type { Store } from "../../packages/backend-billing/src/core/mirror/store.js";
import type { MeterBatch } from "../../packages/backend-billing/src/core/runtime/records/batches.js";
import type { UsageBooks } from "../../packages/backend-billing/src/core/runtime/records/books.js";
import type { OutboxStore } from "../../packages/backend-billing/src/core/runtime/records/outbox.js";
import type { UsageWrites } from "../../packages/backend-billing/src/core/usage/usage.js";

export const METER = "api_calls";
export const FEATURE = "calls";

export const catalogue = defineCatalogue({
  app: "acme",
  features: { [FEATURE]: { meter: METER } },
  plans: {
    team: {
      name: "Team",
      prices: { monthly: usd("50").monthly() },
      features: { [FEATURE]: { overage: usd("0.01") } },
    },
  },
});

/** A record as it is stored. */
export interface Used {
  readonly entityId: string;
  readonly key: string;
  readonly over: number;
  readonly at: number;
  /** Null: not sent. */
  readonly batch: string | null;
}

export interface KeptBatch {
  readonly id: string;
  readonly due: number | null;
  readonly data: MeterBatch;
}

export interface Keep {
  readonly store: Store;
  readonly outbox: OutboxStore;
  /** Undefined where the platform has none. */
  readonly books?: UsageBooks;
  usage(now: () => number): Pick<UsageWrites, "consume">;
  /** All records; every one is billed. */
  used(): Promise<readonly Used[]>;
  /** Stores a record whose units were all beyond the balance, as if it had been taken. */
  insert(record: Omit<Used, "batch">): Promise<unknown>;
  batches(): Promise<readonly KeptBatch[]>;
}
