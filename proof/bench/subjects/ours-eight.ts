/** The library with the eight resources of the specification mirrored, and no others. */
import { EIGHT } from "../eight.js";
import { openWith } from "./ours.js";
import type { Open } from "./subject.js";

export const open: Open = (place) => openWith(place, EIGHT);
