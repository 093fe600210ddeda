/** The account's balance, and the transactions that it is made of. */
import { word } from "../../api/params.js";
import { balanceOf } from "../../billing/balance/balance.js";
import { route } from "../../http/route.js";
import { listKind, listShape } from "../common.js";

export const balance = [
  route("GET /v1/balance", {}, ({ world }) => balanceOf(world)),
  route(
    "GET /v1/balance_transactions",
    { ...listShape, currency: word, source: word, type: word },
    (call, { currency, source, type, ...params }) =>
      listKind(call, "balance_transaction", params, {
        url: "/v1/balance_transactions",
        where: { field: "source", value: source },
        equal: { currency: currency?.toLowerCase(), type },
      }),
  ),
  route("GET /v1/balance_transactions/:id", {}, ({ world, path }) =>
    world.find("balance_transaction", path.id),
  ),
];
