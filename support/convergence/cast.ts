/** Of which objects histories are, and what is odd about some of them. */
import fc from "fast-check";
import type { ResourceName } from "../../packages/backend-billing/src/core/catalogue/catalogue.js";
import { type ObjectPlan, type Oddity, USUAL } from "./history.js";
import { related } from "./traits.js";

export interface Cast {
  /** The resource of a history that has one object. */
  readonly one: fc.Arbitrary<ResourceName>;
  readonly some: fc.Arbitrary<ObjectPlan[]>;
  /** How many objects there are at most. */
  readonly most: number;
  /** Last of what a history is made of, so that the rest is the same with it and without. */
  readonly oddities: fc.Arbitrary<readonly Oddity[]>;
}

export const often = <T>(usual: T, ...others: T[]) =>
  fc.oneof(
    { weight: 12, arbitrary: fc.constant(usual) },
    ...others.map((value) => ({ weight: 1, arbitrary: fc.constant(value) })),
  );

/** Most often what has the most to go wrong. */
const usual = fc.constantFrom(...USUAL, "subscriptions" as const, "subscriptions" as const);

const object: fc.Arbitrary<ObjectPlan> = fc.record({
  resource: usual,
  before: often("nothing", "made", "made", "made and deleted"),
});

export const usualCast: Cast = {
  one: usual,
  some: fc.oneof(
    { weight: 1, arbitrary: fc.array(object, { minLength: 1, maxLength: 1 }) },
    { weight: 1, arbitrary: fc.array(object, { minLength: 1, maxLength: 3 }) },
  ),
  most: 3,
  oddities: fc.constant([{ untold: false, hidden: "never", unowned: false }]),
};

const oddity: fc.Arbitrary<Oddity> = fc.record({
  untold: fc.boolean(),
  hidden: fc.oneof(
    { weight: 2, arbitrary: fc.constant("never" as const) },
    { weight: 1, arbitrary: fc.constantFrom("once it ended" as const, "always" as const) },
  ),
  unowned: fc.oneof(
    { weight: 3, arbitrary: fc.constant(false) },
    { weight: 1, arbitrary: fc.constant(true) },
  ),
});

const MOST = 4;

/** One of these resources, and others that have to do with it, or with each other nothing at all. */
export function castOf(names: readonly ResourceName[]): Cast {
  const one = fc.constantFrom(...names);
  const families = names.map((name) => {
    const kin = related(name).filter((other) => names.includes(other));
    const resource = fc.oneof(
      { weight: 3, arbitrary: fc.constantFrom(name, ...(kin.length === 0 ? names : kin)) },
      { weight: 1, arbitrary: one },
    );
    const before = fc.oneof(
      { weight: 4, arbitrary: fc.constant("nothing" as const) },
      { weight: 2, arbitrary: fc.constant("made" as const) },
      { weight: 1, arbitrary: fc.constant("made and deleted" as const) },
    );
    const itself = fc.record({ resource: fc.constant(name), before });
    return fc
      .tuple(itself, fc.array(fc.record({ resource, before }), { maxLength: MOST - 1 }))
      .map(([first, others]): ObjectPlan[] => [first, ...others]);
  });
  const oddities = fc.array(oddity, { minLength: 1, maxLength: 4 });
  return { one, some: fc.oneof(...families), most: MOST, oddities };
}
