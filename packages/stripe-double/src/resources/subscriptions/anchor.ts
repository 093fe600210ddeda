/** The anchor of a new subscription, as requests say it: a moment, or a day of the month. */
import { invalid, notModelled } from "../../api/errors.js";
import { group, integer, type Parsed, required } from "../../api/params.js";
import type { World } from "../../world/world.js";
import { checkFuture } from "./trials.js";

export const anchorShape = {
  billing_cycle_anchor: integer,
  billing_cycle_anchor_config: group({
    day_of_month: required(integer),
    hour: integer,
    minute: integer,
    month: integer,
    second: integer,
  }),
};

/** The ranges of the parts of an anchor. */
const RANGES = {
  day_of_month: [1, 31],
  hour: [0, 23],
  minute: [0, 59],
  month: [1, 12],
  second: [0, 59],
} as const;

/** Refuses an anchor that cannot be; whether it suits the prices is seen when they are known. */
export function checkAnchor(
  world: World,
  { billing_cycle_anchor: at, billing_cycle_anchor_config: config }: Parsed<typeof anchorShape>,
  trial: number | undefined,
): void {
  const param = "billing_cycle_anchor_config";
  if (at === undefined && config === undefined) return;
  if (trial !== undefined) throw notModelled("a trial together with a billing cycle anchor");
  if (at !== undefined && config !== undefined) {
    throw invalid(
      "`billing_cycle_anchor` and `billing_cycle_anchor_config` exclude each other.",
      param,
    );
  }
  if (at !== undefined) checkFuture(world, String(at), "billing_cycle_anchor");
  for (const [name, [least, most]] of Object.entries(RANGES)) {
    const value = config?.[name as keyof typeof RANGES];
    if (value === undefined || (value >= least && value <= most)) continue;
    throw invalid(`This value must be between ${least} and ${most}.`, `${param}[${name}]`);
  }
}
