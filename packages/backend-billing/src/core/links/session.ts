/** A checkout session at Stripe: made, stored, and answered as a page. */
import type Stripe from "stripe";
import type { ReadClaim } from "../customers/claim/record.js";
import { forLiveCustomer } from "../customers/live-customer.js";
import type { CustomerRead } from "../customers/setup.js";
import { linesOf } from "../events/session.js";
import { isReplayed } from "../mirror/headers.js";
import { answeredAt, plain, snapshotOfPart } from "../mirror/snapshot.js";
import type { RecordKey, Snapshot } from "../mirror/store.js";
import { commit } from "../runtime/commit/commit.js";
import { records } from "../runtime/records/records.js";
import type { Runtime } from "../runtime/runtime.js";
import { addressOf, openPage, type Page, type Ui } from "./page.js";
import type { ReturnKind } from "./return.js";

/** The parameters of a session, with whole addresses and without a customer. */
export type WholeParams = Omit<Stripe.Checkout.SessionCreateParams, "expand"> & {
  readonly success_url: string;
  readonly cancel_url: string;
};

export interface Opening {
  readonly params: WholeParams;
  readonly ui: Ui;
  readonly options: Stripe.RequestOptions | undefined;
  /** Finds or makes the customer, and reads records along with it unless they were read ahead. */
  find(wanted: readonly RecordKey[], ahead?: ReadClaim): Promise<CustomerRead>;
  /** What was read of the customer and these records when the call began. */
  readonly ahead?: ReadClaim | undefined;
}

/** Opens a page that nothing guards: for a payment, or for one more subscription on purpose. */
export async function openSession(
  runtime: Runtime,
  { params, ui, options, find, ahead }: Opening,
): Promise<Page<Ui>> {
  return forLiveCustomer(
    runtime,
    options,
    (isFirst) => find([], isFirst ? ahead : undefined),
    async ({ customerId }, at) => {
      const startedAt = runtime.now();
      const session = await createSession(runtime, { params, ui, options: at }, customerId);
      const snapshots = sessionSnapshots(runtime, session, startedAt, at);
      if (snapshots.length > 0) await store(runtime, session, snapshots);
      return pageOf("checkout", ui, session);
    },
  );
}

/** Stores a session that was made, and what is bought there. */
async function store(
  runtime: Runtime,
  session: Stripe.Checkout.Session,
  snapshots: readonly Snapshot[],
): Promise<void> {
  const units = [{ snapshots }];
  const { id, line_items: list } = session;
  if (list !== undefined && !list.has_more) {
    const none = { revision: 0, data: undefined };
    const lines = records.purchase(id).write(none, linesOf(session, list.data));
    const { committed } = await commit(runtime, { source: "call", units, records: [lines] });
    if (committed) return; // otherwise the page's event has been quicker
  }
  await commit(runtime, { source: "call", units });
}

/** What people come back from, by the mode of the session. */
const KINDS: { readonly [mode: string]: ReturnKind } = { payment: "payment", setup: "setup" };

/** Creates a session, from which people come back through our return route. */
export function createSession(
  runtime: Runtime,
  { params: { success_url, cancel_url, ...params }, ui, options }: Omit<Opening, "find" | "ahead">,
  customer: string,
): Promise<Stripe.Response<Stripe.Checkout.Session>> {
  const kind = KINDS[params.mode ?? ""] ?? "checkout";
  const to = { kind, target: success_url, customerId: customer };
  return openPage(runtime, to, options, (back) =>
    runtime.stripe().checkout.sessions.create(
      {
        ...params,
        ...(kind === "payment" ? { expand: ["line_items"] } : {}),
        customer,
        ...(ui === "embedded"
          ? { ui_mode: "embedded_page" as const, return_url: back }
          : { success_url: back, cancel_url }),
      },
      options,
    ),
  );
}

/** What the answer says of the session, for the mirror; nothing where it is not mirrored. */
export function sessionSnapshots(
  runtime: Runtime,
  session: Stripe.Response<Stripe.Checkout.Session>,
  startedAt: number,
  options: Stripe.RequestOptions | undefined,
): readonly Snapshot[] {
  const isMirrored = !options?.stripeAccount && runtime.resources.includes("checkout_sessions");
  // What is answered again under an idempotency key was true when it was answered first.
  if (!isMirrored || isReplayed(session.lastResponse.headers)) return [];
  const { line_items: _, ...content } = session;
  const seen = answeredAt(runtime, session, startedAt);
  return [snapshotOfPart("checkout_sessions", plain(content), seen)];
}

export function pageOf(
  kind: "checkout" | "open",
  ui: Ui,
  { id, url, client_secret }: Pick<Stripe.Checkout.Session, "id" | "url" | "client_secret">,
): Page<Ui> {
  const at =
    ui === "embedded" ? { clientSecret: addressOf(client_secret) } : { url: addressOf(url) };
  return { kind, sessionId: id, subscriptionId: null, ...at } as Page<Ui>;
}
