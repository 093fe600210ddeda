/** What the tests of claims share: a claim that was left behind, and what Stripe was sent. */

import {
  attempting,
  leased,
  type Opening,
  opened,
} from "../../../src/core/customers/claim/claim.js";
import { put } from "../../../src/core/customers/claim/record.js";
import { commit } from "../../../src/core/runtime/commit/commit.js";
import type { App } from "./kit.js";

export const CREATE = "POST /v1/customers";
export const LIST = "GET /v1/customers";
export const entityId = "user_1";

export const SEARCH = "GET /v1/customers/search";

export const params = { email: "ada@example.com", metadata: { entityId } };

export const opening: Opening = {
  entityId,
  account: null,
  livemode: false,
  counter: 1,
  key: "key-of-a-dead-process",
  params,
};

/** The mirror knows of all customers until now, as after a complete listing and a catch-up. */
export async function caughtUp({ core, double }: App): Promise<void> {
  const next = { ref: null, due: null, data: { at: double.clock.seconds() } };
  for (const id of ["customers", "events"]) {
    const expect = (await core.store.record("watermark", id))?.revision ?? 0;
    const records = [{ kind: "watermark", id, expect, next } as const];
    await commit(core, { source: "record", records });
  }
}

/** A process opened the claim and died as it sent the creation, which reached Stripe or did not. */
export async function leftBehind(
  { core, stripe }: App,
  reached: boolean,
): Promise<string | undefined> {
  const now = core.now();
  await put(core, undefined, leased(attempting(opened(undefined, opening), now), now, core.timing));
  if (!reached) return undefined;
  const { id } = await stripe.customers.create(params, { idempotencyKey: opening.key });
  return id;
}

export const sent = ({ double }: App, signature: string) => double.requests.count(signature);
export const emailsAt = ({ double }: App) => double.objects("customer").map(({ email }) => email);
