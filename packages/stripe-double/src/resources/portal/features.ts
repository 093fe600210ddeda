/** What a portal configuration lets customers do: its features, what they default to and how they change. */
import type Stripe from "stripe";
import { invalid } from "../../api/errors.js";
import {
  type Field,
  flag,
  group,
  integer,
  listOf,
  oneOf,
  type Parsed,
  required,
  word,
} from "../../api/params.js";
import type { Plain } from "../../world/plain.js";
import type { World } from "../../world/world.js";
import { given } from "../common.js";
import { feedback } from "../subscriptions/shapes.js";

export type PortalConfiguration = Plain<Stripe.BillingPortal.Configuration>;
export type Features = PortalConfiguration["features"];
/** A product that plans may be switched to, with those of its prices that may be chosen. */
type PortalProduct = NonNullable<Features["subscription_update"]["products"]>[number];

/** `enabled` must be said when a configuration is created, and may be left alone later. */
export const featuresShape = <F extends Field<boolean>>(enabled: F) => ({
  customer_update: group({
    enabled,
    allowed_updates: listOf(oneOf("address", "email", "name", "phone", "shipping", "tax_id")),
  }),
  invoice_history: group({ enabled: required(flag) }),
  payment_method_update: group({ enabled: required(flag) }),
  subscription_cancel: group({
    enabled,
    mode: oneOf("at_period_end", "immediately"),
    proration_behavior: oneOf("none", "create_prorations"),
    cancellation_reason: group({
      enabled: required(flag),
      options: listOf(feedback),
    }),
  }),
  subscription_update: group({
    enabled,
    default_allowed_updates: listOf(oneOf("price", "promotion_code", "quantity")),
    products: listOf(
      group({
        product: required(word),
        prices: required(listOf(word)),
        adjustable_quantity: group({ enabled: required(flag), maximum: integer, minimum: integer }),
      }),
    ),
    proration_behavior: oneOf("none", "create_prorations", "always_invoice"),
    schedule_at_period_end: group({
      conditions: listOf(
        group({ type: required(oneOf("decreasing_item_amount", "shortening_interval")) }),
      ),
    }),
    trial_update_behavior: oneOf("continue_trial", "end_trial"),
  }),
});
export const updatedFeatures = featuresShape(flag);

/** Apart, because the types of `stripe` 22 do not know it. */
const NO_PAUSE = {
  subscription_pause: {
    duration: {
      interval_options: [{ interval: "month", interval_count: 1 }],
      type: "interval_options",
    },
    enabled: false,
  },
};
const NO_CUSTOM_REASONS = { feedback_options: null };

/** The settings of the dashboard as they are before anyone touches them. */
export const UNTOUCHED: Features = {
  ...NO_PAUSE,
  customer_update: { allowed_updates: ["email", "tax_id"], enabled: true },
  invoice_history: { enabled: true },
  payment_method_update: { enabled: true, payment_method_configuration: null },
  subscription_cancel: {
    cancellation_reason: {
      ...NO_CUSTOM_REASONS,
      enabled: false,
      options: ["too_expensive", "missing_features", "switched_service", "unused", "other"],
    },
    enabled: true,
    mode: "at_period_end",
    proration_behavior: "none",
  },
  subscription_update: {
    billing_cycle_anchor: "unchanged",
    default_allowed_updates: [],
    enabled: false,
    proration_behavior: "none",
    schedule_at_period_end: { conditions: [] },
    trial_update_behavior: "end_trial",
  },
};

/** What a configuration made by the API offers when its features are not named. */
export const NOTHING: Features = {
  ...UNTOUCHED,
  customer_update: { allowed_updates: [], enabled: false },
  invoice_history: { enabled: false },
  payment_method_update: { enabled: false, payment_method_configuration: null },
  subscription_cancel: {
    ...UNTOUCHED.subscription_cancel,
    cancellation_reason: { ...NO_CUSTOM_REASONS, enabled: false, options: [] },
    enabled: false,
  },
};

type ParsedFeatures = Parsed<typeof updatedFeatures>;
/** Features as a request names them; what is absent stays as it is. */
export type FeatureParams = {
  [K in keyof ParsedFeatures]?: Partial<NonNullable<ParsedFeatures[K]>> | undefined;
};

/** Stripe shows the products of a configuration only when asked to, so they are kept apart. */
const offered = new WeakMap<World, Map<string, readonly PortalProduct[]>>();

/** The products that plans may be switched to; undefined when the configuration names none. */
export function portalProducts(
  world: World,
  configuration: string,
): readonly PortalProduct[] | undefined {
  return offered.get(world)?.get(configuration);
}

export function offer(
  world: World,
  configuration: string,
  params: FeatureParams | undefined,
): void {
  const products = params?.subscription_update?.products;
  if (products === undefined) return;
  const known = offered.get(world) ?? new Map<string, readonly PortalProduct[]>();
  offered.set(world, known);
  known.set(
    configuration,
    products.map(({ adjustable_quantity: quantity, prices, product }) => ({
      adjustable_quantity: {
        enabled: quantity?.enabled ?? false,
        maximum: quantity?.maximum ?? null,
        minimum: quantity?.minimum ?? 1,
      },
      prices,
      product,
    })),
  );
}

export function checkFeatures(world: World, params: FeatureParams): void {
  const at = "features[subscription_update][products]";
  const products = params.subscription_update?.products ?? [];
  if (products.length > 10) throw invalid(`You can specify up to 10 products in ${at}.`, at);
  products.forEach(({ product, prices }, index) => {
    world.find("product", product, `${at}[${index}][product]`);
    prices.forEach((id, place) => {
      const param = `${at}[${index}][prices][${place}]`;
      const price = world.find("price", id, param);
      if (price.product !== product) {
        throw invalid(`The price \`${id}\` does not belong to the product \`${product}\`.`, param);
      }
      if (price.recurring === null) throw invalid(`The price \`${id}\` is not recurring.`, param);
    });
  });
  const cancel = params.subscription_cancel;
  if (cancel?.proration_behavior === "create_prorations" && cancel.mode !== "immediately") {
    throw invalid(
      "`create_prorations` is only compatible with `mode=immediately`.",
      "features[subscription_cancel][proration_behavior]",
    );
  }
}

/** The features after a change: what was not named stays. */
export function merged(before: Features, params: FeatureParams): Features {
  const { customer_update: customer, subscription_cancel: cancel } = params;
  const {
    products: _,
    schedule_at_period_end: later,
    ...update
  } = params.subscription_update ?? {};
  const reason = cancel?.cancellation_reason;
  return {
    ...before,
    customer_update: { ...before.customer_update, ...given({ ...customer }) },
    invoice_history: { ...before.invoice_history, ...given({ ...params.invoice_history }) },
    payment_method_update: {
      ...before.payment_method_update,
      ...given({ ...params.payment_method_update }),
    },
    subscription_cancel: {
      ...before.subscription_cancel,
      ...given({ ...cancel, cancellation_reason: undefined }),
      cancellation_reason: {
        ...before.subscription_cancel.cancellation_reason,
        ...given({ ...reason }),
      },
    },
    subscription_update: {
      ...before.subscription_update,
      ...given(update),
      ...(later?.conditions ? { schedule_at_period_end: { conditions: later.conditions } } : {}),
    },
  };
}
