/** When a trial ends, as requests say it. */
import { invalid, notModelled } from "../../api/errors.js";
import { flag, integer, type Parsed, word } from "../../api/params.js";
import type { Subscription } from "../../billing/subscriptions/subscription.js";
import type { World } from "../../world/world.js";

export const trialShape = { trial_end: word, trial_from_plan: flag, trial_period_days: integer };
type Asked = Parsed<typeof trialShape>;

/** A trial's end, from whichever of Stripe's ways to say it was used. */
export function trialEnd(
  world: World,
  { trial_end: end, trial_period_days: asked, trial_from_plan: fromPlan }: Asked,
  items: readonly { readonly price: string }[],
): number | undefined {
  if (fromPlan && end !== undefined) {
    throw invalid("You cannot pass both `trial_end` and `trial_from_plan`.", "trial_end");
  }
  const usual = items.flatMap(({ price }) => {
    const { trial_period_days: of } = world.objects.price.get(price)?.recurring ?? {};
    return of ?? [];
  })[0];
  const days = asked ?? (fromPlan ? usual : undefined);
  if (end !== undefined && days !== undefined) {
    throw invalid("You cannot pass both `trial_end` and `trial_period_days`.", "trial_end");
  }
  if (days !== undefined) {
    const wanted = world.now() + days * 86_400;
    return days === 0 ? undefined : checkTrialLength(world, wanted, "trial_period_days");
  }
  if (end === undefined || end === "now") return undefined;
  return checkTrialLength(world, checkFuture(world, end, "trial_end"), "trial_end");
}

/** A moment that is yet to come, in seconds. */
export function checkFuture(world: World, value: string, param: string): number {
  if (!/^\d+$/.test(value)) throw invalid(`Invalid timestamp: ${value}`, param);
  if (Number(value) <= world.now()) {
    throw invalid("Invalid timestamp: must be an integer Unix timestamp in the future.", param);
  }
  return Number(value);
}

const LONGEST_TRIAL = 730 * 86_400;

/** A trial lasts at most two years from now, however it was asked for. */
export function checkTrialLength(world: World, end: number, param: string): number {
  if (end <= world.now() + LONGEST_TRIAL) return end;
  throw invalid("The maximum number of trial period days is 730 (2 years).", param);
}

/** Refuses another end for a trial. */
export function checkTrial(world: World, { status }: Subscription, end: string): void {
  if (status !== "trialing") throw notModelled("a trial for a subscription that is past its trial");
  if (end !== "now") checkTrialLength(world, checkFuture(world, end, "trial_end"), "trial_end");
}

/** A trial that ends at another time; the first real period begins there. */
export function movedTrial(current: Subscription, end: number): Partial<Subscription> {
  const data = current.items.data.map((item) => ({ ...item, current_period_end: end }));
  return { trial_end: end, billing_cycle_anchor: end, items: { ...current.items, data } };
}
