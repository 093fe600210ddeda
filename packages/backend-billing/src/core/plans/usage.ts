/** What a plan bills by usage: push makes its prices, and checkout sells them beside the plan's. Pure. */
import type { AnyCatalogue, AnyPlan, FeatureKind, Metered } from "./catalogue.js";
import type { Money } from "./money.js";

/** A feature of which what is used beyond what the plan includes is billed. */
interface Billed {
  readonly feature: string;
  readonly meter: string;
  readonly overage: Money;
}

export function billedByUsage(
  { features }: Pick<AnyCatalogue, "features">,
  plan: Pick<AnyPlan, "features">,
): readonly Billed[] {
  return Object.entries(plan.features ?? {}).flatMap(([feature, value]) => {
    const meter = meterOf(features[feature]);
    const overage = typeof value === "object" ? (value as Metered).overage : undefined;
    return meter === undefined || overage === undefined ? [] : [{ feature, meter, overage }];
  });
}

/** The features that have a meter. */
export const meteredIn = ({ features }: Pick<AnyCatalogue, "features">): readonly string[] =>
  Object.keys(features).filter((feature) => meterOf(features[feature]) !== undefined);

/** The meter of a feature; undefined if it has none. */
export const meterOf = (kind: FeatureKind | undefined): string | undefined =>
  typeof kind === "object" && "meter" in kind ? kind.meter : undefined;

/** Whether a plan includes units of a feature. */
export const includesAny = (catalogue: AnyCatalogue | undefined): boolean =>
  Object.values(catalogue?.plans ?? {}).some(({ features }) =>
    Object.values(features ?? {}).some(
      (value) => typeof value === "object" && ((value as Metered).included ?? 0) > 0,
    ),
  );
