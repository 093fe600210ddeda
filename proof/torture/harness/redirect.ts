/**
 * Sends what a subject means for api.stripe.com to the gate of its scenario, told apart by the
 * secret key. Some subjects have no setting for Stripe's host; like this none needs one, and
 * nothing leaves the machine.
 */
import http from "node:http";
import https, { type RequestOptions } from "node:https";
import { syncBuiltinESMExports } from "node:module";

const gates = new Map<string, number>();
let active = false;

/** From now on, requests to Stripe with this key go to this port. */
export function redirectStripe(secretKey: string, port: number): void {
  gates.set(secretKey, port);
  if (active) return;
  active = true;
  const agent = new http.Agent({ keepAlive: true });
  const original = https.request;
  const replacement = (options: RequestOptions, ...rest: never[]) => {
    if (typeof options !== "object" || options.host !== "api.stripe.com") {
      return original(options, ...rest);
    }
    const headers = options.headers as { readonly [name: string]: string } | undefined;
    const sent = headers?.Authorization ?? headers?.authorization ?? "";
    const gate = gates.get(sent.replace(/^Bearer /, ""));
    if (gate === undefined) throw new Error("A request to Stripe with an unknown key");
    const { host: _, ciphers: __, ...kept } = options;
    const request = http.request({ ...kept, host: "127.0.0.1", port: gate, agent }, ...rest);
    // The SDK waits for the secure connection that it asked for.
    request.on("socket", (socket) => {
      if (socket.connecting) socket.once("connect", () => socket.emit("secureConnect"));
    });
    return request;
  };
  https.request = replacement as typeof https.request;
  syncBuiltinESMExports();
}
