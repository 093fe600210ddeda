/**
 * Disputes: a bank takes a payment back for its customer, or only asks about it. They come by test
 * cards, from the dashboard, and end by evidence, by being accepted, or by time.
 */
import type Stripe from "stripe";
import { refused } from "../../api/errors.js";
import type { Plain } from "../../world/plain.js";
import type { World } from "../../world/world.js";
import { book, DISPUTE_FEE } from "../balance/balance.js";
import { DAY, later } from "../later.js";
import type { Charge } from "../payments/charges.js";
import { endWarnings } from "./fraud-warnings.js";

export type Dispute = Plain<Stripe.Dispute>;
type DisputeReason =
  | "credit_not_processed"
  | "duplicate"
  | "fraudulent"
  | "general"
  | "product_not_received"
  | "product_unacceptable"
  | "subscription_canceled"
  | "unrecognized";

export interface DisputeOptions {
  /** Why the customer disputes the payment. Default `fraudulent`. */
  readonly reason?: DisputeReason | undefined;
  /** The bank only asks, and no money is moved yet. */
  readonly inquiry?: boolean | undefined;
  /** A part of the payment; without it, all that was not refunded. */
  readonly amount?: number | undefined;
}

/** How long there is to answer, and how long a bank may come back to an inquiry. */
const ANSWERED_WITHIN = 20 * DAY;
const INQUIRY_LASTS = 120 * DAY;

/** Visa's codes of the reasons. */
const NETWORK_CODES: { readonly [R in DisputeReason]: string | null } = {
  credit_not_processed: "13.6",
  duplicate: "12.6",
  fraudulent: "10.4",
  general: null,
  product_not_received: "13.1",
  product_unacceptable: "13.3",
  subscription_canceled: "13.2",
  unrecognized: "10.4",
};

export const DISPUTE_REASONS = Object.keys(NETWORK_CODES) as readonly DisputeReason[];

const EVIDENCE: Omit<Dispute["evidence"], "enhanced_evidence"> = {
  access_activity_log: null,
  billing_address: null,
  cancellation_policy: null,
  cancellation_policy_disclosure: null,
  cancellation_rebuttal: null,
  customer_communication: null,
  customer_email_address: null,
  customer_name: null,
  customer_purchase_ip: null,
  customer_signature: null,
  duplicate_charge_documentation: null,
  duplicate_charge_explanation: null,
  duplicate_charge_id: null,
  product_description: null,
  receipt: null,
  refund_policy: null,
  refund_policy_disclosure: null,
  refund_refusal_explanation: null,
  service_date: null,
  service_documentation: null,
  shipping_address: null,
  shipping_carrier: null,
  shipping_date: null,
  shipping_documentation: null,
  shipping_tracking_number: null,
  uncategorized_file: null,
  uncategorized_text: null,
};
/** The fields of the evidence that are texts, or ids of files. */
export const EVIDENCE_FIELDS = Object.keys(EVIDENCE) as readonly (keyof typeof EVIDENCE)[];

const isInquiry = ({ status }: Dispute): boolean => status.startsWith("warning_");
const isClosed = ({ status }: Dispute): boolean => /^(won|lost|warning_closed)$/.test(status);

/** Disputes a payment that was made, whole or in part. */
export function createDispute(
  world: World,
  charge: Charge,
  { reason = "fraudulent", inquiry = false, amount: wanted }: DisputeOptions = {},
): Dispute {
  const left = charge.amount - charge.amount_refunded;
  const amount = wanted ?? left;
  if (!charge.captured || amount < 1 || amount > left) {
    throw refused(`Of the charge ${charge.id}, ${charge.captured ? left : 0} can be disputed.`);
  }
  const id = world.id("du");
  const brand = charge.payment_method_details?.card?.brand ?? "visa";
  const code = NETWORK_CODES[reason];
  const due = world.now() + ANSWERED_WITHIN;
  const dispute: Dispute = {
    id,
    object: "dispute",
    amount,
    balance_transactions: inquiry ? [] : [withdraw(world, { id, amount, charge })],
    charge: charge.id,
    created: world.now(),
    currency: charge.currency,
    enhanced_eligibility_types: [],
    evidence: { ...EVIDENCE, enhanced_evidence: {} },
    evidence_details: {
      // The end of that day.
      due_by: due - (due % DAY) + DAY - 1,
      enhanced_eligibility: {},
      has_evidence: false,
      past_due: false,
      submission_count: 0,
      submission_method: "not_submitted",
    },
    intended_submission_method: null,
    is_charge_refundable: inquiry,
    livemode: world.livemode,
    metadata: {},
    payment_intent: charge.payment_intent,
    payment_method_details: {
      card: {
        brand,
        case_type: inquiry ? "inquiry" : "chargeback",
        network: brand,
        network_reason_code: inquiry ? (code?.split(".")[0] ?? null) : code,
      },
      type: "card",
    },
    reason,
    status: inquiry ? "warning_needs_response" : "needs_response",
  };
  world.objects.dispute.add(dispute);
  world.patch("charge", charge.id, { disputed: true });
  endWarnings(world, charge.id);
  world.raise("charge.dispute.created", dispute);
  if (!inquiry) world.raise("charge.dispute.funds_withdrawn", dispute);
  const waits = inquiry ? INQUIRY_LASTS : (dispute.evidence_details.due_by ?? 0) - world.now();
  later(world, waits, () => runOut(world, id));
  return dispute;
}

function withdraw(
  world: World,
  { id, amount, charge }: { readonly id: string; readonly amount: number; readonly charge: Charge },
): Dispute["balance_transactions"][number] {
  return book(world, {
    kind: "dispute",
    amount: -amount,
    currency: charge.currency,
    source: id,
    description: `Chargeback withdrawal for ${charge.id}`,
    fee: DISPUTE_FEE,
  });
}

/** Nobody answered in time: the payment is lost. An inquiry that came to nothing is over. */
function runOut(world: World, id: string): void {
  const dispute = world.find("dispute", id);
  if (isInquiry(dispute) && !isClosed(dispute)) close(world, dispute, "warning_closed");
  if (dispute.status !== "needs_response") return;
  const late = { ...dispute.evidence_details, past_due: true };
  close(world, world.patch("dispute", id, { evidence_details: late }), "lost");
}

function close(
  world: World,
  { id }: Dispute,
  status: "lost" | "won" | "warning_closed",
  more: Partial<Dispute> = {},
): Dispute {
  const closed = world.patch("dispute", id, { ...more, status });
  world.raise("charge.dispute.closed", closed);
  return closed;
}

/** The bank decides. What was withdrawn for a dispute that is won comes back, with the fee. */
export function decideDispute(world: World, id: string, outcome: "won" | "lost"): Dispute {
  const dispute = open(world, id);
  if (isInquiry(dispute)) return close(world, dispute, "warning_closed");
  if (outcome === "lost") return close(world, dispute, "lost");
  const back = book(world, {
    kind: "dispute_reversal",
    amount: dispute.amount,
    currency: dispute.currency,
    source: id,
    description: `Chargeback reversal for ${dispute.charge}`,
    fee: -DISPUTE_FEE,
  });
  const balance_transactions = [...dispute.balance_transactions, back];
  const reinstated = { balance_transactions, is_charge_refundable: true, status: "won" } as const;
  world.raise("charge.dispute.funds_reinstated", world.patch("dispute", id, reinstated));
  return close(world, dispute, "won");
}

/** Accepts a dispute, which is then lost. */
export function acceptDispute(world: World, id: string): Dispute {
  return decideDispute(world, id, "lost");
}

function open(world: World, id: string): Dispute {
  const dispute = world.find("dispute", id, "dispute");
  if (isClosed(dispute)) throw refused(`This dispute is already closed: it is ${dispute.status}.`);
  return dispute;
}

/** What Stripe's test evidence does (docs: testing#evidence). */
const TEST_EVIDENCE: { readonly [text: string]: (world: World, id: string) => void } = {
  winning_evidence: (world, id) => decideDispute(world, id, "won"),
  losing_evidence: (world, id) => decideDispute(world, id, "lost"),
  escalate_inquiry_evidence: escalate,
};
const DECIDED_AFTER = 1;

export interface DisputeAnswer {
  readonly evidence?: { readonly [field: string]: string | null | undefined } | undefined;
  readonly metadata?: { [key: string]: string } | undefined;
  /** Whether the bank gets the evidence now; so unless this is false. */
  readonly submit?: boolean | undefined;
}

/** Keeps the evidence and, unless it is only staged, sends it to the bank. */
export function answerDispute(
  world: World,
  id: string,
  { evidence, metadata, submit }: DisputeAnswer,
): Dispute {
  const before = world.find("dispute", id, "dispute");
  const changed: Partial<Dispute> = metadata === undefined ? {} : { metadata };
  if (evidence === undefined && submit !== true) {
    return world.change("dispute", id, changed, "charge.dispute.updated");
  }
  if (open(world, id).evidence_details.submission_count > 0) {
    throw refused(
      "Evidence was submitted for this dispute already, and cannot be changed any more.",
    );
  }
  const given = Object.fromEntries(
    Object.entries(evidence ?? {}).filter(([, value]) => value !== undefined),
  );
  const sent = submit !== false;
  const after = world.change(
    "dispute",
    id,
    {
      ...changed,
      evidence: { ...before.evidence, ...given },
      evidence_details: {
        ...before.evidence_details,
        has_evidence: true,
        ...(sent ? { submission_count: 1, submission_method: "manual" } : {}),
      },
      ...(sent ? { status: isInquiry(before) ? "warning_under_review" : "under_review" } : {}),
    },
    "charge.dispute.updated",
  );
  const decide = TEST_EVIDENCE[after.evidence.uncategorized_text ?? ""];
  if (sent && decide !== undefined) {
    later(world, DECIDED_AFTER, () => {
      if (!isClosed(world.find("dispute", id))) decide(world, id);
    });
  }
  return after;
}

/** An inquiry becomes a dispute with the money withdrawn, which asks for an answer of its own. */
function escalate(world: World, id: string): void {
  const before = world.find("dispute", id);
  if (!isInquiry(before)) return;
  const charge = world.find("charge", before.charge);
  const { card } = before.payment_method_details ?? {};
  const after = world.change(
    "dispute",
    id,
    {
      balance_transactions: [withdraw(world, { id, amount: before.amount, charge })],
      evidence_details: {
        ...before.evidence_details,
        submission_count: 0,
        submission_method: "not_submitted",
      },
      is_charge_refundable: false,
      payment_method_details: {
        type: "card",
        ...(card ? { card: { ...card, case_type: "chargeback" } } : {}),
      },
      status: "needs_response",
    },
    "charge.dispute.updated",
  );
  world.raise("charge.dispute.funds_withdrawn", after);
  later(world, ANSWERED_WITHIN, () => runOut(world, id));
}

/** Whether a bank has taken the money of this charge, so that it cannot be refunded too. */
export function isChargedBack(world: World, charge: string): boolean {
  return world.objects.dispute
    .where("charge", charge)
    .some((dispute) => !isInquiry(dispute) && dispute.status !== "won");
}

/** A payment that was refunded whole is not asked about any more. */
export function endInquiries(world: World, charge: string): void {
  for (const dispute of world.objects.dispute.where("charge", charge)) {
    if (isInquiry(dispute) && !isClosed(dispute)) close(world, dispute, "warning_closed");
  }
}
