/** A plan of push in words. Pure. */
import { amountText } from "../../core/plans/money.js";
import type { PriceContent } from "../../push/desired.js";
import type { Difference, Operation } from "../../push/operations.js";

/** What an operation does, and to what: a mark, and a line without it. */
export interface Printed {
  readonly mark: "+" | "~" | "-";
  readonly text: string;
  readonly details: readonly string[];
}

export function linesOf(operation: Operation): Printed {
  switch (operation.do) {
    case "create_meter":
      return printed("+", `meter ${operation.eventName}`);
    case "reactivate_meter":
      return printed("~", `meter ${operation.eventName} is active again`);
    case "create_product":
      return printed("+", `product ${operation.id}, ${JSON.stringify(operation.name)}`);
    case "update_product": {
      const { active, differences, id } = operation;
      const isArchived = !active && differences.some(({ field }) => field === "active");
      if (isArchived) return printed("-", `product ${id} is archived`, differences);
      return printed(
        "~",
        `product ${id}${differences.length > 0 ? "" : ": recorded"}`,
        differences,
      );
    }
    case "create_price": {
      const { key, content, takesKey } = operation;
      const taken = takesKey ? ", which takes the key over; subscribers keep theirs" : "";
      return printed("+", `price ${key}, ${contentText(content)}${taken}`);
    }
    case "update_price": {
      const { key, id, differences } = operation;
      return printed(
        "~",
        `price ${key} (${id})${differences.length > 0 ? "" : ": recorded"}`,
        differences,
      );
    }
    case "set_default": {
      const { product, to } = operation;
      const what = to === null ? "none" : "id" in to ? to.id : `the new price ${to.slot}`;
      return printed("~", `product ${product}`, [{ field: "default_price", from: null, to: what }]);
    }
    case "archive_price":
      return printed(
        "-",
        `price ${operation.id} (${operation.slot}) of ${operation.product} is archived`,
      );
  }
}

const printed = (
  mark: Printed["mark"],
  text: string,
  differences: readonly Difference[] = [],
): Printed => ({
  mark,
  text,
  details: differences.map(differenceText),
});

export const differenceText = ({ field, from, to }: Difference): string =>
  from === null ? `${field}: ${to ?? "none"}` : `${field}: ${from} → ${to ?? "none"}`;

/** `20.00 USD each month, by the seat`. */
function contentText({ amount, currency, isPerSeat, recurring }: PriceContent): string {
  const money = `${amountText(Number(amount), currency)} ${currency.toUpperCase()}`;
  if (recurring === null) return `${money} once`;
  const { interval, intervalCount, meter } = recurring;
  const often = intervalCount === 1 ? `each ${interval}` : `every ${intervalCount} ${interval}s`;
  if (meter !== null) return `${money} for a unit of ${meter}, billed ${often}`;
  return `${money} ${often}${isPerSeat ? ", by the seat" : ""}`;
}
