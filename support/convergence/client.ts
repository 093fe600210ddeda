/** Which method of Stripe's client an entry of the catalogue calls, and with what. */
import type Stripe from "stripe";

export interface Call {
  /** As `checkout.sessions.list`. */
  readonly path: string;
  readonly args: readonly unknown[];
}

/** The one call that is made of a client. */
export function called(use: (stripe: Stripe) => unknown): Call {
  const calls: Call[] = [];
  const part = (path: readonly string[]): unknown =>
    new Proxy(() => {}, {
      get: (_, key) => part([...path, String(key)]),
      apply: (_, __, args: readonly unknown[]) => {
        calls.push({ path: path.join("."), args });
        return new Promise(() => {}); // nothing is answered
      },
    });
  use(part([]) as Stripe);
  const [call] = calls;
  if (call === undefined) throw new Error("It makes no call");
  return call;
}

export type Method = (...args: readonly unknown[]) => unknown;

/** A client with these methods, by their paths. */
export function clientOf(methods: Iterable<readonly [path: string, method: Method]>): Stripe {
  const client: Record<string, unknown> = {};
  for (const [path, method] of methods) {
    const names = path.split(".");
    const last = names.pop() ?? "";
    let at = client;
    for (const name of names) {
      at[name] ??= {};
      at = at[name] as Record<string, unknown>;
    }
    at[last] = method;
  }
  return client as unknown as Stripe;
}

/** The text among the arguments that is no key of an object: an id in the path. */
export const idsIn = (args: readonly unknown[]): readonly string[] =>
  args.filter((each) => typeof each === "string");

/** The first object among the arguments: the parameters. */
export const paramsIn = (args: readonly unknown[]): Readonly<Record<string, unknown>> =>
  (args.find((each) => typeof each === "object" && each !== null) ?? {}) as Readonly<
    Record<string, unknown>
  >;
