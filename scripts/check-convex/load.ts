/**
 * Loads a bundle as a deployment does at its first push: with the globals of the web and none of
 * Node's, no network, no timers, and no environment variable. Nothing is called but what Convex
 * itself calls to see what there is.
 */
import { posix } from "node:path";
import { createContext, type Module, SourceTextModule } from "node:vm";
import type { Bundle } from "./bundle.js";

export interface Contents {
  readonly functions: readonly {
    readonly module: string;
    /** As Convex calls it: `billing:sync`. */
    readonly name: string;
    readonly kind: "query" | "mutation" | "action";
    /** Both what it takes and what it answers. */
    readonly validated: boolean;
  }[];
  readonly routes: readonly string[];
  readonly crons: readonly { readonly id: string; readonly target: string }[];
}

/** What Convex's builders leave on a function. */
interface Registered {
  readonly isQuery?: true;
  readonly isMutation?: true;
  readonly isAction?: true;
  exportArgs(): string;
  exportReturns(): string;
}

interface Router {
  getRoutes(): readonly (readonly [path: string, method: string, handler: unknown])[];
}

interface Crons {
  export(): string;
}

const WEB = [
  ...["AbortController", "AbortSignal", "Blob", "Event", "EventTarget", "FormData", "Headers"],
  ...["Request", "Response", "ReadableStream", "TextDecoder", "TextEncoder", "TransformStream"],
  ...["URL", "URLSearchParams", "WritableStream", "atob", "btoa", "console", "crypto"],
  ...["performance", "structuredClone"],
] as const;

const NOT_YET = ["fetch", "setTimeout", "setInterval", "setImmediate", "queueMicrotask"] as const;

export async function loadBundle(bundle: Bundle): Promise<Contents> {
  const context = createContext({
    ...Object.fromEntries(WEB.map((name) => [name, globalThis[name]])),
    ...Object.fromEntries(
      NOT_YET.map((name) => [
        name,
        () => {
          throw new Error(`${name} is called while the module is loaded`);
        },
      ]),
    ),
    process: { env: {} },
  });
  const modules = new Map<string, Module>(
    bundle.map(({ path, source }) => [
      path,
      new SourceTextModule(source, { identifier: path, context }),
    ]),
  );
  const link = (name: string, from: Module): Module => {
    const found = modules.get(posix.join(posix.dirname(from.identifier), name));
    if (found === undefined) throw new Error(`${from.identifier} imports ${name}`);
    return found;
  };
  const functions: Contents["functions"][number][] = [];
  const routes: string[] = [];
  const crons: Contents["crons"][number][] = [];
  for (const [path, module] of modules) {
    if (path.startsWith("_deps/")) continue;
    if (module.status === "unlinked") await module.link(link);
    await module.evaluate();
    const own = path.replace(/\.js$/, "");
    const exported = Object.entries(module.namespace);
    for (const [name, value] of exported) {
      if (isRegistered(value)) functions.push(describe(own, name, value));
    }
    const main = (module.namespace as { default?: unknown }).default;
    if (own === "http") {
      for (const [route, method] of (main as Router).getRoutes()) routes.push(`${method} ${route}`);
    }
    if (own === "crons") {
      const all = JSON.parse((main as Crons).export()) as Record<string, { name: string }>;
      for (const [id, { name }] of Object.entries(all)) crons.push({ id, target: name });
    }
  }
  return { functions, routes, crons };
}

function isRegistered(value: unknown): value is Registered {
  return typeof value === "function" && "exportArgs" in value && "exportReturns" in value;
}

function describe(module: string, name: string, of: Registered): Contents["functions"][number] {
  const validators = [of.exportArgs(), of.exportReturns()].map((text) => JSON.parse(text));
  return {
    module,
    name: `${module}:${name}`,
    kind: of.isQuery ? "query" : of.isMutation ? "mutation" : "action",
    validated: validators.every((validator) => validator !== null && validator.type !== "any"),
  };
}
