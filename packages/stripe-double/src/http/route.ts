/** Routes as a table: a signature, the parameters it takes, and what it does to a world. */
import type { Parsed, Shape } from "../api/params.js";
import type { World } from "../world/world.js";

export type Method = "GET" | "POST" | "DELETE";

/** The names of a path's `:parameters`. */
type PathNames<P extends string> = P extends `${string}:${infer Name}/${infer Rest}`
  ? Name | PathNames<Rest>
  : P extends `${string}:${infer Name}`
    ? Name
    : never;

export interface Call<Names extends string = string> {
  readonly world: World;
  readonly path: { readonly [N in Names]: string };
  /** Set while lists lag: the moment whose state they show. */
  readonly asOf: number | undefined;
  /** The API version of the request, for what depends on it. */
  readonly version: string;
}

export interface Route {
  readonly method: string;
  readonly pattern: string;
  /** What it takes; undefined for a request that is not modelled, which gets the form as it came. */
  readonly shape: Shape | undefined;
  readonly run: (call: Call, params: never) => object;
  /** Parameters without effect, with what Stripe shows of each by default: resources/kept.ts. */
  readonly keeps?: { readonly [name: string]: object };
}

/** Method and path pattern, such as `GET /v1/customers/:customer`. */
export const signatureOf = ({ method, pattern }: Route): string => `${method} ${pattern}`;

export function route<const P extends string, S extends Shape>(
  signature: `${Method} ${P}`,
  shape: S,
  run: (call: Call<PathNames<P>>, params: Parsed<S>) => object,
): Route {
  const [method, pattern] = signature.split(" ") as [Method, string];
  return { method, pattern, shape, run: run as Route["run"] };
}

interface Node {
  readonly literal: Map<string, Node>;
  wildcard?: { readonly name: string; readonly node: Node };
  readonly routes: Map<string, Route>;
}

export interface Match {
  readonly route: Route;
  readonly path: Record<string, string>;
}

export type Router = (method: string, path: string) => Match | "method" | undefined;

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part; // no id has a stray percent sign, so it will not be found
  }
}

export function createRouter(routes: readonly Route[]): Router {
  const node = (): Node => ({ literal: new Map(), routes: new Map() });
  const root = node();
  for (const each of routes) {
    let at = root;
    for (const part of each.pattern.split("/").slice(1)) {
      if (part.startsWith(":")) {
        at.wildcard ??= { name: part.slice(1), node: node() };
        if (at.wildcard.name !== part.slice(1)) {
          throw new Error(`${each.pattern}: another route calls this part :${at.wildcard.name}`);
        }
        at = at.wildcard.node;
      } else {
        const next = at.literal.get(part) ?? node();
        at.literal.set(part, next);
        at = next;
      }
    }
    if (at.routes.has(each.method))
      throw new Error(`Two routes for ${each.method} ${each.pattern}`);
    at.routes.set(each.method, each);
  }
  return (method, path) => {
    let at = root;
    const values: Record<string, string> = {};
    for (const part of path.split("/").slice(1)) {
      const literal = at.literal.get(part);
      if (literal !== undefined) at = literal;
      else if (at.wildcard !== undefined && part !== "") {
        values[at.wildcard.name] = decoded(part);
        at = at.wildcard.node;
      } else return undefined;
    }
    const found = at.routes.get(method);
    if (found !== undefined) return { route: found, path: values };
    return at.routes.size > 0 ? "method" : undefined;
  };
}
