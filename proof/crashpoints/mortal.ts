/**
 * A process that dies at its n-th step. A step is anything that it awaits of the world outside: a statement
 * in the database, a connection, a request to Stripe. It can die right before a step, or right after the step
 * took effect and before it hears so. From then on nothing that it waits for ever comes, and its connections
 * are cut, so that its open transactions are rolled back.
 */
import { randomUUID } from "node:crypto";
import pg from "pg";
import Stripe from "stripe";
import type { Connection, PoolLike } from "../../packages/backend-billing/src/postgres/database.js";

export interface Mortal {
  readonly pool: PoolLike;
  readonly fetch: typeof globalThis.fetch;
  readonly httpClient: Stripe.HttpClient;
  /** How many steps it has taken. */
  steps(): number;
  /** What it was about when it died, or undefined while it lives. */
  cause(): string | undefined;
  /** Resolves when it dies, never if it does not. */
  readonly death: Promise<void>;
  /** What the dead wait for. */
  readonly forEver: Promise<never>;
  /** Cuts what it still holds, whether or not it has died. */
  bury(): void;
  /** What the database knows its connections by. */
  readonly name: string;
}

const never = new Promise<never>(() => {});
const CONNECTIONS = 6;
let made = 0;

/** What can be broken on purpose, to see that it is found. */
export const BREAKS = ["keys", "identifiers", "transactions"] as const;
export type Break = (typeof BREAKS)[number];

/** `stopAt` counts from 1: two for each step, before it and after it. */
export function createMortal(
  url: string,
  stopAt = Number.POSITIVE_INFINITY,
  broken?: Break,
): Mortal {
  let steps = 0;
  let cause: string | undefined;
  let die: () => void = () => {};
  const death = new Promise<void>((resolve) => {
    die = resolve;
  });
  const name = `mortal ${++made}`;
  const real = new pg.Pool({
    connectionString: url,
    max: CONNECTIONS,
    application_name: name,
  });
  real.on("error", () => {}); // a connection that is cut
  const open = new Set<pg.Client>();
  real.on("connect", (client) => {
    client.on("error", () => {}); // the same, while it is lent
    open.add(client as pg.Client);
    if (cause !== undefined) cut(client as pg.Client);
  });
  real.on("remove", (client) => void open.delete(client as pg.Client));

  function end(what: string): Promise<never> {
    cause = what;
    for (const client of open) cut(client);
    die();
    return never;
  }

  async function step<T>(what: string, effect: () => Promise<T>): Promise<T> {
    if (cause !== undefined) return never;
    steps += 1;
    const own = 2 * steps;
    if (own - 1 === stopAt) return end(`before ${what}`);
    try {
      return await effect();
    } finally {
      if (cause !== undefined) await never;
      if (own === stopAt) await end(`after ${what}`);
    }
  }

  const query = (on: pg.Pool | pg.PoolClient) => (text: string, values?: unknown[]) =>
    step(shown(text), () => on.query(broken === "transactions" ? apart(text) : text, values));

  const pool: PoolLike = {
    query: query(real),
    async connect(): Promise<Connection> {
      const client = await step("a connection", () => real.connect());
      return {
        query: query(client),
        on: (event, listener) => client.on(event, listener),
        removeListener: (event, listener) => client.removeListener(event, listener),
        release: (destroy) => {
          if (cause === undefined) client.release(destroy);
        },
      };
    },
  };
  const fetch: typeof globalThis.fetch = (input, init) => {
    const { pathname } = new URL(input instanceof Request ? input.url : input);
    return step(`${init?.method ?? "GET"} ${pathname.replace(/_[A-Za-z0-9]{6,}/g, "_…")}`, () =>
      globalThis.fetch(input, forgetful(init, broken)),
    );
  };
  return {
    pool,
    fetch,
    httpClient: Stripe.createFetchHttpClient(fetch),
    steps: () => steps,
    cause: () => cause,
    death,
    forEver: never,
    name,
    bury() {
      cause ??= "at its end";
      for (const client of open) cut(client);
      void real.end(); // it waits for ever for what was lent to the dead
    },
  };
}

/** A request that does not say again what it is a repetition of. */
function forgetful(init: RequestInit | undefined, broken: Break | undefined): typeof init {
  if (broken === "keys") {
    const headers = new Headers(init?.headers);
    if (headers.has("Idempotency-Key")) headers.set("Idempotency-Key", randomUUID());
    return { ...init, headers };
  }
  if (broken !== "identifiers" || typeof init?.body !== "string") return init;
  const body = init.body.replace(/(^|&)identifier=[^&]+/, `$1identifier=${randomUUID()}`);
  return body === init.body ? init : { ...init, body };
}

/** Instead of what begins and ends a transaction nothing: each statement takes effect by itself. */
const apart = (text: string): string =>
  /^\s*(begin|commit|rollback)\b/i.test(text) ? "SELECT 1" : text;

/** As a process that is killed leaves a connection: without a word. */
function cut(client: pg.Client): void {
  const { connection } = client as unknown as { connection: { stream: { destroy(): void } } };
  connection.stream.destroy();
}

/** The beginning of a statement, on one line. */
const shown = (text: string): string => text.replaceAll(/\s+/g, " ").trim().slice(0, 60);
