/** Events of version 2 of the API: those that Stripe sends only as notifications, for 30 days. */
import { missing } from "../api/errors.js";
import { pageLimit } from "../api/list.js";
import { integer, word } from "../api/params.js";
import { route } from "../http/route.js";
import { fetchedNotice } from "../webhooks/thin.js";
import { EVENT_LIFE, type World } from "../world/world.js";

const isAlive = (world: World, { created = 0 }: { readonly created?: number }): boolean =>
  created > world.now() - EVENT_LIFE;

export const notices = [
  route("GET /v2/core/events", { limit: integer, object_id: word }, ({ world }, params) => {
    const { data } = world.notices.list({
      limit: pageLimit(params.limit),
      matches: (event) =>
        isAlive(world, event) &&
        (params.object_id === undefined || event.notice?.related_object?.id === params.object_id),
    });
    return {
      data: data.map((event) => fetchedNotice(world, event)),
      next_page_url: null,
      previous_page_url: null,
    };
  }),
  route("GET /v2/core/events/:event", {}, ({ world, path }) => {
    const event = world.notices.get(path.event);
    if (event === undefined || !isAlive(world, event)) throw missing("event", path.event);
    return fetchedNotice(world, event);
  }),
];
