/** The library with a handler that is told of changes of subscriptions. */
import type { Open } from "./subject.js";
import { openTold } from "./told.js";

export const open: Open = (place) => openTold(place, "subscriptions");
