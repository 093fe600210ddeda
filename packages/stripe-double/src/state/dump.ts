/** A whole double as text, for comparing two histories byte by byte. */
import type { Delivery } from "../webhooks/webhooks.js";
import type { Cause, World } from "../world/world.js";

export function dumpWorlds(worlds: readonly World[], deliveries: readonly Delivery[]): string {
  const nameKey = namesOfKeys();
  const cause = (request: Cause | null) =>
    request && { ...request, idempotency_key: nameKey(request.idempotency_key) };
  const all = worlds.map((world) => ({
    account: world.account,
    livemode: world.livemode,
    objects: Object.fromEntries(
      Object.entries(world.objects).map(([kind, collection]) => [kind, [...collection.values()]]),
    ),
    hidden: Object.fromEntries(world.hidden),
    deleted: Object.fromEntries(world.deleted),
    ...(world.standIns.size === 0 ? {} : { unmodelled: [...world.standIns.values()] }),
    events: [...world.events.values()].map((event) => ({
      ...event,
      request: cause(event.request),
    })),
  }));
  return JSON.stringify({ accounts: all, deliveries: deliveries.map(historyOf) }, null, 1);
}

/** The SDK makes up a random key for each write; only which of them are equal is history. */
function namesOfKeys(): (key: string | null) => string | null {
  const names = new Map<string, string>();
  return (key) => {
    if (key === null) return null;
    const name = names.get(key) ?? `key ${names.size + 1}`;
    names.set(key, name);
    return name;
  };
}

/** Without the text of errors, which may name a port. */
function historyOf({ id, endpoint, state, attempts }: Delivery) {
  return { id, endpoint, state, attempts: attempts.map(({ at, status }) => ({ at, status })) };
}
