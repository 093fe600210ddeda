/** Usage records: how usage was reported of an item, until API version 2025-03-31. */
import { invalid, refused, unrecognized } from "../../api/errors.js";
import { integer, oneOf, required, word } from "../../api/params.js";
import { isMetered } from "../../billing/prices/rates.js";
import { record } from "../../billing/usage/ledger.js";
import { route } from "../../http/route.js";
import { itemOf } from "../subscriptions/items.js";

/** The first API version without them. */
const UNTIL = "2025-03-31";

export const usageRecords = [
  route(
    "POST /v1/subscription_items/:item/usage_records",
    {
      action: oneOf("increment", "set"),
      quantity: required(integer),
      timestamp: word,
    },
    ({ world, path, version }, { action = "increment", quantity, timestamp: when = "now" }) => {
      if (version.slice(0, 10) >= UNTIL) {
        throw unrecognized("POST", `/v1/subscription_items/${path.item}/usage_records`);
      }
      const { item, subscription } = itemOf(world, path.item);
      if (!isMetered(item.price) || item.price.recurring?.meter) {
        throw refused(
          "Usage records can only be created for items whose price is metered and has no meter.",
          "subscription_item",
        );
      }
      if (quantity < 0) throw invalid("Usage quantity must be non-negative.", "quantity");
      const timestamp = when === "now" ? world.now() : integer.parse(when, "timestamp");
      if (timestamp < item.current_period_start) {
        throw refused(
          "Cannot create the usage record with this timestamp because timestamps must be after the subscription's last invoice period (or current period start time).",
          "timestamp",
        );
      }
      if (timestamp > world.now()) {
        throw refused("Usage cannot be reported for a time to come.", "timestamp");
      }
      const { customer } = world.find("subscription", subscription);
      const id = world.id("mbur");
      record(
        world,
        { meter: item.id, customer },
        { identifier: id, timestamp, received: world.now(), value: quantity },
        action === "set" ? 1 : undefined,
      );
      return {
        id,
        object: "usage_record",
        livemode: world.livemode,
        quantity,
        subscription_item: item.id,
        timestamp,
      };
    },
  ),
];
