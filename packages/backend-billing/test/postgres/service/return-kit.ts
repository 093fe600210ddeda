/** What the tests of the return route share: links, and visits by them. */
import { type ReturnTo, returnLink } from "../../../src/core/links/return.js";
import type { App } from "./kit.js";

export const LIST = "GET /v1/subscriptions";
export const SESSION = `cs_test_${"a1".repeat(20)}`;

export const visit = (link: string, init: RequestInit = {}) =>
  fetch(link.replace("{CHECKOUT_SESSION_ID}", SESSION), { redirect: "manual", ...init });

/** A link as the library gives it to Stripe, for a customer that exists; in the application's time. */
export async function link(
  app: App,
  to: Partial<ReturnTo> = {},
  runtime = { ...app.core, now: Date.now },
): Promise<string> {
  const { customerId } = await app.b.setup({ entityId: "user_1" });
  app.double.requests.clear();
  const target = `${app.url}/welcome`;
  return returnLink(runtime, { kind: "checkout", target, customerId, account: null, ...to });
}
