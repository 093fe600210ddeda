/** The payments of a customer to which a bank has not answered yet, read when something is told. */
import type { ResourceName } from "../../core/catalogue/catalogue.js";
import type { ReactionReads } from "../../core/reactions/telling/context.js";
import { pathExpression } from "../schema/tables.js";
import type { Names } from "../store/names.js";

/** How many are read. */
const MOST = 50;

export const processingOn =
  (
    select: <T>(text: string, values: unknown[]) => Promise<T[]>,
    names: Names,
    chosen: readonly ResourceName[],
  ): ReactionReads["processing"] =>
  async (customerId) => {
    if (!chosen.includes("payment_intents")) return [];
    const found = await select<{ readonly stripe: never }>(
      `SELECT stripe FROM ${names.table("payment_intents")}
       WHERE customer_id = $1 AND ${pathExpression("stripe.status")} = 'processing' LIMIT ${MOST}`,
      [customerId],
    );
    return found.map(({ stripe }) => stripe);
  };
