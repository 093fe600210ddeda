/** Plans: recurring prices, as they were called before there were prices. They can only be read. */
import { missing } from "../../api/errors.js";
import { flag, word } from "../../api/params.js";
import { planOf } from "../../billing/plan.js";
import { route } from "../../http/route.js";
import { listKind, listShape } from "../common.js";

export const plans = [
  route("GET /v1/plans", { ...listShape, active: flag, product: word }, (call, params) => {
    const page = listKind(call, "price", params, {
      url: "/v1/plans",
      equal: { active: params.active },
      where: { field: "product", value: params.product },
      matches: ({ id, recurring }) => recurring !== null && !call.world.inline.has(id),
    });
    return { ...page, data: page.data.map(planOf) };
  }),
  route("GET /v1/plans/:plan", {}, ({ world, path }) => {
    const price = world.objects.price.get(path.plan);
    if (!price?.recurring) throw missing("plan", path.plan, "plan");
    return planOf(price);
  }),
];
