/** Which events a handler of the application takes as they come: none that the mirror comes from. */
import { rawName } from "../mirror/listening.js";
import type { ReceivedEvent } from "../mirror/snapshot.js";
import { type Hearing, rawTypes } from "../runtime/commit/listening.js";
import { defineLocal, type Local } from "../runtime/local.js";

/**
 * Milliseconds for which a process goes by what it read of the handlers of others, so that events
 * which none takes cost nothing. What it ignores because a handler is newer than that, the next
 * catch-up finds: it reads again which handlers there are.
 */
const REMEMBERED = 60_000;

interface Remembered {
  at: number;
  types: Promise<readonly string[]>;
}

const takenBy = defineLocal(
  "runtime",
  "raw events",
  (): { known?: Remembered | undefined } => ({}),
);

interface Context extends Hearing {
  readonly local: Local;
  now(): number;
}

/**
 * Whether any process of the application takes such an event as it comes. A thin event has a type of
 * its own: what takes the full one could not read it.
 */
export async function takesRaw(
  context: Context,
  { raw: { type } }: ReceivedEvent,
): Promise<boolean> {
  if (context.reactions?.names.has(rawName(type))) return true;
  return (await typesTaken(context)).includes(type);
}

function typesTaken(context: Context): Promise<readonly string[]> {
  const memory = takenBy(context);
  const now = context.now();
  const { known } = memory;
  if (known !== undefined && Math.abs(now - known.at) < REMEMBERED) return known.types;
  const types = rawTypes(context).catch((error: unknown) => {
    memory.known = undefined;
    throw error;
  });
  memory.known = { at: now, types };
  return types;
}
