/** What an intent accepts: named types of payment methods, or what the account accepts. */
import { invalid } from "../../api/errors.js";
import { flag, group, integer, oneOf, required, text } from "../../api/params.js";
import type { PaymentIntent } from "../../billing/payments/payments.js";
import type { Call } from "../../http/route.js";

export const automaticShape = group({
  allow_redirects: oneOf("always", "never"),
  enabled: required(flag),
});

/** How a customer agreed to be charged. Cards need no mandate, so it has no effect on them. */
export const mandateShape = group({
  customer_acceptance: required(
    group({
      accepted_at: integer,
      offline: group({}),
      online: group({ ip_address: text, user_agent: text }),
      type: required(oneOf("offline", "online")),
    }),
  ),
});

/** When an API version stopped or began to do something. */
const SINCE = { asyncCapture: "2024-04-10", automaticMethods: "2023-08-16", noTypes: "2026-09-30" };
export const since = (call: Call, change: keyof typeof SINCE): boolean =>
  call.version.slice(0, 10) >= SINCE[change];

/** Types that an intent may name. The double has cards and bank accounts of the US to pay with. */
const TYPES = new Set(
  `acss_debit affirm afterpay_clearpay alipay alma amazon_pay au_becs_debit bacs_debit bancontact billie blik boleto
  card card_present cashapp crypto customer_balance eps fpx giropay grabpay ideal interac_present kakao_pay klarna
  konbini kr_card link mb_way mobilepay multibanco naver_pay nz_bank_account oxxo p24 pay_by_bank payco paynow paypal
  payto pix promptpay revolut_pay samsung_pay satispay sepa_debit sofort swish twint us_bank_account wechat_pay
  zip`.split(/\s+/),
);

interface Accepting {
  readonly automatic_payment_methods?:
    | { readonly allow_redirects?: "always" | "never" | undefined; readonly enabled: boolean }
    | undefined;
  readonly payment_method_types?: readonly string[] | undefined;
}

/** The automatic choice of payment methods, or null where types are named. */
export function automaticMethods(
  call: Call,
  params: Accepting,
): PaymentIntent["automatic_payment_methods"] {
  const { payment_method_types: types, automatic_payment_methods: automatic } = params;
  const name = "payment_method_types";
  if (types !== undefined && since(call, "noTypes")) {
    throw invalid(`Received unknown parameter: ${name}`, name, "parameter_unknown");
  }
  types?.forEach((type, index) => {
    if (TYPES.has(type)) return;
    const at = `${name}[${index}]`;
    throw invalid(`Invalid ${at}: must be one of ${[...TYPES].join(", ")}`, at);
  });
  if (types !== undefined && automatic?.enabled) {
    throw invalid(
      "You may only specify one of these parameters: automatic_payment_methods, payment_method_types.",
      "automatic_payment_methods",
    );
  }
  const enabled = automatic?.enabled ?? (types === undefined && since(call, "automaticMethods"));
  return enabled
    ? { allow_redirects: automatic?.allow_redirects ?? "always", enabled: true }
    : null;
}

/** An intent that accepts redirects has to know where the customer comes back to. */
export function checkReturn(
  intent: "PaymentIntent" | "SetupIntent",
  automatic: { readonly allow_redirects?: string } | null,
  params: {
    readonly off_session?: boolean | undefined;
    readonly return_url?: string | undefined;
    readonly use_stripe_sdk?: boolean | undefined;
  },
): void {
  if (automatic === null || automatic.allow_redirects === "never") return;
  // A payment off session has no customer present, and Stripe.js brings its own page.
  if (params.off_session || params.use_stripe_sdk || params.return_url !== undefined) return;
  throw invalid(
    `This ${intent} is configured to accept payment methods enabled in your Dashboard. Because some of these payment methods might redirect your customer off of your page, you must provide a \`return_url\`. If you don't want to accept redirect-based payment methods, set \`automatic_payment_methods[enabled]\` to \`true\` and \`automatic_payment_methods[allow_redirects]\` to \`never\` when creating Setup Intents and Payment Intents.`,
  );
}
