/**
 * Whose usage of what is gathered, as the text under which its records are found. A feature's name has
 * no space. PostgreSQL puts it together too.
 */
import type { UsagePlace } from "../store.js";

export const placeKey = ({ entityId, feature }: UsagePlace): string => `${feature} ${entityId}`;
