/** Which request a method of the SDK sends: the SDK itself is asked, with a client that sends nothing. */
import Stripe from "stripe";
import { at } from "../harness/read.js";

export interface Route {
  readonly method: string;
  /** With `x` in the place of ids. */
  readonly path: string;
}

/** Methods that the SDK had once, and applications on older versions still call. */
const FORMER: { readonly [method: string]: Route } = {
  "invoices.retrieveUpcoming": { method: "GET", path: "/v1/invoices/upcoming" },
  "invoices.upcoming": { method: "GET", path: "/v1/invoices/upcoming" },
  "invoices.listUpcomingLines": { method: "GET", path: "/v1/invoices/upcoming/lines" },
  "subscriptions.del": { method: "DELETE", path: "/v1/subscriptions/x" },
  "subscriptionItems.createUsageRecord": {
    method: "POST",
    path: "/v1/subscription_items/x/usage_records",
  },
  "oauth.token": { method: "POST", path: "/oauth/token" },
  "oauth.deauthorize": { method: "POST", path: "/oauth/deauthorize" },
};
/** Methods that make an address and send nothing. */
const LOCAL = new Set(["oauth.authorizeUrl"]);
/** Methods that take no id; others are tried with one first. */
const WITHOUT_ID = new Set([
  "list",
  "create",
  "search",
  "createPreview",
  "retrieveCurrent",
  "find",
  "deleteWhere",
  "createFromCalculation",
]);

/** `local` sends nothing; undefined if this SDK has no such method. */
export function createRoutes(): (name: string) => Promise<Route | "local" | undefined> {
  const known = new Map<string, Promise<Route | undefined>>();
  const sent: Route[] = [];
  const recorder = Stripe.createFetchHttpClient(async (input, init) => {
    const { pathname: path } = new URL(input instanceof Request ? input.url : input);
    sent.push({ method: init?.method ?? "GET", path });
    return Response.json({ id: "x", object: "x" });
  });
  const stripe = new Stripe("sk_test_x", {
    maxNetworkRetries: 0,
    telemetry: false,
    httpClient: recorder,
  });

  /** Calls the method with as many ids as it wants. */
  async function find(name: string): Promise<Route | undefined> {
    const parts = name.split(".");
    const verb = parts.pop() ?? "";
    const resource = at(stripe, parts.join("."));
    const method = at(resource, verb);
    if (typeof method !== "function") return undefined;
    const ids = WITHOUT_ID.has(verb) ? [[], ["x"], ["x", "x"]] : [["x"], ["x", "x"], []];
    for (const args of ids) {
      sent.length = 0;
      try {
        await method.apply(resource, args);
      } catch (error) {
        // The SDK refuses a wrong number of ids before it sends anything: try the next number.
        if (sent.length > 0) throw error;
      }
      const [route] = sent;
      if (route !== undefined && !/undefined|%7B/.test(route.path)) return route;
    }
    return undefined;
  }

  return async (name) => {
    if (LOCAL.has(name)) return "local";
    const former = FORMER[name];
    if (former !== undefined) return former;
    const route = known.get(name) ?? find(name);
    known.set(name, route);
    return route;
  };
}
