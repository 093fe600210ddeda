/** Ends a subscription, or takes back what is scheduled for it. */

import { readAgain, storedAnswer } from "../../events/answers.js";
import { BillingError, provider } from "../../runtime/errors.js";
import type { Runtime } from "../../runtime/runtime.js";
import type { Subscribed } from "../state.js";
import { cancelSteps, NOT_OURS, resumeSteps, type Step } from "../terms/steps.js";
import { type CancelArgs, checkOf, checkWhen, type ResumeArgs } from "./args.js";
import { release } from "./change.js";
import { checkSchedule } from "./decision.js";
import { partsOfSubscription, WITH_PARTS } from "./parts.js";
import { type Subject, stateAfter, subjectOf } from "./subject.js";

/** Ends a subscription when its period does, or now. */
export async function cancel(runtime: Runtime, args: CancelArgs): Promise<Subscribed> {
  checkWhen(args);
  const subject = await subjectOf(runtime, args);
  const { at = "period_end" } = args;
  return perform(runtime, subject, cancelSteps(subject.subscription, subject.schedule, at));
}

/** Takes back a scheduled end or a scheduled change, or ends a pause. */
export async function resume(runtime: Runtime, args: ResumeArgs): Promise<Subscribed> {
  checkOf(args);
  const subject = await subjectOf(runtime, args);
  return perform(runtime, subject, resumeSteps(subject.subscription, subject.schedule));
}

async function perform(
  runtime: Runtime,
  subject: Subject,
  steps: readonly Step[] | typeof NOT_OURS,
): Promise<Subscribed> {
  if (steps === NOT_OURS) {
    checkSchedule(subject);
    throw new BillingError(
      "schedule_not_ours",
      `The subscription ${subject.subscription.id} follows a schedule that was not made here.`,
    );
  }
  const { id } = subject.subscription;
  for (const step of steps) await perStep(runtime, id, step);
  // A release does not answer the subscription, and what is as wanted already may be newer than the mirror.
  if (steps.at(-1)?.do === "release" || steps.length === 0) {
    await readAgain(runtime, "subscriptions", id);
  }
  return stateAfter(runtime, subject);
}

async function perStep(runtime: Runtime, id: string, step: Step): Promise<void> {
  const { subscriptions } = runtime.stripe();
  if (step.do === "release") return release(runtime, step.schedule);
  await storedAnswer(
    runtime,
    () =>
      step.do === "update"
        ? subscriptions.update(id, { ...step.params, ...WITH_PARTS })
        : step.do === "cancel"
          ? subscriptions.cancel(id, { ...step.params, ...WITH_PARTS })
          : subscriptions.resume(id, WITH_PARTS),
    partsOfSubscription,
  ).catch(provider);
}
