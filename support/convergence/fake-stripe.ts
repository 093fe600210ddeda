/**
 * The few calls of Stripe's SDK that the core makes for the mirror, answered from the model in
 * memory. It is not the real SDK over HTTP, which the other tests use: that takes milliseconds a
 * call, and ten thousand histories need a million calls. What is checked here is the order in which
 * things happen, and for that every call has the moments at which Stripe reads, dates and answers.
 */
import type Stripe from "stripe";
import type { ResourceName } from "../../packages/backend-billing/src/core/catalogue/catalogue.js";
import {
  API_VERSION,
  type Content,
  itemsOf,
  type Model,
  type ModelObject,
  SHOWN,
  shown,
} from "./model.js";

/** What happens to one call on its way. */
export interface Network {
  now(): number;
  /** The request, the work at Stripe, and the answer: each takes its time. */
  travel(): Promise<void>;
  dateSkew(): number;
  /** How far behind a list is. */
  lag(): number;
  outcome(): "good" | "limited" | "failed" | "cut off";
  log(line: string): void;
}

interface ListParams {
  readonly starting_after?: string;
  readonly created?: { readonly gte?: number; readonly lt?: number; readonly lte?: number };
  readonly types?: readonly string[];
  readonly active?: boolean;
  readonly customer?: string;
  readonly subscription?: string;
}

/** How many events a page has, so that there are several. */
const EVENTS_SHOWN = 5;

class FakeError extends Error {
  constructor(
    readonly statusCode: number | undefined,
    readonly headers: Record<string, string>,
    readonly code?: string,
  ) {
    super(`Stripe said ${statusCode ?? "nothing"}`);
  }
}

export function fakeStripe(model: Model, network: Network): Stripe {
  /** Reads at one moment between the request and the answer. */
  async function call<T extends object>(title: string, read: (now: number) => T | FakeError) {
    await network.travel();
    const outcome = network.outcome();
    const answer = read(network.now());
    await network.travel();
    const date = new Date(network.now() + network.dateSkew()).toUTCString();
    await network.travel();
    const headers = { date };
    if (outcome !== "good") {
      network.log(`${title}: ${outcome}`);
      throw new FakeError({ limited: 429, failed: 500, "cut off": undefined }[outcome], headers);
    }
    if (answer instanceof FakeError) {
      network.log(`${title}: ${answer.statusCode}`);
      throw new FakeError(answer.statusCode, headers, answer.code);
    }
    network.log(`${title}: ${summary(answer)}`);
    return Object.defineProperty({ ...answer }, "lastResponse", { value: { headers } });
  }

  const retrieve = (id: string) =>
    call(`GET ${id}`, (now) => {
      const found = model.at(id, now);
      if (found) return shown(found);
      const isCustomer = model.objects.some((each) => each.id === id && each.kind === "customer");
      if (found === null && isCustomer) return { id, object: "customer", deleted: true };
      return new FakeError(404, {}, "resource_missing");
    });

  /** Newest first, a few at a time, as it was a moment ago. */
  const list = (resource: ResourceName, params: ListParams) =>
    call(`list of ${resource}`, (now) => {
      const moment = now - network.lag();
      const of = (object: ModelObject) => model.at(object.id, moment);
      const found = model.objects
        .filter((object) => object.resource === resource)
        .flatMap((object): readonly Content[] => {
          const content = of(object);
          return content ? [content] : [];
        })
        .filter((each) => params.active === undefined || each.active === params.active)
        .filter((each) => params.customer === undefined || each.customer === params.customer)
        .filter((each) => isIn(params.created, Number(each.created)))
        .reverse();
      return pageOf(found.map(shown), params, 1);
    });

  /** Newest first, as many as there are of these types, as it was a moment ago. */
  const events = (params: ListParams) =>
    call("list of events", (now) => {
      const moment = now - network.lag();
      const found = model.events
        .filter(({ raisedAt, isLost }) => raisedAt <= moment && !isLost)
        .map(({ listed }) => listed)
        .filter(
          ({ type, created }) => params.types?.includes(type) && isIn(params.created, created),
        )
        .sort((a, b) => b.created - a.created);
      return pageOf(found, params, EVENTS_SHOWN);
    });

  const items = ({ subscription = "", ...params }: ListParams) =>
    call(`items of ${subscription}`, (now) => {
      const found = model.at(subscription, now);
      return pageOf(found ? itemsOf(found) : [], params, SHOWN);
    });

  const of = (resource: ResourceName) => ({
    retrieve,
    list: (params: ListParams) => list(resource, params),
  });
  const stripe = {
    getApiField: () => API_VERSION,
    products: of("products"),
    prices: of("prices"),
    customers: of("customers"),
    subscriptions: of("subscriptions"),
    coupons: of("coupons"),
    subscriptionItems: { list: items },
    events: { list: events },
    accounts: { retrieveCurrent: () => call("GET account", () => ({ id: "acct_1" })) },
  };
  return stripe as unknown as Stripe;
}

/** Whether a second is within the bounds that were asked for. */
function isIn({ gte = 0, lt = Infinity, lte = Infinity }: ListParams["created"] = {}, at: number) {
  return at >= gte && at < lt && at <= lte;
}

function pageOf<T extends { readonly id: string }>(
  all: readonly T[],
  { starting_after }: ListParams,
  size: number,
): { data: readonly T[]; has_more: boolean } | FakeError {
  const cursor = all.findIndex(({ id }) => id === starting_after);
  if (starting_after !== undefined && cursor < 0) {
    return new FakeError(400, {}, "resource_missing");
  }
  const data = all.slice(cursor + 1, cursor + 1 + size);
  return { data, has_more: cursor + 1 + size < all.length };
}

/** For readers of a trace. */
export function summary(answer: object | null | undefined): string {
  if (answer === null || answer === undefined) return "nothing";
  const { id, metadata, deleted, status, data, items } = answer as Record<string, never> & {
    data?: readonly object[];
    items?: { data: readonly unknown[]; has_more: boolean };
    metadata?: { value?: string; written?: string };
    quantity?: number;
  };
  if (Array.isArray(data)) return `[${data.map(summary).join(", ")}]`;
  if (deleted) return `${id} deleted`;
  const shape = items === undefined ? "" : ` with ${items.data.length}${items.has_more ? "+" : ""}`;
  const state = status === "canceled" ? " canceled" : "";
  return `${id} = ${metadata?.value ?? metadata?.written ?? ""}${shape}${state}`;
}
