/**
 * Metrics and spans through OpenTelemetry's API. Without an SDK in the application it does nothing.
 *
 * @module backend-billing/opentelemetry
 */
export { type OpenTelemetryOptions, openTelemetry } from "./telemetry.js";
