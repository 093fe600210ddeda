/** Tax rates, which are put on lines, invoices and subscriptions by hand. They are never deleted. */
import { invalid } from "../../api/errors.js";
import { decimal, flag, metadata, type Parsed, required, text, word } from "../../api/params.js";
import { newRate } from "../../billing/taxes/rates.js";
import { route } from "../../http/route.js";
import { given, listKind, listShape, mergeMetadata } from "../common.js";

const shape = {
  active: flag,
  country: text,
  description: text,
  jurisdiction: text,
  metadata,
  state: text,
  tax_type: text,
};
type Params = Parsed<typeof shape>;

function fields({ metadata: change, ...rest }: Params, before: { [key: string]: string }) {
  return given({
    ...rest,
    metadata: change === undefined ? undefined : mergeMetadata(before, change),
  });
}

export const taxRates = [
  route(
    "POST /v1/tax_rates",
    {
      ...shape,
      display_name: required(word),
      inclusive: required(flag),
      percentage: required(decimal),
    },
    ({ world }, { display_name, inclusive, percentage, ...rest }) => {
      if (Number(percentage) < 0 || Number(percentage) > 100) {
        throw invalid("Percentage must be between 0 and 100.", "percentage");
      }
      const rate = world.objects.tax_rate.add({
        ...newRate(world, { display_name, inclusive, percentage: Number(percentage) }),
        ...fields(rest, {}),
      });
      world.raise("tax_rate.created", rate);
      return rate;
    },
  ),
  route(
    "GET /v1/tax_rates",
    { ...listShape, active: flag, inclusive: flag },
    (call, { active, inclusive, ...page }) =>
      listKind(call, "tax_rate", page, { url: "/v1/tax_rates", equal: { active, inclusive } }),
  ),
  route("GET /v1/tax_rates/:rate", {}, ({ world, path }) => world.find("tax_rate", path.rate)),
  route("POST /v1/tax_rates/:rate", { ...shape, display_name: word }, ({ world, path }, params) => {
    const { display_name, ...rest } = params;
    const before = world.find("tax_rate", path.rate);
    const changes = { ...fields(rest, before.metadata ?? {}), ...given({ display_name }) };
    return world.change("tax_rate", before.id, changes, "tax_rate.updated");
  }),
];
