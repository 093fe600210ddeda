/** How many changes wait to be told, by the database's clock. Reads only, and no contents. */
import { LISTENING } from "../core/mirror/listening.js";
import type { PoolLike } from "../postgres/database.js";
import { namesIn } from "../postgres/store/names.js";

export interface ReactionFacts {
  /** Whether the application listens to anything. */
  readonly listens: boolean;
  readonly waiting: number;
  readonly failing: number;
  readonly parked: { readonly number: number; readonly examples: readonly string[] };
  /** The change that is due for longest, of those that no other one of their object is before. */
  readonly oldest: { readonly object: string; readonly milliseconds: number } | null;
}

const MOST_EXAMPLES = 6;
const NOW = "floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint";

/** What is due at once has a due time of 0, and came at `at`. An entity's id may be an email address. */
const query = (records: string): string => `
  WITH changes AS (
    SELECT id, ref, due, data ? 'attempts' AS tried, data ? 'parked' AS parked,
      CASE WHEN ref LIKE 'access %' THEN 'access of an entity' ELSE ref END AS object,
      ${NOW} - greatest(due, (data->>'at')::bigint) AS waited
    FROM ${records} WHERE kind = 'change'
  ), heads AS (
    SELECT DISTINCT ON (ref) object, waited FROM changes WHERE due IS NOT NULL ORDER BY ref, id
  )
  SELECT count(*) FILTER (WHERE due IS NOT NULL AND waited >= 0 AND NOT tried) AS waiting,
    count(*) FILTER (WHERE due IS NOT NULL AND tried) AS failing,
    count(*) FILTER (WHERE parked) AS parked,
    ARRAY(SELECT object FROM changes WHERE parked ORDER BY id LIMIT ${MOST_EXAMPLES}) AS examples,
    (SELECT to_json(heads) FROM heads WHERE waited >= 0 ORDER BY waited DESC LIMIT 1) AS oldest,
    EXISTS (SELECT FROM ${records} WHERE kind = '${LISTENING.kind}' AND id = '${LISTENING.id}'
      AND (data->'resources' <> '{}' OR data->'names' <> '{}')) AS listens
  FROM changes`;

interface Raw {
  readonly waiting: string;
  readonly failing: string;
  readonly parked: string;
  readonly examples: readonly string[];
  readonly oldest: { readonly object: string; readonly waited: number } | null;
  readonly listens: boolean;
}

export async function reactionFacts(pool: PoolLike, schema: string): Promise<ReactionFacts> {
  const { rows } = await pool.query(query(namesIn(schema).records));
  const [{ waiting, failing, parked, examples, oldest, listens }] = rows as [Raw];
  return {
    listens,
    waiting: Number(waiting),
    failing: Number(failing),
    parked: { number: Number(parked), examples },
    oldest: oldest && { object: oldest.object, milliseconds: oldest.waited },
  };
}
