/** What the tests of claims share: a claim that was left behind, and what Stripe was sent. */
import { put } from "../../../src/core/claim-record.js";
import { attempting, leased, type Opening, opened } from "../../../src/core/claims.js";
import type { App } from "./kit.js";

export const CREATE = "POST /v1/customers";
export const LIST = "GET /v1/customers";
export const entityId = "user_1";

export const opening: Opening = {
  entityId,
  account: null,
  livemode: false,
  key: "key-of-a-dead-process",
  params: { email: "ada@example.com", metadata: { entityId } },
  searched: true,
};

/** A process opened the claim and died as it sent the creation, which reached Stripe or did not. */
export async function leftBehind(
  { core, stripe }: App,
  reached: boolean,
): Promise<string | undefined> {
  const now = core.now();
  await put(core, undefined, leased(attempting(opened(undefined, opening), now), now, core.timing));
  if (!reached) return undefined;
  const { id } = await stripe.customers.create(opening.params, { idempotencyKey: opening.key });
  return id;
}

export const sent = ({ double }: App, signature: string) => double.requests.count(signature);
export const emailsAt = ({ double }: App) => double.objects("customer").map(({ email }) => email);
