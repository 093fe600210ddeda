/**
 * Stripe's test cards: what each number, and each well-known id that stands for it, does when it
 * is attached, charged, authenticated or refunded. They work in live mode too: the double has no
 * other cards.
 */

/** Why a bank refuses a card, as Stripe's `decline_code`. */
export type Decline =
  | "authentication_required"
  | "expired_card"
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
  /** What becomes of a refund to it, a while later. */
  readonly refund?: "pending" | "fails";
}

export interface TestCard {
  readonly number: string;
  readonly brand: string;
  readonly funding: "credit" | "debit";
  readonly behaviour: CardBehaviour;
}

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
  ["4000000000007726", "pendingRefund", { refund: "pending" }],
  ["4000000000005126", "refundFail", { refund: "fails" }],
];

const CARDS: readonly (TestCard & { readonly name: string })[] = [
  ...VISA.map(([number, name, behaviour]) => ({
    number,
    name,
    behaviour,
    brand: "visa",
    funding: "credit" as const,
  })),
  card("4000056655665556", "visa_debit", "visa", "debit"),
  card("5555555555554444", "mastercard", "mastercard", "credit"),
  card("5200828282828210", "mastercard_debit", "mastercard", "debit"),
  card("378282246310005", "amex", "amex", "credit"),
  card("6011111111111117", "discover", "discover", "credit"),
];

function card(number: string, name: string, brand: string, funding: "credit" | "debit") {
  return { number, name, brand, funding, behaviour: {} };
}

const BY_NUMBER = new Map(CARDS.map((each) => [each.number, each]));
const BY_NAME = new Map(CARDS.map((each) => [each.name, each]));

export function cardByNumber(number: string): TestCard | undefined {
  return BY_NUMBER.get(number);
}

/** The card that an id such as `pm_card_visa` stands for. */
export function cardByMethod(id: string): TestCard | undefined {
  return id.startsWith("pm_card_") ? byName(id.slice("pm_card_".length)) : undefined;
}

/** The card that a token such as `tok_visa` stands for. */
export function cardByToken(id: string): TestCard | undefined {
  return id.startsWith("tok_") ? byName(id.slice("tok_".length)) : undefined;
}

/** Stripe's decline cards have a second name each, with the brand in front. */
function byName(name: string): TestCard | undefined {
  return BY_NAME.get(name) ?? BY_NAME.get(name.replace(/^visa_/, ""));
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
