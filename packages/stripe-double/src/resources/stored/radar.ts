/** Lists of values for Radar's rules. They are stored; no payment is blocked by them. */
import type Stripe from "stripe";
import { refused } from "../../api/errors.js";
import { metadata, oneOf, required, word } from "../../api/params.js";
import { route } from "../../http/route.js";
import type { Plain } from "../../world/plain.js";
import type { World } from "../../world/world.js";
import { given, listKind, listShape, mergeMetadata } from "../common.js";

type ValueList = Plain<Stripe.Radar.ValueList>;

const LISTS = "/v1/radar/value_lists";
const ITEMS = "/v1/radar/value_list_items";

/** A list by its id or, as rules name it, by its alias. */
function listOf(world: World, name: string): ValueList {
  const lists = world.objects["radar.value_list"];
  const named = [...lists.values()].find(({ alias }) => alias === name);
  return named ?? world.find("radar.value_list", name, "value_list");
}

export const radar = [
  route(
    "POST /v1/radar/value_lists",
    {
      alias: required(word),
      item_type: oneOf(
        "account",
        "card_bin",
        "card_fingerprint",
        "case_sensitive_string",
        "country",
        "customer_id",
        "email",
        "ip_address",
        "sepa_debit_fingerprint",
        "string",
        "us_bank_account_fingerprint",
      ),
      metadata,
      name: required(word),
    },
    ({ world }, params) => {
      const lists = world.objects["radar.value_list"];
      if ([...lists.values()].some(({ alias }) => alias === params.alias)) {
        throw refused("There is a value list with this alias already.", "alias");
      }
      const id = world.id("rsl");
      return lists.add({
        id,
        object: "radar.value_list",
        alias: params.alias,
        created: world.now(),
        created_by: world.account,
        item_type: params.item_type ?? "string",
        list_items: { object: "list", data: [], has_more: false, url: `${ITEMS}?value_list=${id}` },
        livemode: world.livemode,
        metadata: mergeMetadata({}, params.metadata),
        name: params.name,
      });
    },
  ),
  route("GET /v1/radar/value_lists", { ...listShape, alias: word }, (call, { alias, ...page }) =>
    listKind(call, "radar.value_list", page, { url: LISTS, equal: { alias } }),
  ),
  route("GET /v1/radar/value_lists/:list", {}, ({ world, path }) =>
    world.find("radar.value_list", path.list),
  ),
  route(
    "POST /v1/radar/value_lists/:list",
    { alias: word, metadata, name: word },
    ({ world, path }, { alias, name, metadata: change }) => {
      const before = world.find("radar.value_list", path.list);
      const merged = change === undefined ? undefined : mergeMetadata(before.metadata, change);
      return world.patch("radar.value_list", before.id, given({ alias, name, metadata: merged }));
    },
  ),
  route("DELETE /v1/radar/value_lists/:list", {}, ({ world, path }) => {
    const { id, object } = world.find("radar.value_list", path.list);
    world.objects["radar.value_list"].remove(id);
    return { id, object, deleted: true };
  }),
  route(
    "POST /v1/radar/value_list_items",
    { value: required(word), value_list: required(word) },
    ({ world }, { value, value_list: name }) => {
      const { id: list } = listOf(world, name);
      const items = world.objects["radar.value_list_item"];
      if ([...items.values()].some((item) => item.value_list === list && item.value === value)) {
        throw refused("This value is in the list already.", "value");
      }
      return items.add({
        id: world.id("rsli"),
        object: "radar.value_list_item",
        created: world.now(),
        created_by: world.account,
        livemode: world.livemode,
        value,
        value_list: list,
      });
    },
  ),
  route(
    "GET /v1/radar/value_list_items",
    { ...listShape, value: word, value_list: required(word) },
    (call, { value, value_list: name, ...page }) =>
      listKind(call, "radar.value_list_item", page, {
        url: ITEMS,
        equal: { value, value_list: listOf(call.world, name).id },
      }),
  ),
  route("GET /v1/radar/value_list_items/:item", {}, ({ world, path }) =>
    world.find("radar.value_list_item", path.item),
  ),
  route("DELETE /v1/radar/value_list_items/:item", {}, ({ world, path }) => {
    const { id, object } = world.find("radar.value_list_item", path.item);
    world.objects["radar.value_list_item"].remove(id);
    return { id, object, deleted: true };
  }),
];
