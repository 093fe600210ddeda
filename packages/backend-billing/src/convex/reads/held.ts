/**
 * What gates go by, by indexed reads in the caller's transaction: the customer, its subscriptions, and
 * of one past due the record of its grace.
 */
import type { ResourceName } from "../../core/catalogue/catalogue.js";
import type { Held, HeldOptions } from "../../core/mirror/store.js";
import { readHeld } from "../../core/subscriptions/held.js";
import { decode } from "../calls/encode.js";
import { type Db, latestBy, mirrorOf } from "../tables/database.js";
import { contentsOf } from "./newest.js";
import { readsIn, subscriptionsIn } from "./subscribed.js";

/** The most features of one product that are read: Stripe attaches fewer. */
const FEATURES = 200;

export async function heldIn(
  db: Db,
  chosen: readonly ResourceName[],
  entityId: string,
  options: HeldOptions = {},
): Promise<readonly Held[]> {
  const features = async (id: string) =>
    chosen.includes("product_features")
      ? contentsOf<never>(
          await latestBy(mirrorOf(db), "product_features", "byProductId", id, FEATURES),
        )
      : [];
  const reads = { ...readsIn(db, chosen), features };
  return decode(await readHeld(await subscriptionsIn(db, entityId), reads, options));
}
