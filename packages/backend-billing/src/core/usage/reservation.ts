/** The id of a reservation: it says what is held and for whom, so that nothing has to look it up. */
import { isEntityId } from "../catalogue/carrier.js";
import { wellFormed } from "../mirror/content/text.js";
import { BillingError } from "../runtime/errors.js";

interface Place {
  readonly entityId: string;
  readonly feature: string;
  readonly key: string;
}

export const reservationId = ({ entityId, feature, key }: Place): string =>
  JSON.stringify([entityId, feature, key]);

/** What an id stands for; refuses what is none. */
export function placeOf(id: unknown): Place {
  const [entityId, feature, key] = parsed(id);
  if (isEntityId(entityId) && typeof feature === "string" && typeof key === "string") {
    if (wellFormed(key) === key) return { entityId, feature, key };
  }
  const message = "`reservationId` is not one that `reserve` answered.";
  throw new BillingError("invalid_argument", message);
}

function parsed(id: unknown): readonly unknown[] {
  try {
    const found: unknown = JSON.parse(String(id));
    return Array.isArray(found) ? found : [];
  } catch {
    return [];
  }
}
