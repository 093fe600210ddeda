/** What the application's own webhook route said, judged. Pure. */
import type { Answer, WebhookFacts } from "./facts.js";
import type { Find, Finding } from "./finding.js";

/** The cause that explains the most comes first; its consequences are not reported as well. */
export function diagnoseRoute(
  find: Find,
  webhook: string,
  { signed, forged }: WebhookFacts,
  mode = "test",
): Finding[] {
  if (signed.state === "failed") {
    return [find("webhook_unreachable", { webhook, reason: signed.reason })];
  }
  const { status, code } = signed;
  const reason = signed.message ?? "no reason given";
  if (status === 404 || status === 405) return [find("webhook_route_missing", { webhook, status })];
  if (status >= 300 && status < 400) return [find("webhook_redirected", { webhook, status })];
  if (accepts(forged) && signed.received !== undefined) {
    return [find("webhook_forgery_accepted", { webhook })];
  }
  if (accepts(signed)) {
    // The event is of a type that means nothing, and that is what the library says of it.
    return signed.received === "ignored" ? [] : [find("webhook_not_ours", { webhook, status })];
  }
  if (code === "invalid_signature") return [find("webhook_secret_differs", { webhook })];
  if (code === "livemode_mismatch") return [find("webhook_mode_differs", { webhook, mode })];
  if (code === "invalid_config" && /body was read/.test(reason))
    return [find("webhook_body_parsed")];
  if (code === undefined && (status === 401 || status === 403)) {
    return [find("webhook_guarded", { webhook, status })];
  }
  if (code === undefined && status < 500) return [find("webhook_not_ours", { webhook, status })];
  return [find("webhook_failing", { webhook, status, reason })];
}

const accepts = (answer: Answer): boolean =>
  answer.state === "answered" && answer.status >= 200 && answer.status < 300;
