/**
 * What a test does to an engine beside the API: the clock, faults, deliveries, keys and the dashboard.
 * With a journal every call that changes something is kept there, and can be made again by its name.
 */

import { ApiError, DoubleError } from "./api/errors.js";
import { createDashboard, type Dashboard } from "./dashboard.js";
import type { Engine } from "./engine.js";
import type { Faults } from "./faults.js";
import type { CallEntry, Journal } from "./state/journal.js";
import type { StripeDouble } from "./stripe-double.js";
import type { Deliveries } from "./webhooks/webhooks.js";
import { populate } from "./world/bulk.js";
import { type Clock, milliseconds } from "./world/clock.js";

export interface Parts
  extends Pick<StripeDouble, "restrictedKey" | "revokeKey" | "connectAccount" | "populate"> {
  readonly clock: Clock;
  readonly faults: Faults;
  readonly deliveries: Deliveries;
  readonly dashboard: Dashboard;
  /** Makes a call again, as it was made when it was kept. */
  replay(entry: CallEntry): Promise<void>;
}

export function createParts(engine: Engine, journal: Journal | undefined): Parts {
  const { clock, faults, webhooks, keys, world } = engine;
  const calls = new Map<string, (...args: never[]) => unknown>();

  /** A kept double's clock stands still between requests, so it has to be brought to the moment. */
  function sync(): void {
    if (journal !== undefined) clock.stepTo(clock.wall());
  }

  function kept<A extends unknown[], R>(call: string, act: (...args: A) => R): (...args: A) => R {
    calls.set(call, act);
    if (journal === undefined) return act;
    return (...args) => {
      sync();
      const entry = { at: clock.now(), requests: engine.requests(), call, args };
      try {
        return act(...args);
      } finally {
        // Also when it throws: it may have changed something first.
        journal.append(entry);
      }
    };
  }

  async function advanceTo(moment: Parameters<Clock["advanceTo"]>[0]): Promise<void> {
    const at = clock.now();
    await clock.advanceTo(moment);
    // After what happened on the way, which has entries of its own.
    journal?.append({ at, to: new Date(moment).getTime() });
  }

  const dashboard = createDashboard(world);
  const addFault = kept("faults.add", faults.add);
  const removeFault = kept("faults.remove", faults.remove);
  return {
    clock: {
      now: () => {
        sync();
        return clock.now();
      },
      seconds: () => {
        sync();
        return clock.seconds();
      },
      advance: (by) => {
        sync();
        return advanceTo(clock.now() + milliseconds(by));
      },
      advanceTo: (moment) => {
        sync();
        return advanceTo(moment);
      },
    },
    faults: {
      add: (fault) => {
        const id = addFault(fault);
        return () => {
          removeFault(id);
        };
      },
      remove: removeFault,
      all: faults.all,
      clear: kept("faults.clear", faults.clear),
    },
    deliveries: {
      all: webhooks.all,
      held: webhooks.held,
      release: kept("deliveries.release", webhooks.release),
      resend: kept("deliveries.resend", webhooks.resend),
    },
    dashboard: Object.fromEntries(
      Object.entries(dashboard).map(([name, act]) => [name, kept(`dashboard.${name}`, act)]),
    ) as unknown as Dashboard,
    restrictedKey: kept("restrictedKey", (scopes) => keys.restricted(scopes)),
    revokeKey: kept("revokeKey", keys.revoke),
    connectAccount: kept("connectAccount", engine.connectAccount),
    populate: (population) => {
      if (journal !== undefined) {
        throw new DoubleError("A double with a state file cannot be populated: start it without.");
      }
      populate(world, population);
    },
    async replay({ call, args }) {
      const act = calls.get(call);
      if (act === undefined) throw new DoubleError(`It holds the unknown call ${call}.`);
      try {
        await act(...(args as never[]));
      } catch (error) {
        // It threw the first time too.
        if (!isRefusal(error)) throw error;
      }
    },
  };
}

/** What a call throws on purpose, rather than by a defect. */
export function isRefusal(error: unknown): error is Error {
  return error instanceof ApiError || error instanceof DoubleError || error instanceof RangeError;
}
