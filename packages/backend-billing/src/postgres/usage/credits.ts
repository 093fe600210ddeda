/** Sets the credits of a purchase on PostgreSQL, in one transaction with the reading of what is paid for. */
import { namesOf, type ResourceChoice, type ResourceName } from "../../core/catalogue/catalogue.js";
import type { AnyCatalogue } from "../../core/plans/catalogue.js";
import type { CreditsStore } from "../../core/runtime/records/credits.js";
import type { SessionLines } from "../../core/runtime/records/records.js";
import { settleCredits } from "../../core/usage/credits/settle.js";
import type { CreditsFacts } from "../../core/usage/credits/target.js";
import { type PoolLike, type Queryable, transaction } from "../database.js";
import { schemaOf } from "../schema/schema.js";
import { pathExpression } from "../schema/tables.js";
import { type Names, namesIn } from "../store/names.js";
import { beginOn, sharedPool } from "../store/share.js";
import { usageIn } from "./usage.js";

interface Tables {
  readonly schema?: string;
  readonly resources?: ResourceChoice;
}

interface RawFacts {
  readonly session: CreditsFacts["session"];
  readonly charges: CreditsFacts["charges"] | null;
  readonly disputes: CreditsFacts["disputes"] | null;
  readonly bought: SessionLines | null;
}

export function creditsOn(pool: PoolLike, tables: Tables, catalogue: AnyCatalogue): CreditsStore {
  const chosen = namesOf(tables.resources);
  const shared = sharedPool(pool);
  const text = selectFacts(namesIn(schemaOf(tables)), chosen);
  const factsIn = async (connection: Queryable, id: string): Promise<CreditsFacts | undefined> => {
    if (!chosen.includes("checkout_sessions")) return undefined;
    const [found] = (await connection.query(text, [id])).rows as RawFacts[];
    return (
      found && {
        session: found.session,
        charges: found.charges ?? [],
        disputes: found.disputes ?? [],
        lines: found.bought?.final ? found.bought.lines : null,
      }
    );
  };
  return {
    settle: (sessionId, now) =>
      transaction(
        shared,
        (connection) => {
          const facts = (id: string) => factsIn(connection, id);
          const usage = usageIn(connection, tables);
          return settleCredits({ facts, usage, catalogue, now }, sessionId);
        },
        beginOn(pool),
      ),
  };
}

/** `$1`: the page. What is not mirrored is null. */
function selectFacts(names: Names, chosen: readonly ResourceName[]): string {
  const paidBy = (resource: "charges" | "disputes") =>
    chosen.includes(resource)
      ? `(SELECT json_agg(t.stripe) FROM ${names.table(resource)} t
          WHERE ${pathExpression("stripe.payment_intent", "t")} = s.stripe ->> 'payment_intent')`
      : "NULL";
  return `SELECT s.stripe AS session, ${paidBy("charges")} AS charges, ${paidBy("disputes")} AS disputes,
      (SELECT r.data FROM ${names.records} r WHERE r.kind = 'purchase' AND r.id = $1) AS bought
    FROM ${names.table("checkout_sessions")} s WHERE s.checkout_session_id = $1`;
}
