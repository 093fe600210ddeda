/** What the tests of the webhook share: events as Stripe posts them, and what came of them. */
import { type App, NOW } from "./kit.js";

export interface Answer {
  readonly status: number;
  /** Empty where nothing was said, as when an event is stored. */
  readonly body: { received?: string; error?: { code: string; message: string } };
  readonly text: string;
  readonly headers: Headers;
}

export interface Posting {
  readonly secret?: string;
  /** Seconds by which the signature is old. */
  readonly age?: number;
  readonly header?: string | null;
  readonly method?: string;
}

/** Posts a body as Stripe would, signed with the endpoint's secret unless told otherwise. */
export async function post(app: App, body: string, posting: Posting = {}): Promise<Answer> {
  const { secret = app.secret, age = 0, method = "POST" } = posting;
  const timestamp = Math.floor(Date.now() / 1000) - age;
  const signed = await app.stripe.webhooks.generateTestHeaderStringAsync({
    payload: body,
    secret,
    timestamp,
  });
  const header = posting.header === undefined ? signed : posting.header;
  const answer = await fetch(`${app.url}/stripe/webhook`, {
    method,
    headers: header === null ? {} : { "Stripe-Signature": header },
    body: method === "GET" ? null : body,
  });
  const text = await answer.text();
  return {
    status: answer.status,
    headers: answer.headers,
    text,
    body: JSON.parse(text || "{}") as Answer["body"],
  };
}

export const event = (changes: object = {}) => ({
  id: "evt_1",
  object: "event",
  type: "customer.created",
  created: Date.parse(NOW) / 1000,
  livemode: false,
  api_version: null,
  data: { object: { id: "cus_1", object: "customer", metadata: {} } },
  ...changes,
});
export const send = (app: App, changes: object = {}, posting?: Posting) =>
  post(app, JSON.stringify(event(changes)), posting);

export const receipts = ({ sql, schema }: App) =>
  sql<{ event_id: string; type: string; object_id: string | null }>(
    `SELECT event_id, type, object_id FROM ${schema}.backend_billing_receipts ORDER BY received_at`,
  );
export const attempts = ({ double }: App) =>
  double.deliveries.all().map((each) => each.attempts.map(({ status }) => status));
