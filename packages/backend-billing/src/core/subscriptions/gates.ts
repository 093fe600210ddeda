/**
 * Gates: what an entity may use, from one small read of its own database. A catalogue in code says
 * what each product includes. Without plans in it, the products' own metadata and Stripe's features
 * do. It asks nothing of Stripe and has no clock.
 */
import type { Held, HeldOptions, HeldProduct, LocalReads } from "../mirror/store.js";
import { hasAccess, policyOf } from "../plans/access.js";
import type { AnyCatalogue, Names } from "../plans/catalogue.js";
import { checkFeature, type Granted, grantedBy, isOn, limitOf, planFor } from "../plans/gates.js";
import { valuesIn } from "../plans/metadata.js";
import { checkText, optionsOf } from "../runtime/arguments.js";
import { checkEntityId } from "../runtime/commit/seats.js";
import { BillingError } from "../runtime/errors.js";
import { DEFAULT_GROUP, namedGroup } from "./group.js";
import type { InGroup } from "./reads.js";

/** The gates, by the names of a catalogue. */
export interface GateReads<N extends Names = Names> {
  /**
   * The plan whose features apply now, of a group: the default plan where the entity has access to no
   * other. Without plans in code it is what the product's metadata name `billing_plan`.
   */
  planOf(entityId: string, options?: InGroup): Promise<N["plan"]>;
  /** Whether a feature is on, or a unit of its balance could be taken. */
  can(entityId: string, feature: N["gate"]): Promise<boolean>;
  /**
   * The number of a limit, `Infinity` if there is none. In a transaction of the application on
   * PostgreSQL it locks the entity until the end, so that count and insert cannot race.
   */
  limit(entityId: string, feature: N["limit"]): Promise<number>;
}

/** The metadata key under which a product carries the name of its plan. */
const PLAN_KEY = "billing_plan";

export function gateReads(
  local: Pick<LocalReads, "held">,
  catalogue: AnyCatalogue | undefined,
): GateReads {
  const policy = policyOf(catalogue);
  /** The products that the entity has access to, those of the newest subscription first. */
  const heldBy = async (entityId: string, options: HeldOptions): Promise<HeldProduct[]> =>
    [...(await local.held(entityId, options))]
      .sort(newestFirst)
      .filter(({ status, isLapsed }) => hasAccess(status, policy, () => isLapsed))
      .flatMap(({ products }) => products);
  const plans = catalogue !== undefined && isFilled(catalogue.plans) ? catalogue : undefined;
  const inCode = plans !== undefined && isFilled(plans.features) ? plans : undefined;
  const granted = async (
    call: "can" | "limit",
    entityId: string,
    feature: string,
  ): Promise<readonly Granted[]> => {
    checkEntityId(entityId);
    checkText("feature", feature);
    const problem = catalogue && checkFeature(catalogue, feature, call);
    if (problem !== undefined) throw new BillingError("invalid_argument", problem);
    const options = { described: inCode === undefined, locked: call === "limit" };
    const held = await heldBy(entityId, options);
    return inCode === undefined ? held.map(describedBy) : grantedBy(inCode, idsOf(held));
  };
  return {
    async planOf(entityId, options) {
      checkEntityId(entityId);
      const { group = DEFAULT_GROUP } = optionsOf("options", options) ?? {};
      const held = await heldBy(entityId, { described: plans === undefined });
      return plans === undefined ? namedPlan(held, group) : planFor(plans, idsOf(held), group);
    },
    can: async (entityId, feature) => isOn(await granted("can", entityId, feature), feature),
    limit: async (entityId, feature) =>
      limitOf(await granted("limit", entityId, feature), feature, catalogue?.features[feature]),
  };
}

const isFilled = (named: object): boolean => Object.keys(named).length > 0;

const idsOf = (held: readonly HeldProduct[]): readonly string[] => held.map(({ id }) => id);

/** The order of an entity's subscriptions, of which the first counts. */
export const newestFirst = (a: Held, b: Held): number =>
  b.created - a.created || (a.id < b.id ? 1 : -1);

/** What a product gives by itself. Where its metadata and its features name the same, the metadata count. */
const describedBy = (product: HeldProduct): Granted => ({
  group: namedGroup(product),
  values: {
    ...Object.fromEntries(product.features.map((feature) => [feature, true])),
    ...valuesIn(product.metadata),
  },
});

const namedPlan = (held: readonly HeldProduct[], group: string): string | null =>
  held.find((product) => product.metadata[PLAN_KEY] && namedGroup(product) === group)?.metadata[
    PLAN_KEY
  ] ?? null;
