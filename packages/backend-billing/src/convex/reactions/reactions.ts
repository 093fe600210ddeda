/** The handlers of the setting `on` on Convex, and what must be stored for them. */
import type { FunctionReference } from "convex/server";
import { effectsByEvent, type ResourceName } from "../../core/catalogue/catalogue.js";
import { type Listening, listeningOf } from "../../core/mirror/listening.js";
import {
  type Handled,
  type Handlers,
  handlersIn,
  needsOf,
} from "../../core/reactions/telling/handlers.js";
import type { ConvexConfig } from "../config.js";

/** A handler, whatever it is told. */
export type HandlerReference = FunctionReference<
  "mutation",
  "internal",
  { [name: string]: unknown },
  unknown
>;

export interface ConvexReactions {
  readonly handlers: Handlers<HandlerReference>;
  readonly listening: Listening;
}

/** Undefined where the application has none. Refuses what could never be told. */
export function reactionsOf(
  { on, initial_events }: Pick<ConvexConfig, "on" | "initial_events">,
  resources: readonly ResourceName[],
): ConvexReactions | undefined {
  const handled = on as Handled<HandlerReference> | undefined;
  const handlers = handlersIn(handled, { resources, effects: effectsByEvent(resources) });
  if (handlers.size === 0) return undefined;
  return { handlers, listening: listeningOf(needsOf(handlers.keys(), initial_events)) };
}
