/** Bodies of webhooks: real events, and what becomes of them in the hands of somebody who tries. */
import Stripe from "stripe";
import { enabledEvents } from "../../packages/backend-billing/src/core/catalogue/catalogue.js";
import type { Dice } from "./dice.js";
import type { Shop } from "./shop.js";
import { oddJson, TEXTS } from "./values.js";

type Fields = { [field: string]: unknown };

/** The events of a shop as Stripe has sent them, as JSON. */
export async function eventsOf({ stripe }: Shop): Promise<readonly string[]> {
  const { data } = await stripe.events.list({ limit: 100 });
  return data.map((event) => JSON.stringify(event));
}

const TYPES = [
  ...enabledEvents(),
  "foo.bar",
  "__proto__",
  "constructor",
  "",
  "v1.customer.updated",
];
/** Ids that Stripe does not have. They are few, so that what is made of them stays small. */
const strangerId = (dice: Dice, prefix: string) => `${prefix}_stranger${dice.below(20)}`;
const PREFIXES: { readonly [object: string]: string } = {
  customer: "cus",
  product: "prod",
  price: "price",
  subscription: "sub",
  invoice: "in",
  coupon: "co",
  charge: "ch",
  payment_intent: "pi",
  refund: "re",
};

/** An event about something that Stripe does not have, odd in places. */
export function strangeEvent(dice: Dice, index: number): Fields {
  const kind = dice.pick(Object.keys(PREFIXES));
  const object: Fields = {
    id: strangerId(dice, PREFIXES[kind] ?? "cus"),
    object: kind,
    created: 1_700_000_000 + dice.below(1_000),
    livemode: false,
    metadata: { tag: "stranger" },
    name: "A stranger",
    customer: strangerId(dice, "cus"),
    items: { object: "list", has_more: false, data: [] },
  };
  const own = TYPES.filter((type) => type.includes(`${kind}.`));
  const event: Fields = {
    id: `evt_strange_${index}`,
    object: "event",
    api_version: Stripe.API_VERSION,
    created: 1_700_000_000 + dice.below(10_000),
    livemode: false,
    request: { id: null, idempotency_key: null },
    type: dice.pick(dice.oneIn(8) || own.length === 0 ? TYPES : own),
    data: { object },
  };
  for (let times = dice.below(4); times > 0; times--) spoil(dice, event, object);
  // Stripe's clock is believed: what it signs as of a later time stays until then, so none is.
  const { created } = event;
  if (typeof created !== "object" && Number(created) > Date.now() / 1000) {
    event.created = 1_700_000_000;
  }
  return event;
}

const IN_OBJECT = [
  "name",
  "metadata",
  "customer",
  "items",
  "email",
  "active",
  "id",
  "status",
  "lines",
];
const IN_EVENT = [
  "account",
  "context",
  "api_version",
  "request",
  "created",
  "livemode",
  "data",
  "object",
];

function spoil(dice: Dice, event: Fields, object: Fields): void {
  switch (dice.below(6)) {
    case 0:
      event[dice.pick(IN_EVENT)] = oddJson(dice);
      return;
    case 1:
      delete object[dice.pick(Object.keys(object))];
      return;
    case 2:
      object.metadata = {
        entityId: oddJson(dice),
        billingApp: dice.pick(["attacked", "other", 7]),
      };
      return;
    default:
      object[dice.pick(IN_OBJECT)] = oddJson(dice);
  }
}

/** A thin event, of which only an id is known. */
export const thinEvent = (dice: Dice, index: number): Fields => ({
  id: `evt_thin_${index}`,
  object: "v2.core.event",
  type: dice.pick([
    "v1.customer.updated",
    "v1.invoice.paid",
    "v1.billing.meter.error_report_triggered",
  ]),
  created: dice.oneIn(4) ? oddJson(dice) : new Date(1_700_000_000_000).toISOString(),
  livemode: false,
  ...(dice.oneIn(4) ? { context: oddJson(dice) } : {}),
  related_object: dice.oneIn(3) ? oddJson(dice) : { id: strangerId(dice, "cus"), type: "customer" },
});

/** The bytes of a body, some of which no JSON writer would make. */
export function bytesOf(dice: Dice, text: string): Buffer {
  const cut = text.lastIndexOf("}");
  switch (dice.below(40)) {
    case 0:
      return Buffer.from(text.slice(0, dice.below(text.length)));
    case 1:
      return Buffer.from(`\ufeff${text}`);
    case 2:
      return Buffer.from(`${text.slice(0, cut)},"livemode":true,"livemode":false}`);
    case 3:
      return Buffer.from(`${text.slice(0, cut)},"__proto__":{"polluted":true}}`);
    case 4: {
      const deep = 1 + dice.below(dice.oneIn(20) ? 100_000 : 2_000);
      return Buffer.from(`${text.slice(0, cut)},"d":${"[".repeat(deep)}${"]".repeat(deep)}}`);
    }
    case 5:
      return Buffer.concat([Buffer.from(text.slice(0, cut)), Buffer.from([0xff, 0xfe, 0x7d])]);
    case 6:
      return Buffer.from(text, "utf16le");
    case 7:
      return Buffer.from(
        dice.pick(["null", "[]", "1", '""', "{}", "", "{", ...TEXTS.slice(0, 20)]),
      );
    case 8:
      return Buffer.from(
        `${text.slice(0, cut)},"n":1e400,"m":-0,"o":123456789012345678901234567890}`,
      );
    case 9:
      if (!dice.oneIn(40)) return Buffer.from(` ${text}\n`);
      return Buffer.from(`${text.slice(0, cut)},"x":"${"x".repeat(dice.below(1_300_000))}"}`);
    default:
      return Buffer.from(text);
  }
}
