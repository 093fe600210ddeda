/** What a platform shows to the tests over every resource. It names no platform. */
import type Stripe from "stripe";
import type { ResourceName } from "../../packages/backend-billing/src/core/catalogue/catalogue.js";
import type { RunReport } from "../../packages/backend-billing/src/core/runtime/reports.js";
import type { StripeDouble } from "../../packages/backend-billing/src/testing/index.js";

export interface OpenOptions {
  /** Whether Stripe has a webhook endpoint of the application. */
  readonly endpoint: boolean;
  readonly seed: string;
}

/** An application that mirrors everything, at a Stripe of its own. */
export interface MirrorApp {
  readonly double: StripeDouble;
  /** The merchant's own hand at Stripe. */
  readonly stripe: Stripe;
  /** Each of these resolves when its run has ended, and throws if it failed. */
  sync(): Promise<unknown>;
  reconcile(): Promise<unknown>;
  verify(): Promise<RunReport>;
  /** What a scheduler opens, worked at to its end. */
  scheduled(job: "catch-up" | "reconcile"): Promise<unknown>;
  /** Resolves once webhooks were delivered and what they left in doubt is answered. */
  settle(): Promise<void>;
  /** What the mirror holds, by id. */
  contents(resource: ResourceName): Promise<Map<string, object>>;
  /** Spoils every row of these, behind the library's back. */
  spoil(some: readonly ResourceName[]): Promise<void>;
  close(): Promise<void>;
}

export interface MirrorPlatform {
  open(options: OpenOptions): Promise<MirrorApp>;
  close?(): Promise<void>;
}

/** What a spoiled content has that Stripe's never has. */
export const SPOILED = { spoiled: true };

/** A Thursday. The double's time stands still until a test moves it. */
export const NOW = "2026-01-15T10:00:00Z";

/** Fast, and not paced: the double has no limits. */
export const CONFIG = {
  resources: "all",
  rate: false,
  timing: { verifyDelay: 20, refreshDelay: 100 },
} as const;
