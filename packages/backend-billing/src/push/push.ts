/**
 * Push: compares a catalogue with what is at Stripe, and brings Stripe there. Whatever was done
 * before, by this process or another, is read again; so it can be repeated, run twice at once, and
 * killed at any moment.
 */
import type Stripe from "stripe";
import type { AnyCatalogue } from "../core/plans/catalogue.js";
import { BillingError } from "../core/runtime/errors.js";
import { applyOperation, type Made } from "./apply.js";
import { type Desired, desiredOf } from "./desired.js";
import { type Observed, observe } from "./observed.js";
import type { Operation, PushPlan } from "./operations.js";
import { statusOf } from "./patience.js";
import { meterFor, planOf } from "./plan.js";

export interface PushOptions {
  /** Whether what was edited by hand at Stripe is overwritten. */
  readonly overwrite?: boolean;
  /** Is told of each operation when it is done. */
  readonly onDone?: (operation: Operation) => void;
}

/** What was done, and what is left: drift and conflicts. */
export interface Pushed {
  readonly done: readonly Operation[];
  readonly rest: PushPlan;
}

/** How often Stripe is read anew because another process, or a person, was there in between. */
const ROUNDS = 8;

/** What a push would do. It changes nothing. */
export async function planPush(
  stripe: Stripe,
  catalogue: AnyCatalogue,
  options: PushOptions = {},
): Promise<PushPlan> {
  const { plan } = await look(stripe, desiredFor(catalogue), options);
  return plan;
}

/** Pushes a catalogue: on return nothing is left to do but drift and conflicts. */
export async function push(
  stripe: Stripe,
  catalogue: AnyCatalogue,
  options: PushOptions = {},
): Promise<Pushed> {
  const desired = desiredFor(catalogue);
  const done: Operation[] = [];
  let refusal: unknown;
  for (let round = 0; round < ROUNDS; round += 1) {
    const { plan, observed } = await look(stripe, desired, options);
    if (plan.operations.length === 0) return { done, rest: plan };
    const made = madeFrom(desired, observed);
    for (const operation of plan.operations) {
      try {
        await applyOperation(stripe, operation, made);
      } catch (error) {
        if (!isOvertaken(error) || isSame(error, refusal)) throw error;
        refusal = error;
        break; // as it is now, it is read and planned again
      }
      done.push(operation);
      options.onDone?.(operation);
    }
  }
  throw new BillingError(
    "provider_error",
    `Stripe was changed while this push ran, ${ROUNDS} times over. Another catalogue may be pushed at the same time. Push again when that has ended.`,
  );
}

function desiredFor(catalogue: AnyCatalogue): Desired {
  if (catalogue.app !== null) return desiredOf(catalogue, catalogue.app);
  throw new BillingError(
    "invalid_argument",
    'The catalogue has no `app`. Give it a name, such as app: "acme": what is pushed carries it.',
  );
}

async function look(
  stripe: Stripe,
  desired: Desired,
  { overwrite = false }: PushOptions,
): Promise<{ plan: PushPlan; observed: Observed }> {
  const { app, products } = desired;
  const keys = products.flatMap(({ prices }) => prices.map(({ key }) => key));
  const observed = await observe(stripe, { app, products, keys });
  return { plan: planOf(desired, observed, { overwrites: overwrite }), observed };
}

const madeFrom = ({ app, meters }: Desired, observed: Observed): Made => ({
  app,
  meters: new Map(
    meters.flatMap(({ eventName }) => {
      const meter = meterFor(observed, eventName);
      return meter === undefined ? [] : [[eventName, meter.id] as const];
    }),
  ),
  prices: new Map(),
});

/** What Stripe refuses because of what another process has done meanwhile. */
const isOvertaken = (error: unknown): boolean => [400, 404, 409].includes(statusOf(error) ?? 0);

/** The same refusal in two rounds is no coincidence. */
const isSame = (error: unknown, before: unknown): boolean =>
  before !== undefined &&
  statusOf(error) !== 409 &&
  (error as Error).message === (before as Error).message;
