/**
 * The few calls of Stripe's SDK that the core makes for the mirror, answered from the model in
 * memory. It is not the real SDK over HTTP, which the other tests use: that takes milliseconds a
 * call, and ten thousand histories need a million calls. What is checked here is the order in which
 * things happen, and for that every call has the moments at which Stripe reads, dates and answers.
 */
import type Stripe from "stripe";
import type { ResourceName } from "../../packages/backend-billing/src/core/catalogue/catalogue.js";
import { called, clientOf, idsIn, type Method, paramsIn } from "./client.js";
import { API_VERSION, innerOf, SHOWN, shown } from "./contents.js";
import type { Model } from "./model.js";
import { PAGING, traitsOf } from "./traits.js";
import type { ModelObject } from "./world.js";

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
  readonly expand?: readonly string[];
  readonly [filter: string]: unknown;
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

  const retrieve = (resource: ResourceName, id: string, owner: string | undefined) =>
    call(`GET ${id}`, (now) => {
      const isTheirs = owner === undefined || model.versionAt(id, now)?.owner === owner;
      const found = isTheirs ? model.at(id, now) : undefined;
      if (found) return shown(resource, found);
      if (found === null && resource === "customers")
        return { id, object: "customer", deleted: true };
      return new FakeError(404, {}, "resource_missing");
    });

  /** Newest first, one at a time, as it was a moment ago. */
  const list = (resource: ResourceName, owner: string | undefined, params: ListParams) =>
    call(`list of ${resource}${owner === undefined ? "" : ` of ${owner}`}`, (now) => {
      const moment = now - network.lag();
      const { entry } = traitsOf(resource);
      if (params.created !== undefined && !entry.listsByCreated) {
        return new FakeError(400, {}, "parameter_unknown");
      }
      // Whoever was deleted has no lists any more; that does not lag.
      if (owner !== undefined && !model.at(owner, now)) {
        return new FakeError(404, {}, "resource_missing");
      }
      const found = model.objects
        .filter((object) => object.resource === resource)
        .filter((object) => isShown(object, owner, params, moment))
        .flatMap((object) => model.at(object.id, moment) ?? [])
        .filter((each) => !entry.listsByCreated || isIn(params.created, Number(each.created)))
        .reverse();
      return pageOf(
        found.map((each) => shown(resource, each)),
        params,
        1,
      );
    });

  function isShown(
    object: ModelObject,
    owner: string | undefined,
    params: ListParams,
    moment: number,
  ): boolean {
    const version = model.versionAt(object.id, moment);
    if (!version?.content) return false;
    const { content } = version;
    const { asksForAll, owner: isOwned } = traitsOf(object.resource);
    const isOfOne = owner !== undefined || params.customer !== undefined;
    if (!isOfOne && model.isHidden(object, moment)) return false;
    if (owner !== undefined && version.owner !== owner) return false;
    if (owner === undefined && isOwned !== undefined && version.owner !== null) return false;
    if (asksForAll !== undefined && params[asksForAll] !== "all" && version.isEnded) return false;
    return Object.entries(params)
      .filter(([key, value]) => !PAGING.includes(key) && value !== "all")
      .every(([key, value]) => !(key in content) || content[key] === value);
  }

  /** The owner, with all that it has shown inside it. */
  const expanded = (resource: ResourceName, owner: string, field: string) =>
    call(`GET ${owner} with its ${field}`, (now) => {
      const found = model.at(owner, now);
      if (!found) return new FakeError(404, {}, "resource_missing");
      const inside = model.objects
        .filter((object) => object.resource === resource && isShown(object, owner, {}, now))
        .flatMap((object) => model.at(object.id, now) ?? []);
      return { ...found, [field]: inside };
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

  const inner = (resource: ResourceName, id: string, params: ListParams) =>
    call(`the rest of ${id}`, (now) => {
      const found = model.at(id, now);
      return pageOf(found ? innerOf(resource, found) : [], params, SHOWN);
    });

  const methods = new Map<string, Method>([
    ["getApiField", () => API_VERSION],
    ["events.list", (params) => events(params as ListParams)],
    ["accounts.retrieveCurrent", () => call("GET account", () => ({ id: "acct_1" }))],
  ]);
  for (const resource of new Set(model.objects.map((object) => object.resource))) {
    for (const { path, does, key, field } of pathsOf(resource)) {
      const other = methods.get(path);
      methods.set(path, (...args) => {
        const { [key ?? ""]: keyed, expand, ...params } = paramsIn(args) as ListParams;
        const [asked] = expand ?? [];
        if (asked !== field) return other?.(...args);
        const id = idsIn(args).at(-1) ?? (keyed as string | undefined);
        if (field !== undefined) return expanded(resource, id ?? "", field);
        if (does === "retrieve") return retrieve(resource, id ?? "", idsIn(args).at(-2));
        return does === "list" ? list(resource, id, params) : inner(resource, id ?? "", params);
      });
    }
  }
  for (const { id, resource } of model.objects) {
    const { ownerOf, owner } = traitsOf(resource);
    if (ownerOf === undefined || owner === undefined) continue;
    const method = methods.get(ownerOf.path);
    const field = traitsOf(owner).entry.object;
    methods.set(ownerOf.path, (...args) =>
      idsIn(args)[0] === `the_owner_of_${id}`
        ? call(`GET the owner of ${id}`, (now) => ({ [field]: model.versionAt(id, now)?.owner }))
        : method?.(...args),
    );
  }
  return clientOf(methods);
}

interface Path {
  readonly path: string;
  readonly does: "retrieve" | "list" | "inner";
  /** The parameter that names whose list it is, where that is not in the path. */
  readonly key: string | undefined;
  /** The field that is asked for whole, where it is the owner that is retrieved. */
  readonly field: string | undefined;
}

const known = new Map<ResourceName, readonly Path[]>();

/** The methods that the entry of a resource calls. */
function pathsOf(resource: ResourceName): readonly Path[] {
  const found = known.get(resource) ?? pathsFrom(resource);
  known.set(resource, found);
  return found;
}

const ID = "(an id)";
const OWNER = "(an owner)";
type Use = (stripe: Stripe, ...args: readonly unknown[]) => unknown;

function pathsFrom(resource: ResourceName): readonly Path[] {
  const { lists, listsPer, cutLists = [], retrieve } = traitsOf(resource).entry;
  const path = (does: Path["does"], use: (stripe: Stripe) => unknown): Path => {
    const call = called(use);
    const [key] = Object.entries(paramsIn(call.args)).find(([, value]) => value === ID) ?? [];
    const { expand: [field] = [] } = paramsIn(call.args) as ListParams;
    return { path: call.path, does, key, field };
  };
  return [
    path("retrieve", (stripe) => (retrieve as Use)(stripe, ID, {}, OWNER)),
    ...lists.map((list) => path("list", (stripe) => list(stripe, {}, {}))),
    ...(listsPer === undefined
      ? []
      : [path("list", (stripe) => listsPer.list(ID)(stripe, {}, {}))]),
    ...cutLists.map(({ rest }) =>
      path("inner", (stripe) => (rest as (id: string) => Use)(ID)(stripe, {}, {})),
    ),
  ];
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

interface Inner {
  readonly data: readonly unknown[];
  readonly has_more: boolean;
}

/** For readers of a trace. */
export function summary(answer: object | null | undefined): string {
  if (answer === null || answer === undefined) return "nothing";
  const { id, metadata, deleted, status, data, ...rest } = answer as Record<string, unknown> & {
    data?: readonly object[];
    metadata?: { value?: string; written?: string };
  };
  if (Array.isArray(data)) return `[${data.map(summary).join(", ")}]`;
  if (deleted) return `${id} deleted`;
  const items = Object.values(rest).find((each) => Array.isArray((each as Inner | null)?.data)) as
    | Inner
    | undefined;
  const shape = items === undefined ? "" : ` with ${items.data.length}${items.has_more ? "+" : ""}`;
  const state = status === "canceled" ? " canceled" : "";
  return `${id} = ${metadata?.value ?? metadata?.written ?? ""}${shape}${state}`;
}
