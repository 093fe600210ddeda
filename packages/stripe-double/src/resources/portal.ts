/** The customer portal's routes. */
import { portalConfigurations } from "./portal-configurations.js";
import { portalSessions } from "./portal-sessions.js";

export { saveDefaultPortalConfiguration } from "./portal-configurations.js";
export const portal = [...portalConfigurations, ...portalSessions];
