/** What is not as it must be after the command has ended, by the database, the double and the report. */
import type pg from "pg";
import { parseCsv } from "../../packages/backend-billing/src/cli/adopt/csv.js";
import type { Shop } from "./shop.js";

export async function wrongIn(
  { double, lines, before }: Shop,
  pool: pg.Pool,
  report: string,
  marksBefore: ReadonlyMap<string, string>,
): Promise<readonly string[]> {
  const wrong: string[] = [];
  const { rows } = await pool.query<{ id: string; ref: string }>(
    "SELECT id, ref FROM billing.backend_billing_records WHERE kind = 'claim' AND ref IS NOT NULL",
  );
  const links = new Map(rows.map(({ id, ref }) => [id, ref]));
  const right = lines.filter(({ code }) => code === undefined);
  const expected = new Map(before);
  for (const { entityId, customerId } of right) expected.set(entityId, customerId);
  for (const [entity, customer] of expected) {
    if (links.get(entity) !== customer) wrong.push(`${entity} has ${links.get(entity)}`);
  }
  for (const entity of links.keys()) if (!expected.has(entity)) wrong.push(`${entity} is linked`);
  if (new Set(links.values()).size !== links.size) wrong.push("a customer is linked twice");

  const mirrored = await pool.query<{ customer_id: string; entity_id: string }>(
    "SELECT customer_id, entity_id FROM billing.backend_billing_customers WHERE entity_id IS NOT NULL",
  );
  for (const { customer_id: customer, entity_id: entity } of mirrored.rows) {
    if (links.get(entity) !== customer) wrong.push(`the row of ${customer} says ${entity}`);
  }
  if (mirrored.rows.length !== links.size) wrong.push(`${mirrored.rows.length} rows are linked`);

  const owners = new Map([...expected].map(([entity, customer]) => [customer, entity]));
  for (const { id, metadata } of double.objects("customer")) {
    const owner = owners.get(id);
    const mark = JSON.stringify(metadata);
    const wanted = owner === undefined ? marksBefore.get(id) : JSON.stringify({ entityId: owner });
    if (mark !== wanted) wrong.push(`${id} carries ${mark}, not ${wanted}`);
  }

  const reported = parseCsv(report)
    .slice(1)
    .map(({ fields }) => fields);
  const refused = lines.flatMap(({ entityId, customerId, code }, n) =>
    code === undefined ? [] : [[String(n + 2), entityId, customerId, code].join()],
  );
  const said = new Set(reported.map((fields) => fields.slice(0, 4).join()));
  for (const each of refused) if (!said.has(each)) wrong.push(`not in the report: ${each}`);
  if (reported.length !== refused.length) wrong.push(`${reported.length} lines in the report`);
  if (reported.some(([, , , , reason = ""]) => reason.length < 20)) wrong.push("no reason given");
  return wrong;
}
