/** Thin events: a notification that names what changed and leaves the reading to the receiver. */
import { token } from "../world/random.js";
import type { StoredEvent, World } from "../world/world.js";

const PATHS: { readonly [object: string]: string } = {
  "billing_portal.configuration": "/v1/billing_portal/configurations",
  "billing_portal.session": "/v1/billing_portal/sessions",
  "checkout.session": "/v1/checkout/sessions",
};

/** A notification as it is sent, and as it is fetched, then with its data. */
function noticeEvent(world: World, event: StoredEvent, context: string | undefined): object {
  return {
    id: event.id,
    object: "v2.core.event",
    type: event.type,
    livemode: world.livemode,
    created: new Date(event.at).toISOString(),
    context: context ?? null,
    related_object: event.notice?.related_object ?? null,
    reason: null,
  };
}

export const fetchedNotice = (world: World, event: StoredEvent): object => ({
  ...noticeEvent(world, event, undefined),
  data: event.notice?.data ?? null,
});

/** `context` is the connected account that it happened on, if it is not the receiver's own. */
export function thinEvent(world: World, event: StoredEvent, context: string | undefined): object {
  if (event.notice !== undefined) return noticeEvent(world, event, context);
  const { id, object } = event.object as { id?: string; object: string };
  const url = `${PATHS[object] ?? `/v1/${object}s`}/${id}`;
  const mode = world.livemode ? "" : "test_";
  return {
    id: `evt_${mode}${token(36, event.id, "thin")}`,
    object: "v2.core.event",
    type: `v1.${event.type}`,
    livemode: world.livemode,
    created: new Date(event.shown * 1000).toISOString(),
    context: context ?? null,
    related_object: id === undefined ? null : { id, type: object, url },
    reason: event.request?.id ? { type: "request", request: event.request } : null,
    snapshot_event: event.id,
  };
}
