/** The customer portal's routes. */
import { portalConfigurations } from "./configurations.js";
import { portalSessions } from "./sessions.js";

export { saveDefaultPortalConfiguration } from "./configurations.js";
export const portal = [...portalConfigurations, ...portalSessions];
