/** One caller's turn at the record of an entity's checkout. */
import type { RecordWrite } from "../../mirror/store.js";
import { commit } from "../../runtime/commit/commit.js";
import { factsOf } from "../../runtime/error-facts.js";
import type { Read, TypedRecord } from "../../runtime/records/record.js";
import type { Guard } from "../../runtime/records/records.js";
import type { Runtime } from "../../runtime/runtime.js";
import { isLeased, NO_GUARD } from "./guard.js";

export interface Turn {
  /** The record as it was read, or as this caller has written it. */
  readonly over: Read<Guard>;
  readonly guard: Guard;
  /**
   * Takes the record for a while. Whatever another caller is about to hand out, it cannot any more,
   * so what is open can be expired. False if another caller was faster.
   */
  hold(): Promise<boolean>;
  /** The record was written so; this caller holds it if that leases it. */
  wrote(write: RecordWrite): void;
  /** What a page that was recorded late may have forgotten was looked for. */
  looked(): void;
  /** Whether the record is still as it was read. */
  isCurrent(): Promise<boolean>;
}

/** The record, taken for a while. */
export const leased = ({ now, timing }: Runtime, guard: Guard): Guard => ({
  ...guard,
  leasedUntil: now() + timing.guardLease,
});

/** The turns of one call. */
export interface Turns {
  /** A turn with the record as it was just read; undefined while another caller holds it. */
  take(read: Read<Guard>): Turn | undefined;
  /** Lets others go on. */
  release(): Promise<void>;
}

export function turnsAt(runtime: Runtime, record: TypedRecord<Guard>): Turns {
  let held: Read<Guard> | undefined;

  async function hold(read: Read<Guard>): Promise<boolean> {
    const write = record.write(read, leased(runtime, read.data ?? NO_GUARD));
    const { committed } = await commit(runtime, { source: "record", records: [write] });
    if (committed) wrote(write);
    return committed;
  }

  function wrote({ expect, revision = expect + 1, next }: RecordWrite): void {
    const data = next?.data as unknown as Guard;
    held = data.leasedUntil > 0 ? { revision, data } : undefined;
  }

  return {
    take(read) {
      if (held?.revision !== read.revision) held = undefined;
      if (held === undefined && isLeased(read.data ?? NO_GUARD, runtime.now())) return undefined;
      return {
        get over() {
          return held ?? read;
        },
        get guard() {
          return (held ?? read).data ?? NO_GUARD;
        },
        wrote,
        looked() {
          if (held?.data) held = { ...held, data: { ...held.data, isLate: false } };
        },
        hold: async () => held !== undefined || hold(read),
        isCurrent: async () => (await record.read(runtime)).revision === (held ?? read).revision,
      };
    },
    async release() {
      if (held === undefined) return;
      const data = { ...(held.data ?? NO_GUARD), leasedUntil: 0 };
      await record.put(runtime, held, data).catch((error: unknown) => {
        runtime.log?.warn(factsOf(error), "A checkout is held for another while");
      });
    },
  };
}
