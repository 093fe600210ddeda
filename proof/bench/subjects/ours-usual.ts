/** The library with what it mirrors by default. */
import { defaultResources } from "../../../packages/backend-billing/src/core/catalogue/catalogue.js";
import { openWith } from "./ours.js";
import type { Open } from "./subject.js";

export const open: Open = (place) => openWith(place, defaultResources);
