/**
 * Stripe's test cards: what each number, and each well-known id that stands for it, does when it
 * is attached, charged, authenticated or refunded. They work in live mode too: the double has no
 * other cards.
 */
import { notModelled } from "../../api/errors.js";
import type { Debit } from "./bank-accounts.js";

/** Why a bank refuses a card, as Stripe's `decline_code`. */
export type Decline =
  | "authentication_required"
  | "card_velocity_exceeded"
  | "expired_card"
  | "fraudulent"
  | "generic_decline"
  | "incorrect_cvc"
  | "insufficient_funds"
  | "lost_card"
  | "processing_error"
  | "stolen_card";

export interface CardBehaviour {
  /** Every charge is refused for this reason. */
  readonly decline?: Decline;
  /** A card that declines can mostly not be attached either; this one can. */
  readonly attaches?: boolean;
  /** `unless_set_up` lets an off-session payment through once the card was authenticated for it. */
  readonly authentication?: "always" | "unless_set_up";
  /** It was authenticated for off-session payments before the double knew it. */
  readonly setUp?: boolean;
  /** How risky Radar finds it. A payment of the highest risk is blocked before the bank is asked. */
  readonly risk?: "elevated" | "highest";
  /** What is paid with it can be paid out at once. */
  readonly bypassesPending?: boolean;
  /** It is a bank account, and this becomes of a debit. */
  readonly debit?: Debit;
  /** What its bank does about a payment, a moment later. */
  readonly trouble?: "disputed" | "not_received" | "inquiry" | "reported";
  /** What becomes of a refund to it, a while later. */
  readonly refund?: "pending" | "fails";
}

export interface TestCard {
  readonly number: string;
  readonly brand: string;
  readonly funding: Funding;
  /** The country of the bank. */
  readonly country: string;
  readonly behaviour: CardBehaviour;
}

type Funding = "credit" | "debit" | "prepaid";

const US_VISA = {
  brand: "visa",
  funding: "credit" as const,
  country: "US",
  behaviour: {} as CardBehaviour,
};

const BLOCKED: CardBehaviour = { decline: "fraudulent", attaches: true, risk: "highest" };

/** Number, the name in `pm_card_…` and `tok_…`, and what it does. */
const VISA: readonly (readonly [number: string, name: string, behaviour: CardBehaviour])[] = [
  ["4242424242424242", "visa", {}],
  ["4000000000000002", "chargeDeclined", { decline: "generic_decline" }],
  ["4000000000009995", "chargeDeclinedInsufficientFunds", { decline: "insufficient_funds" }],
  ["4000000000009987", "chargeDeclinedLostCard", { decline: "lost_card" }],
  ["4000000000009979", "chargeDeclinedStolenCard", { decline: "stolen_card" }],
  ["4000000000000069", "chargeDeclinedExpiredCard", { decline: "expired_card" }],
  ["4000000000000127", "chargeDeclinedIncorrectCvc", { decline: "incorrect_cvc" }],
  ["4000000000000119", "chargeDeclinedProcessingError", { decline: "processing_error" }],
  [
    "4000000000006975",
    "chargeDeclinedVelocityLimitExceeded",
    { decline: "card_velocity_exceeded" },
  ],
  ["4100000000000019", "radarBlock", BLOCKED],
  ["4000000000000341", "chargeCustomerFail", { decline: "generic_decline", attaches: true }],
  ["4000002500003155", "authenticationRequiredOnSetup", { authentication: "unless_set_up" }],
  ["4000002760003184", "authenticationRequired", { authentication: "always" }],
  [
    "4000003800000446",
    "authenticationRequiredSetupForOffSession",
    { authentication: "unless_set_up", setUp: true },
  ],
  [
    "4000008260003178",
    "authenticationRequiredChargeDeclinedInsufficientFunds",
    { authentication: "always", decline: "insufficient_funds", attaches: true },
  ],
  ["4000000000003063", "threeDSecureRequired", { authentication: "always" }],
  ["4000000000003220", "threeDSecure2Required", { authentication: "always" }],
  [
    "4000008400001629",
    "threeDSecureRequiredChargeDeclined",
    { authentication: "always", decline: "generic_decline", attaches: true },
  ],
  // It may be authenticated and need not be.
  ["4000000000003055", "threeDSecureOptional", {}],
  ["4000000000000077", "bypassPending", { bypassesPending: true }],
  ["4000000000004954", "riskLevelHighest", BLOCKED],
  ["4000000000009235", "riskLevelElevated", { risk: "elevated" }],
  ["4000000000000259", "createDispute", { trouble: "disputed" }],
  ["4000000000002685", "createDisputeProductNotReceived", { trouble: "not_received" }],
  ["4000000000001976", "createDisputeInquiry", { trouble: "inquiry" }],
  ["4000000000005423", "createIssuerFraudRecord", { trouble: "reported" }],
  ["4000000000007726", "pendingRefund", { refund: "pending" }],
  ["4000000000005126", "refundFail", { refund: "fails" }],
];

/** Numbers of other brands, kinds and countries, which are charged without more ado. */
const PLAIN: readonly (readonly [number: string, name: string, brand: string, funding: Funding])[] =
  [
    ["4000056655665556", "visa_debit", "visa", "debit"],
    ["5555555555554444", "mastercard", "mastercard", "credit"],
    ["2223003122003222", "mastercard_2series", "mastercard", "credit"],
    ["5200828282828210", "mastercard_debit", "mastercard", "debit"],
    ["5105105105105100", "mastercard_prepaid", "mastercard", "prepaid"],
    ["378282246310005", "amex", "amex", "credit"],
    ["371449635398431", "amex_second", "amex", "credit"],
    ["6011111111111117", "discover", "discover", "credit"],
    ["6011000990139424", "discover_second", "discover", "credit"],
    ["6011981111111113", "discover_debit", "discover", "debit"],
    ["3056930009020004", "diners", "diners", "credit"],
    ["36227206271667", "diners_14digit", "diners", "credit"],
    ["3566002020360505", "jcb", "jcb", "credit"],
    ["6200000000000005", "unionpay", "unionpay", "credit"],
  ];

/** Visa cards by country, named `pm_card_de` and the like. */
const ABROAD: readonly (readonly [number: string, country: string])[] = [
  ["4000000760000002", "BR"],
  ["4000001240000000", "CA"],
  ["4000004840008001", "MX"],
  ["4000000400000008", "AT"],
  ["4000000560000004", "BE"],
  ["4000002080000001", "DK"],
  ["4000002460000001", "FI"],
  ["4000002500000003", "FR"],
  ["4000002760000016", "DE"],
  ["4000003720000005", "IE"],
  ["4000003800000008", "IT"],
  ["4000005280000002", "NL"],
  ["4000005780000007", "NO"],
  ["4000006160000005", "PL"],
  ["4000006200000007", "PT"],
  ["4000007240000007", "ES"],
  ["4000007520000008", "SE"],
  ["4000007560000009", "CH"],
  ["4000008260000000", "GB"],
  ["4000000360000006", "AU"],
  ["4000003560000008", "IN"],
  ["4000003920000003", "JP"],
  ["4000005540000008", "NZ"],
  ["4000007020000003", "SG"],
];

/** Each with its name in `pm_card_…` and `tok_…`. */
export const CARDS: readonly (TestCard & { readonly name: string })[] = [
  ...VISA.map(([number, name, behaviour]) => ({ ...US_VISA, number, name, behaviour })),
  ...PLAIN.map(([number, name, brand, funding]) => ({ ...US_VISA, number, name, brand, funding })),
  ...ABROAD.map(([number, country]) => {
    return { ...US_VISA, number, name: country.toLowerCase(), country };
  }),
];

const BY_NUMBER = new Map(CARDS.map((each) => [each.number, each]));
const BY_NAME = new Map(CARDS.map((each) => [each.name, each]));

export function cardByNumber(number: string): TestCard | undefined {
  return BY_NUMBER.get(number);
}

/** The card that an id such as `pm_card_visa` stands for. */
export function cardByMethod(id: string): TestCard | undefined {
  const card = id.startsWith("pm_card_") ? byName(id.slice("pm_card_".length)) : undefined;
  if (card === undefined && UNMODELLED.test(id)) {
    throw notModelled(`the test payment method ${id}`);
  }
  return card;
}

/** The card that a token such as `tok_visa` stands for. */
export function cardByToken(id: string): TestCard | undefined {
  return id.startsWith("tok_") ? byName(id.slice("tok_".length)) : undefined;
}

const OTHER_NAMES: { readonly [name: string]: string } = {
  chargeDeclinedFraudulent: "radarBlock",
  us: "visa",
};

/**
 * Test payment methods of Stripe's that the double does not model: banks' debits, which take days,
 * and cards whose payments are disputed in ways that it does not know.
 */
const UNMODELLED =
  /^pm_(usBankAccount|sepaDebit|bacsDebit|acssDebit|auBecsDebit|card_(visa_)?create\w*(Dispute|Fraud)\w*)/;

/** Stripe's decline cards have a second name each, with the brand in front. */
function byName(name: string): TestCard | undefined {
  return BY_NAME.get(name) ?? BY_NAME.get(OTHER_NAMES[name] ?? name.replace(/^visa_/, ""));
}

/** Whether the last digit is the check digit of the others. */
export function passesLuhn(number: string): boolean {
  const sum = [...number].reverse().reduce((total, digit, index) => {
    const value = Number(digit) * (index % 2 === 0 ? 1 : 2);
    return total + (value > 9 ? value - 9 : value);
  }, 0);
  return /^\d{12,19}$/.test(number) && sum % 10 === 0;
}

export interface Refusal {
  readonly code: string;
  readonly decline_code?: string;
  readonly message: string;
}

/** What Stripe says about each decline. Some have a code of their own, the rest share `card_declined`. */
const REFUSALS: { readonly [D in Decline]: Refusal } = {
  authentication_required: {
    code: "authentication_required",
    decline_code: "authentication_required",
    message: "Your card was declined. This transaction requires authentication.",
  },
  expired_card: {
    code: "expired_card",
    decline_code: "expired_card",
    message: "Your card has expired.",
  },
  card_velocity_exceeded: declined(
    "card_velocity_exceeded",
    "Your card was declined for making repeated attempts too frequently or exceeding its amount limit.",
  ),
  fraudulent: declined("fraudulent", "Your card was declined."),
  generic_decline: declined("generic_decline", "Your card was declined."),
  incorrect_cvc: {
    code: "incorrect_cvc",
    decline_code: "incorrect_cvc",
    message: "Your card's security code is incorrect.",
  },
  insufficient_funds: declined("insufficient_funds", "Your card has insufficient funds."),
  lost_card: declined("lost_card", "Your card was declined."),
  processing_error: {
    code: "processing_error",
    decline_code: "processing_error",
    message: "An error occurred while processing your card. Try again in a little bit.",
  },
  stolen_card: declined("stolen_card", "Your card was declined."),
};

function declined(code: string, message: string): Refusal {
  return { code: "card_declined", decline_code: code, message };
}

export function refusalOf(decline: Decline): Refusal {
  return REFUSALS[decline];
}
