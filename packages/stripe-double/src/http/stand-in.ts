/**
 * Requests of Stripe's API that the double does not model, answered as well as can be where it was
 * told to record them: what is created is kept and shown again, and nothing else comes of it.
 */
import { missing, notModelled } from "../api/errors.js";
import { stripePattern, stripeValue } from "../api/known.js";
import type { RawMap } from "../api/params.js";
import type { World } from "../world/world.js";

interface Address {
  /** As in Stripe's documentation, such as `/v1/topups/:id/cancel`. */
  readonly pattern: string;
  readonly path: string;
}

/** Answers a request to an address that Stripe has. */
export function standIn(world: World, method: string, at: Address, raw: RawMap): object {
  const { pattern, path } = at;
  const parts = path.split("/");
  const last = parts.at(-1) ?? "";
  const fields = valuesOf(`${method} ${pattern}`, raw);
  if (pattern.endsWith("/:id")) {
    const kept = find(world, last, objectName(pattern));
    if (method === "GET") return kept;
    if (method === "POST") return keep(world, { ...kept, ...fields });
    world.standIns.delete(last);
    return { id: last, object: kept.object, deleted: true };
  }
  const isCollection = stripePattern("GET", path) !== undefined;
  if (method === "GET" && stripePattern("POST", path) !== undefined)
    return list(world, path, pattern);
  if (method === "POST") {
    const isAction = !isCollection && pattern.includes("/:id/");
    if (isAction) {
      const owner = parts.slice(0, -1).join("/");
      return keep(world, { ...find(world, parts.at(-2) ?? "", objectName(owner)), ...fields });
    }
    return create(world, objectName(pattern), fields);
  }
  throw notModelled(`${method} ${pattern}`);
}

export interface StandIn {
  readonly id: string;
  readonly object: string;
}

function create(world: World, object: string, fields: object): StandIn {
  const id = world.id(object.replaceAll(".", "_"));
  const made = { id, object, created: world.now(), livemode: world.livemode, ...fields };
  return keep(world, made);
}

function keep(world: World, object: StandIn): StandIn {
  world.standIns.set(object.id, object);
  return object;
}

function find(world: World, id: string, object: string): StandIn {
  const kept = world.standIns.get(id);
  if (kept === undefined) throw missing(object, id);
  return kept;
}

function list(world: World, url: string, pattern: string): object {
  const object = objectName(pattern);
  const data = [...world.standIns.values()].filter((kept) => kept.object === object).reverse();
  return { object: "list", url, has_more: false, data };
}

/** `tax_id` of `/v1/customers/:id/tax_ids`, `billing.credit_grant` of `/v1/billing/credit_grants`. */
function objectName(pattern: string): string {
  const path = pattern.replace(/\/:id$/, "").replace(/^.*\/:id\//, "/v1/");
  return path.split("/").slice(2).join(".").replace(/ies$/, "y").replace(/s$/, "");
}

function valuesOf(signature: string, raw: RawMap): object {
  return Object.fromEntries(
    Object.entries(raw)
      .filter(([name]) => name !== "expand")
      .map(([name, value]) => [name, stripeValue(signature, name, value)]),
  );
}
