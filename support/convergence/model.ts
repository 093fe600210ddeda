/**
 * Stripe's truth, finer than a second: what each object was at any moment, and the events that its
 * changes raised. It knows nothing of deliveries, and nothing of us.
 */
import type { ResourceName } from "../../packages/backend-billing/src/core/catalogue/catalogue.js";
import type { ChangePlan, EventPlan, History, Kind } from "./history.js";

export const API_VERSION = "2026-10-28.endive";
export const START = Date.UTC(2026, 0, 15, 10);
const HOUR = 3_600_000;
/** How many items of a subscription Stripe shows inside it, and on a page of the rest. */
export const SHOWN = 2;

export type Content = { readonly id: string; readonly [field: string]: unknown };

export interface ModelObject {
  readonly kind: Kind;
  readonly resource: ResourceName;
  readonly id: string;
}

/** What an object was from a moment on; null once it is deleted. */
interface Version {
  readonly from: number;
  readonly content: Content | null;
}

export interface ModelEvent {
  readonly name: string;
  /** As Stripe would post it. */
  readonly body: object;
  /** As the list of events has it: never thin. */
  readonly listed: { readonly id: string; readonly type: string; readonly created: number };
  readonly raisedAt: number;
  readonly plan: EventPlan;
  readonly object: ModelObject;
  /** Nobody will ever deliver it: a later hint makes up for it. */
  readonly isLost: boolean;
  /** For readers of a trace. */
  readonly title: string;
}

export interface Model {
  readonly objects: readonly ModelObject[];
  readonly events: readonly ModelEvent[];
  /** When the last change happened. */
  readonly end: number;
  /** The object at a moment: null if it is deleted, undefined if it never was. */
  at(id: string, moment: number): Content | null | undefined;
  versions(id: string): readonly Version[];
}

const RESOURCES: Readonly<Record<Kind, [ResourceName, prefix: string, eventType: string]>> = {
  product: ["products", "prod", "product"],
  price: ["prices", "price", "price"],
  customer: ["customers", "cus", "customer"],
  subscription: ["subscriptions", "sub", "customer.subscription"],
  coupon: ["coupons", "SPRING", "coupon"],
};

interface Item {
  readonly id: string;
  readonly object: "subscription_item";
  readonly quantity: number;
}

interface ItemList {
  readonly object: "list";
  readonly has_more: boolean;
  readonly data: readonly Item[];
}

/** The object as Stripe shows it: a long list inside it is cut. */
export function shown(content: Content): Content {
  const items = content.items as ItemList | undefined;
  if (items === undefined || items.data.length <= SHOWN) return content;
  return { ...content, items: { ...items, data: items.data.slice(0, SHOWN), has_more: true } };
}

export const itemsOf = (content: Content): readonly Item[] => (content.items as ItemList).data;

export function createModel(history: History): Model {
  const objects = history.objects.map(({ kind }, index): ModelObject => {
    const [resource, prefix] = RESOURCES[kind];
    return { kind, resource, id: `${prefix}_${index}` };
  });
  const versions = new Map<string, Version[]>(objects.map(({ id }) => [id, []]));
  const events: ModelEvent[] = [];
  const customer = objects.find(({ kind }) => kind === "customer")?.id ?? "cus_of_nobody";

  const at = (id: string, moment: number): Content | null | undefined => {
    let found: Content | null | undefined;
    for (const { from, content } of versions.get(id) ?? []) if (from <= moment) found = content;
    return found;
  };

  const contentOf = ({ kind, id }: ModelObject, value: number, items: number, born: number) => ({
    id,
    object: kind,
    created: Math.floor(born / 1000),
    livemode: false,
    metadata: { value: String(value) },
    ...(kind === "product" || kind === "price" ? { active: value < 2 } : {}),
    ...(kind === "subscription"
      ? {
          customer,
          status: "active",
          items: {
            object: "list",
            has_more: false,
            data: Array.from({ length: items + 1 }, (_, n) => ({
              id: `si_${n}`,
              object: "subscription_item",
              quantity: value,
            })),
          },
        }
      : {}),
  });

  const put = (object: ModelObject, from: number, content: Content | null) =>
    versions.get(object.id)?.push({ from, content });

  function raise(
    object: ModelObject,
    type: string,
    raisedAt: number,
    plan: EventPlan,
    isLost = false,
    payload?: Content,
  ): void {
    const [, , family] = RESOURCES[object.kind];
    const rendered = payload ?? at(object.id, raisedAt + plan.late) ?? at(object.id, raisedAt);
    const before = versions.get(object.id)?.findLast(({ content }) => content !== null)?.content;
    const content = rendered ?? before ?? { id: object.id };
    const name = `e${events.length + 1}`;
    const full = payload === undefined ? `${family}.${type}` : type;
    const created = Math.floor((raisedAt + plan.skew) / 1000);
    events.push({
      name,
      raisedAt,
      plan,
      object,
      isLost,
      title: `${full} of ${object.id} (created ${created - START / 1000}${formOf(plan)})`,
      body: bodyOf(`evt_${name}`, full, created, plan.form, content),
      listed: fullBody(`evt_${name}`, full, created, plan.form !== "full", content),
    });
  }

  history.objects.forEach(({ before }, index) => {
    const object = objects[index]!;
    if (before === "nothing") return;
    put(object, START - HOUR, contentOf(object, 0, 0, START - HOUR));
    if (before === "made and deleted") end(object, START - HOUR / 2);
  });
  for (const { object: index, event } of history.strays) {
    const object = objects[index % objects.length]!;
    if (at(object.id, START - HOUR) !== undefined) raise(object, "updated", START - HOUR, event);
  }

  /** Whether it is gone now, so that its end is to be told. */
  function end(object: ModelObject, now: number): boolean {
    const was = at(object.id, now);
    if (!was) return false;
    put(object, now, object.kind === "subscription" ? { ...was, status: "canceled" } : null);
    return true;
  }

  /**
   * A hint that names only the customer has its subscriptions listed, unless one of them is read:
   * it can be relied on where there is only one, and where lists do not lag.
   */
  const customersAreRead =
    objects.filter(({ kind }) => kind === "subscription").length === 1 &&
    history.lags.every((lag) => lag === 0);

  /** Changes whose events may be lost for good, because a hint comes with them or later. */
  const isMadeUpFor = (index: number, object: ModelObject): boolean =>
    history.trustsHints &&
    object.kind === "subscription" &&
    history.changes.some(
      (change, later) =>
        later >= index &&
        objects[change.object % objects.length] === object &&
        change.hint !== null &&
        change.hint.form !== "thin" && // which says nothing of the subscription
        (change.hint.names === "subscription" || customersAreRead),
    );

  const tell = (object: ModelObject, type: string, now: number, change: ChangePlan, nth: number) =>
    change.events.forEach((plan, twin) => {
      const isLost = isMadeUpFor(nth, object) && plan.sent.length === 0;
      raise(object, twin > 0 && type === "created" ? "updated" : type, now, plan, isLost);
    });

  let now = START + 5_000;
  history.changes.forEach((change, nth) => {
    now += change.after;
    const object = objects[change.object % objects.length]!;
    const was = at(object.id, now);
    const isFinal = object.kind === "customer" || object.kind === "subscription";
    if (was === null && isFinal) return;
    if (!was) {
      put(object, now, contentOf(object, change.value, change.items, now));
      tell(object, "created", now, change, nth);
    } else if (change.ends && was.status !== "canceled") {
      // With a customer end its subscriptions.
      for (const each of object.kind === "customer" ? objects : []) {
        const its = at(each.id, now);
        if (each.kind !== "subscription" || !its || its.status === "canceled") continue;
        end(each, now);
        tell(each, "deleted", now, change, nth);
      }
      end(object, now);
      tell(object, "deleted", now, change, nth);
    } else {
      const { value } = was.metadata as { value: string };
      const next = Number(value) !== change.value ? change.value : change.value === 0 ? 1 : 0;
      const born = Number(was.created) * 1000;
      const content = contentOf(object, next, change.items, born);
      put(object, now, was.status === "canceled" ? { ...content, status: "canceled" } : content);
      tell(object, "updated", now, change, nth);
    }
    const { hint } = change;
    if (object.kind === "subscription" && hint !== null) {
      const [type, payload] =
        hint.names === "subscription"
          ? (["invoice.paid", invoiceOf(object.id, customer)] as const)
          : (["payment_intent.succeeded", paymentOf(object.id, customer)] as const);
      raise(object, type, now, hint, false, payload);
    }
  });

  return { objects, events, end: now, at, versions: (id) => versions.get(id) ?? [] };
}

const invoiceOf = (subscription: string, customer: string): Content => ({
  id: `in_of_${subscription}`,
  object: "invoice",
  customer,
  parent: { type: "subscription_details", subscription_details: { subscription } },
});

const paymentOf = (subscription: string, customer: string): Content => ({
  id: `pi_of_${subscription}`,
  object: "payment_intent",
  customer,
});

const formOf = ({ form }: EventPlan) => (form === "full" ? "" : `, ${form}`);

function bodyOf(
  id: string,
  type: string,
  created: number,
  form: EventPlan["form"],
  content: Content,
): object {
  if (form !== "thin") return fullBody(id, type, created, form === "other version", content);
  return {
    id,
    object: "v2.core.event",
    type: `v1.${type}`,
    created: new Date(created * 1000).toISOString(),
    livemode: false,
    related_object: { id: content.id, type: content.object },
  };
}

function fullBody(id: string, type: string, created: number, isOld: boolean, content: Content) {
  return {
    id,
    object: "event",
    type,
    created,
    livemode: false,
    api_version: isOld ? "2024-06-20" : API_VERSION,
    request: null,
    // What another version looks like cannot be known: here it is all different.
    data: { object: isOld ? { ...content, metadata: { written: "otherwise" } } : shown(content) },
  };
}
