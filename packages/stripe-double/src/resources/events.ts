/**
 * The events of the last 30 days, newest first, at the account's API version: unlike every other
 * object, an event looks the same whichever version asks for it.
 */
import { invalid, missing } from "../api/errors.js";
import { createdWindow, listPage, type PageParams } from "../api/list.js";
import { flag, listOf, type Parsed, word } from "../api/params.js";
import { renderEvent } from "../api/render.js";
import { route } from "../http/route.js";
import { EVENT_LIFE, type StoredEvent, type World } from "../world/world.js";
import { listShape } from "./common.js";

/** How far the second that an event shows may be from its true one. */
const SKEW = 3;
const MOST_TYPES = 20;

const shape = { ...listShape, delivery_success: flag, type: word, types: listOf(word) };

/** Whether a type is asked for; `customer.*` is every type that begins so. */
function typeFilter(params: Parsed<typeof shape>): (type: string) => boolean {
  const { type, types } = params;
  if (type !== undefined && types !== undefined) {
    throw invalid("You may only specify one of these parameters: type, types.", "types");
  }
  if (types !== undefined && types.length > MOST_TYPES) {
    throw invalid(`Invalid array: types can have at most ${MOST_TYPES} elements.`, "types");
  }
  if (types !== undefined) return (asked) => types.includes(asked);
  if (type === undefined) return () => true;
  return type.endsWith("*")
    ? (asked) => asked.startsWith(type.slice(0, -1))
    : (asked) => asked === type;
}

/** The list is ordered by the true second, and filtered by the one shown. */
function shownWindow(world: World, created: PageParams["created"]) {
  const oldest = world.now() - EVENT_LIFE;
  const { from = oldest, to = Infinity } = createdWindow(created);
  return {
    created: {
      gt: undefined,
      gte: Math.max(from, oldest) - SKEW,
      lt: undefined,
      lte: to === Infinity ? undefined : to + SKEW,
    },
    shows: (event: StoredEvent) =>
      isAlive(world, event) &&
      (created === undefined || (event.shown >= from && event.shown <= to)),
  };
}

function isAlive(world: World, event: StoredEvent): boolean {
  return event.at > world.clock.now() - EVENT_LIFE * 1000;
}

function findAlive(world: World, id: string, param?: string): StoredEvent {
  const event = world.events.get(id);
  if (event === undefined || !isAlive(world, event)) throw missing("event", id, param);
  return event;
}

export const events = [
  route("GET /v1/events", shape, (call, params) => {
    const { world } = call;
    const wanted = typeFilter(params);
    const { created, shows } = shownWindow(world, params.created);
    for (const cursor of ["starting_after", "ending_before"] as const) {
      if (params[cursor] !== undefined) findAlive(world, params[cursor], cursor);
    }
    const page = listPage(
      world.events,
      { ...params, created },
      {
        url: "/v1/events",
        kind: "event",
        asOf: call.asOf,
        matches: (event) =>
          wanted(event.type) &&
          shows(event) &&
          (params.delivery_success === undefined ||
            (event.pending === 0) === params.delivery_success),
      },
    );
    return { ...page, data: page.data.map((event) => renderEvent(world, event, world.version)) };
  }),
  route("GET /v1/events/:event", {}, ({ world, path }) =>
    renderEvent(world, findAlive(world, path.event), world.version),
  ),
];
