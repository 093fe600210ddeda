/** Asks the database what `doctor` must know. It only reads. */
import type { ResourceName } from "../../../core/catalogue/catalogue.js";
import { type Marks, readMarks } from "../../../core/customers/marks.js";
import { erasureFacts } from "../../../core/erase/report.js";
import type { Store } from "../../../core/mirror/store.js";
import { setAsideNow } from "../../../core/runtime/commit/asides.js";
import { rawTypesSent } from "../../../core/runtime/commit/listening.js";
import { appName, type BillingConfig } from "../../../core/runtime/config.js";
import { storedBelonging } from "../../../core/runtime/mode.js";
import { records, type StoredPortal } from "../../../core/runtime/records/records.js";
import { whyNotSold } from "../../../core/subscriptions/offers.js";
import { isSecretInUse } from "../../../core/sync/endpoint.js";
import { pricesNamed } from "../../../core/sync/portal/plans.js";
import type { PoolLike } from "../../../postgres/database.js";
import { roleProblem } from "../../../postgres/schema/access.js";
import { migrationState } from "../../../postgres/schema/migrations.js";
import { schemaOf } from "../../../postgres/schema/schema.js";
import { createPostgresStore } from "../../../postgres/store/store.js";
import { reactionFacts } from "../../reactions.js";
import { usageFacts } from "../../usage.js";
import type { DatabaseFacts, StoredFacts, TableFacts } from "../facts.js";
import { reasonOf } from "../reason.js";
import { askAccess, isUndecided } from "./access.js";
import { certain } from "./stripe.js";

interface Place {
  /** As it was given. */
  readonly schema?: string | undefined;
  readonly resources: readonly ResourceName[];
}

/** Customers that are looked at: enough to tell, and read within a second or two. */
const MOST_CUSTOMERS = 20_000;
const NO_MARKS: Marks = { linked: 0, unmarked: 0, theirs: [], strangers: [] };

export async function askDatabase(
  pool: PoolLike,
  place: Place,
  config: BillingConfig,
  endpoints: readonly { readonly id: string }[],
): Promise<DatabaseFacts> {
  try {
    const startedAt = Date.now();
    const { rows } = await pool.query("SELECT extract(epoch FROM clock_timestamp()) * 1000 AS now");
    const theirs = Number((rows[0] as { now: unknown }).now);
    const ahead = certain(theirs - Date.now(), theirs - startedAt);
    if (await isUndecided(pool, place.schema)) return { state: "undecided" };
    const { resources } = place;
    const schema = schemaOf(place.schema === undefined ? {} : { schema: place.schema });
    const access = await askAccess(pool, schema);
    const own = access.access.filter(({ role }) => role === access.role);
    if (roleProblem(own) !== undefined) {
      // The role cannot read them, which is what is reported.
      const tables = { owner: "migrate", pending: [], unknown: [] } as const;
      return { state: "answers", schema, ahead, tables, access };
    }
    const { pending, unknown, missing } = await migrationState(pool, { schema, resources });
    const tables: TableFacts =
      missing === undefined
        ? { owner: "migrate", pending, unknown }
        : { owner: "drizzle-kit", missing };
    const isReadable = (missing ?? pending).length === 0;
    const store = createPostgresStore({ pool, schema, resources });
    const stored = isReadable
      ? {
          ...(await readStored(store, resources, config, endpoints)),
          reactions: await reactionFacts(pool, schema),
        }
      : undefined;
    const answer = { state: "answers", schema, ahead, tables, access } as const;
    return { ...answer, ...(stored === undefined ? {} : { stored }) };
  } catch (error) {
    return { state: "unreachable", reason: reasonOf(error) };
  }
}

/** The portal as it is remembered, and what of its plans is not active any more. */
async function portalFacts(
  store: Store,
  mirrored: readonly ResourceName[],
  { configurationId, offered = "", options }: StoredPortal,
) {
  const isMirrored = mirrored.includes("prices") && mirrored.includes("products");
  const offers = isMirrored ? await store.offers(pricesNamed(offered)) : [];
  return {
    portal: configurationId,
    portalMade: {
      ...(options === undefined ? {} : { options }),
      offersPlans: offered !== "",
      notSold: offers
        .filter((offer) => whyNotSold(offer, undefined) !== undefined)
        .map(({ price }) => price.id),
    },
  };
}

async function readStored(
  store: Store,
  resources: readonly ResourceName[],
  config: BillingConfig,
  endpoints: readonly { readonly id: string }[],
): Promise<Omit<StoredFacts, "reactions">> {
  const { livemode, app } = (await storedBelonging(store)) ?? {};
  const { data: account } = await records.account.read({ store });
  const { data: portal } = await records.portal.read({ store });
  const fits = await Promise.all(
    endpoints.map(async ({ id }) => [id, await isSecretInUse({ config, store }, id)] as const),
  );
  const runs = await store.records("run", "", 100);
  return {
    ...(livemode === undefined ? {} : { live: livemode }),
    ...(app === undefined ? {} : { app }),
    marks: resources.includes("customers")
      ? await readMarks(store, appName(config), MOST_CUSTOMERS)
      : NO_MARKS,
    ...(account === undefined ? {} : { account: account.id }),
    ...(portal === undefined ? {} : await portalFacts(store, resources, portal)),
    secretFits: Object.fromEntries(fits),
    // A catch-up begins only where a copy was completed.
    copied: runs.some(({ data }) => data.state === "done" && data.kind !== "verify"),
    setAside: await setAsideNow(store),
    usage: await usageFacts(store, Date.now()),
    erasures: await erasureFacts(store),
    taken: await rawTypesSent({ store, reactions: undefined }),
  };
}
