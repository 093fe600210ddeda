/** What can be asked of the control API: one entry a route, each a call of the double's own interface. */
import { successUrl } from "../billing/checkout/session.js";
import { DISPUTE_REASONS } from "../billing/disputes/disputes.js";
import { sessionIdOf } from "../dashboard.js";
import type { StripeDouble } from "../stripe-double.js";
import type { Delivery } from "../webhooks/webhooks.js";
import type { Duration } from "../world/clock.js";
import { type Body, ControlError, checkBody, type Shape } from "./body.js";
import { faultOf } from "./fault.js";

export interface ControlRoute {
  readonly method: "GET" | "POST" | "DELETE";
  /** Below `/_double`; a last part `:id` stands for any. */
  readonly path: string;
  readonly about: string;
  /** Fields of the JSON body or, for GET, of the query. "any" is checked by the route itself. */
  readonly body: Shape | "any";
  readonly run: (double: StripeDouble, body: never, id: string) => unknown;
}

function on<S extends Shape>(
  signature: `${ControlRoute["method"]} ${string}`,
  about: string,
  body: S | "any",
  run: (double: StripeDouble, body: Body<S>, id: string) => unknown,
): ControlRoute {
  const [method, path] = signature.split(" ") as [ControlRoute["method"], string];
  return { method, path, about, body, run: run as ControlRoute["run"] };
}

const clockOf = ({ clock }: StripeDouble) => {
  const at = clock.now();
  return { now: new Date(at).toISOString(), milliseconds: at };
};

const deliveryOf = ({ id, event, type, endpoint, url, state, attempts }: Delivery) => ({
  id,
  event,
  type,
  endpoint,
  url,
  state,
  attempts,
});

const DURATION = {
  days: "number?",
  hours: "number?",
  minutes: "number?",
  seconds: "number?",
  milliseconds: "number?",
} as const;

/** How a session stands after an action on its page. */
function sessionOf(double: StripeDouble, address: string) {
  const id = sessionIdOf(address);
  const session = double.objects("checkout.session").find((each) => each.id === id);
  if (session === undefined) throw new ControlError(404, `There is no checkout session ${id}.`);
  return { session: id, status: session.status, return_url: successUrl(session) };
}

const OUTCOMES = ["succeed", "fail"] as const;
const INTENTS = [
  ["pi_", "payment_intent"],
  ["seti_", "setup_intent"],
] as const;

export const controlRoutes: readonly ControlRoute[] = [
  on(
    "GET /health",
    "Whether it is ready, and how to reach it: address, keys, account, time",
    {},
    (double) => ({
      status: "ok",
      url: double.url,
      account: double.account,
      secret_key: double.secretKey,
      live_secret_key: double.liveSecretKey,
      api_version: double.apiVersion,
      seed: double.seed,
      webhook: double.webhook ?? null,
      ...clockOf(double),
    }),
  ),
  on("GET /clock", "The double's time", {}, clockOf),
  on(
    "POST /clock",
    "Moves time forward by `advance` (days, hours, minutes, seconds, milliseconds) or to the moment `to`; answers once all that fell due has happened and was delivered",
    { advance: "object?", to: "text?" },
    async (double, { advance, to }) => {
      if ((advance === undefined) === (to === undefined)) {
        throw new ControlError(
          400,
          'Send either {"advance": {"days": 31}} or {"to": "2026-03-01T00:00:00Z"}.',
        );
      }
      if (to !== undefined) await double.clock.advanceTo(to);
      else await double.clock.advance(checkBody(advance ?? {}, DURATION) as Duration);
      return clockOf(double);
    },
  ),
  on("POST /settle", "Waits until every delivery that is due was attempted", {}, async (double) => {
    await double.settle();
    return clockOf(double);
  }),
  on(
    "POST /pay",
    "Pays a checkout `session`, by its id or its page's address, with a test `card`, an `email` and a `promotion_code`",
    { session: "text", card: "text?", email: "text?", promotion_code: "text?" },
    (double, { session, card, email, promotion_code: promotionCode }) => {
      const given = {
        ...(card && { card }),
        ...(email && { email }),
        ...(promotionCode && { promotionCode }),
      };
      const outcome = double.dashboard.payCheckout(session, given);
      if (outcome === "closed") {
        throw new ControlError(
          409,
          `The checkout session ${sessionIdOf(session)} is ${sessionOf(double, session).status}. Make a new one.`,
        );
      }
      return { outcome, ...sessionOf(double, session) };
    },
  ),
  on(
    "POST /authenticate",
    "Answers a bank that asks about a `payment`: the id of a payment intent or a setup intent, or a checkout session's id or address; `outcome` is succeed or fail",
    { payment: "text", outcome: "text?" },
    (double, { payment, outcome = "succeed" }) => {
      const known = OUTCOMES.find((each) => each === outcome);
      if (known === undefined) throw new ControlError(400, "'outcome' must be succeed or fail.");
      double.dashboard.authenticate(payment, known);
      const kind = INTENTS.find(([prefix]) => payment.startsWith(prefix))?.[1];
      if (kind === undefined) return sessionOf(double, payment);
      const intent = [...double.objects(kind)].find(({ id }) => id === payment);
      return { [kind]: payment, status: intent?.status };
    },
  ),
  on(
    "POST /dispute",
    "Has a bank dispute a `payment`, by the id of a charge or of a payment intent: `reason`, `amount`, and `inquiry` for one that moves no money",
    { payment: "text", reason: "text?", amount: "number?", inquiry: "flag?" },
    (double, { payment, reason, amount, inquiry }) => {
      const known = DISPUTE_REASONS.find((each) => each === reason);
      if (reason !== undefined && known === undefined) {
        throw new ControlError(400, `'reason' must be one of ${DISPUTE_REASONS.join(", ")}.`);
      }
      const { id, status } = double.dashboard.dispute(payment, { reason: known, amount, inquiry });
      return { dispute: id, status };
    },
  ),
  on(
    "POST /dispute/decide",
    "Has the bank decide a `dispute`: `outcome` is won or lost",
    { dispute: "text", outcome: "text" },
    (double, { dispute, outcome }) => {
      if (outcome !== "won" && outcome !== "lost") {
        throw new ControlError(400, "'outcome' must be won or lost.");
      }
      double.dashboard.decideDispute(dispute, outcome);
      const found = double.objects("dispute").find(({ id }) => id === dispute);
      return { dispute, status: found?.status };
    },
  ),
  on(
    "POST /portal",
    "Does what a portal `session` with a flow was made for, by its id or its page's address, with a `card`, `price`, `quantity`, `feedback` or `comment`; answers the `return_url`",
    {
      session: "text",
      card: "text?",
      price: "text?",
      quantity: "number?",
      feedback: "text?",
      comment: "text?",
    },
    (double, { session, card, price, quantity, feedback, comment }) => ({
      return_url: double.dashboard.completePortal(session, {
        ...(card && { card }),
        ...(price && { price }),
        ...(quantity !== undefined && { quantity }),
        ...(feedback && { feedback }),
        ...(comment && { comment }),
      }),
    }),
  ),
  on("GET /faults", "The faults that can still strike", {}, ({ faults }) => ({
    faults: faults.all(),
  })),
  on(
    "POST /faults",
    'Adds a fault, such as {"fault": "error_after", "on": "POST /v1/customers", "times": 1}',
    "any",
    (double, body) => {
      double.faults.add(faultOf(body));
      return double.faults.all().at(-1);
    },
  ),
  on("DELETE /faults", "Takes all faults away", {}, ({ faults }) => {
    faults.clear();
    return { faults: [] };
  }),
  on("DELETE /faults/:id", "Takes one fault away", {}, ({ faults }, _, id) => {
    if (faults.remove(id)) return { id };
    throw new ControlError(404, `There is no fault ${id}. GET /_double/faults lists them.`);
  }),
  on(
    "GET /deliveries",
    "Deliveries to webhook endpoints with their attempts, oldest first; `state`, `type` and `event` narrow them",
    { state: "text?", type: "text?", event: "text?" },
    ({ deliveries }, wanted) => {
      const fields = Object.entries(wanted) as [keyof typeof wanted, string][];
      const fits = (each: Delivery) => fields.every(([name, value]) => each[name] === value);
      return { deliveries: deliveries.all().filter(fits).map(deliveryOf) };
    },
  ),
  on(
    "POST /deliveries/release",
    "Attempts the held deliveries with these `ids`, in this order; all of them without `ids`",
    { ids: "texts?" },
    async ({ deliveries }, { ids }) => {
      const released = ids ?? deliveries.held().map(({ id }) => id);
      await deliveries.release(released);
      const all = new Map(deliveries.all().map((each) => [each.id, each]));
      return { deliveries: released.flatMap((id) => all.get(id) ?? []).map(deliveryOf) };
    },
  ),
  on(
    "POST /deliveries/resend",
    "Sends an `event` again to every endpoint that wants it",
    { event: "text" },
    ({ deliveries }, { event }) => {
      deliveries.resend(event);
      return { event };
    },
  ),
  on(
    "POST /reset",
    "Begins anew with the same options: nothing in it, the same keys and ids; `seed` for others, `now` for a clock that stands still",
    { seed: "seed?", now: "text?" },
    async (double, { seed, now }) => {
      const changes = { ...(seed !== undefined && { seed }), ...(now !== undefined && { now }) };
      await double.reset(changes);
      return { secret_key: double.secretKey, webhook: double.webhook ?? null, ...clockOf(double) };
    },
  ),
];
