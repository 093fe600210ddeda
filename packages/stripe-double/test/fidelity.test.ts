/**
 * The double's objects beside real-shaped ones, field by field. `stripe-fixtures3.json` holds one
 * object of each kind, of an API version a little older than the SDK's, with made-up values in
 * optional fields; it lies beside the repository, and may not be there.
 */
import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, it } from "vitest";
import { collectSamples, type Samples } from "./samples.js";
import { compareShapes, type Difference } from "./shapes.js";

const FIXTURES = fileURLToPath(
  new URL("../../../../shared/facts/stripe-fixtures3.json", import.meta.url),
);
const present = existsSync(FIXTURES);

/** Why a field may be on one side only. */
const REASONS = {
  asked: "shown only when it is expanded, which the fixture is not",
  new: "newer than the fixture; the SDK's types have it",
  optional: "optional in the SDK's types, and absent from the fixture's example",
  once: "answered only when it is made",
  change: "only in events of a change, of which the fixture has none",
  left: "left out by the double: the SDK's types do not have it any more",
} as const;

type Explained = { readonly [path: string]: keyof typeof REASONS };

/** Every kind that the double serves, with each difference from the fixture explained. */
const KINDS: { readonly [kind: string]: Explained } = {
  account: { "business_profile.specified_commercial_transactions_act_url": "new" },
  balance: {},
  balance_transaction: {},
  "billing.credit_balance_summary": {},
  "billing.credit_balance_transaction": {},
  "billing.credit_grant": {},
  "billing_portal.configuration": {
    "features.subscription_cancel.cancellation_reason.feedback_options": "new",
    "features.subscription_pause": "new",
  },
  "billing_portal.session": {},
  charge: {
    "outcome.risk_level": "optional",
    "payment_method_details.card.capture_before": "optional",
    "payment_method_details.card.electronic_commerce_indicator": "new",
  },
  "checkout.session": { allowed_payment_method_types: "new", line_items: "asked" },
  coupon: {},
  credit_note: {},
  credit_note_line_item: {},
  customer_balance_transaction: {},
  customer: {
    customer_account: "new",
    sources: "asked",
    subscriptions: "asked",
    tax_ids: "asked",
  },
  deleted_coupon: {},
  deleted_customer: {},
  deleted_invoice: {},
  deleted_product: {},
  deleted_subscription_item: {},
  "deleted_test_helpers.test_clock": {},
  deleted_webhook_endpoint: {},
  discount: {},
  dispute: {
    "evidence_details.submission_method": "new",
    intended_submission_method: "new",
  },
  event: { "data.previous_attributes": "change" },
  invoice: {
    confirmation_secret: "asked",
    "lines.data[].pricing.price_details": "optional",
    payments: "asked",
    subscription: "left",
  },
  invoice_payment: { "payment.payment_intent": "optional" },
  invoiceitem: {
    "parent.subscription_details.subscription_item": "optional",
    "pricing.price_details": "optional",
    proration_details: "optional",
  },
  item: {},
  line_item: { "pricing.price_details": "optional" },
  payment_intent: {
    allowed_payment_method_types: "new",
    "automatic_payment_methods.allow_redirects": "optional",
    "last_payment_error.charge": "optional",
    "last_payment_error.code": "optional",
    "last_payment_error.decline_code": "optional",
    "last_payment_error.doc_url": "optional",
    "last_payment_error.message": "optional",
    "last_payment_error.payment_method": "optional",
    "next_action.redirect_to_url": "optional",
    payment_record: "new",
  },
  payment_link: {
    line_items: "asked",
    "subscription_data.invoice_settings.account_tax_ids": "new",
    "subscription_data.invoice_settings.custom_fields": "new",
    "subscription_data.invoice_settings.description": "new",
    "subscription_data.invoice_settings.footer": "new",
  },
  payment_method: {},
  payout: {},
  plan: {},
  price: { currency_options: "asked" },
  product: { tax_details: "new" },
  promotion_code: {},
  quote: { line_items: "asked", "subscription_data.billing_mode.flexible": "optional" },
  "radar.early_fraud_warning": { payment_intent: "optional" },
  refund: {
    "destination_details.card.reference": "optional",
    "destination_details.card.reference_status": "optional",
    "destination_details.card.reference_type": "optional",
    pending_reason: "optional",
  },
  setup_attempt: {},
  setup_intent: {
    allowed_payment_method_types: "new",
    "automatic_payment_methods.allow_redirects": "optional",
    customer_account: "new",
    "last_setup_error.code": "optional",
    "last_setup_error.decline_code": "optional",
    "last_setup_error.doc_url": "optional",
    "last_setup_error.message": "optional",
    "last_setup_error.payment_method": "optional",
    "next_action.redirect_to_url": "optional",
  },
  subscription: {
    "cancellation_details.feedback_option": "new",
    "items.data[].current_trial": "new",
    "pending_update.cancel_at_period_end": "new",
    "trial_settings.end_behavior.billing_cycle_anchor": "new",
  },
  deleted_tax_id: {},
  tax_id: {},
  tax_rate: {},
  subscription_item: { current_trial: "new" },
  subscription_schedule: { pause_schedules: "new" },
  "test_helpers.test_clock": {},
  webhook_endpoint: { secret: "once" },
};

const said = ({ path, kind, detail }: Difference) =>
  `${path}: ${kind === "type" ? detail : `${kind} here${detail && ` (${detail})`}`}`;

describe.skipIf(!present)(
  present
    ? "the objects of the double and the fixture"
    : "the objects of the double and the fixture (skipped: ../shared/facts/stripe-fixtures3.json is not there)",
  () => {
    let samples: Samples;
    let real: { [kind: string]: unknown };
    beforeAll(async () => {
      samples = await collectSamples();
      real = JSON.parse(readFileSync(FIXTURES, "utf8")).resources;
    });

    it("are compared for every kind that the double serves", () => {
      const wrappers = ["list", "search_result"];
      const served = [...samples.keys()].filter((kind) => !wrappers.includes(kind));
      expect(served.sort()).toEqual(Object.keys(KINDS).sort());
      expect(Object.keys(KINDS).filter((kind) => !(kind in real))).toEqual([]);
    });

    it.each(Object.entries(KINDS))("%s has the fixture's fields and types", (kind, explained) => {
      const differences = compareShapes(samples.get(kind) ?? [], [real[kind]]);
      const unexplained = differences.filter(
        ({ path, kind: sort }) => sort === "type" || explained[path] === undefined,
      );
      expect(unexplained.map(said)).toEqual([]);
      const stale = Object.keys(explained).filter(
        (path) => !differences.some((difference) => difference.path === path),
      );
      expect(stale).toEqual([]);
    });

    it("lists have an object, data, has_more and a url, and searches a next page", () => {
      for (const list of samples.get("list") ?? []) {
        expect(Object.keys(list).sort()).toEqual(["data", "has_more", "object", "url"]);
        expect(list).toMatchObject({
          data: expect.any(Array),
          has_more: expect.any(Boolean),
          url: expect.stringMatching(/^\/v1\//),
        });
      }
      const [search] = samples.get("search_result") ?? [];
      expect(Object.keys(search ?? {}).sort()).toEqual(
        ["data", "has_more", "next_page", "object", "url"].sort(),
      );
    });
  },
);

describe("the comparison of shapes", () => {
  const compare = (ours: unknown, real: unknown) => compareShapes([ours], [real]).map(said);

  it("finds a field on one side, and a type that is another", () => {
    expect(compare({ a: 1, b: "x" }, { a: 1, c: null })).toEqual([
      "b: extra here (string)",
      "c: missing here",
    ]);
    expect(compare({ a: "1" }, { a: 1 })).toEqual(["a: string instead of number"]);
    expect(compare({ a: { b: [{ c: 1 }] } }, { a: { b: [{ c: "1" }] } })).toEqual([
      "a.b[].c: number instead of string",
    ]);
  });

  it("lets null, references, maps and empty objects be", () => {
    expect(
      compare({ a: null, b: "cus_1" }, { a: 1, b: { id: "cus_1", object: "customer" } }),
    ).toEqual([]);
    expect(compare({ metadata: { a: "1" } }, { metadata: { b: "2" } })).toEqual([]);
    expect(compare({ a: { b: 1 } }, { a: {} })).toEqual([]);
    expect(compare({ a: [] }, { a: [{ b: 1 }] })).toEqual([]);
  });
});
