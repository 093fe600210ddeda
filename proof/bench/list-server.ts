/**
 * Stripe's lists, as fast as Node can send them: every page is cut from text that was made before.
 * It knows lists by creation time and cursor, retrieval by id, and the three creations and the price
 * that the links need. It runs in a process of its own, so that its work is nobody else's.
 *
 *   node --import tsx proof/bench/list-server.ts '{"customers":100000,"subscriptions":20000}'
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { BEGINNING, createdAt, type Kind, objectOf, PRICES, price } from "./data.js";

export interface Accounts {
  readonly customers: number;
  readonly subscriptions: number;
}

/** Told by POST to /control. */
export interface Control {
  /** Milliseconds before each answer. */
  readonly latency: number;
}

/** Answered by GET of /control. */
export interface Seen {
  readonly requests: number;
  readonly mostAtOnce: number;
}

/** One list, newest first, as Stripe gives it. */
interface List {
  readonly created: Float64Array;
  readonly json: string[];
  readonly index: ReadonlyMap<string, number>;
}

function listOf(kind: Kind, count: number): List {
  const created = new Float64Array(count);
  const json: string[] = [];
  const index = new Map<string, number>();
  for (let place = 0; place < count; place++) {
    const object = objectOf(kind, count - 1 - place, count);
    created[place] = createdAt(count - 1 - place, count);
    json.push(JSON.stringify(object));
    index.set(object.id, place);
  }
  return { created, json, index };
}

/** All as old as the account. */
function prices(): List {
  const all = Array.from({ length: PRICES }, (_, index) => price(index).price);
  return {
    created: Float64Array.from(all, ({ created }) => created),
    json: all.map((each) => JSON.stringify(each)),
    index: new Map(all.map(({ id }, place) => [id, place])),
  };
}

const EMPTY: List = { created: new Float64Array(), json: [], index: new Map() };
const accounts = JSON.parse(process.argv[2] ?? "{}") as Accounts;
const lists: { readonly [path: string]: List } = {
  "/v1/customers": listOf("customers", accounts.customers),
  "/v1/subscriptions": listOf("subscriptions", accounts.subscriptions),
  "/v1/prices": prices(),
};
let control: Control = { latency: 0 };
let requests = 0;
let atOnce = 0;
let mostAtOnce = 0;

/** The first place whose object was created at this second or before. */
function firstAt({ created }: List, second: number): number {
  let [low, high] = [0, created.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((created[middle] ?? 0) <= second) high = middle;
    else low = middle + 1;
  }
  return low;
}

function page(path: string, list: List, query: URLSearchParams): string | undefined {
  const bound = (name: string) => {
    const value = query.get(`created[${name}]`);
    return value === null ? undefined : Number(value);
  };
  const [gt, gte, lt, lte] = [bound("gt"), bound("gte"), bound("lt"), bound("lte")];
  let from = 0;
  let to = list.json.length;
  if (lte !== undefined) from = Math.max(from, firstAt(list, lte));
  if (lt !== undefined) from = Math.max(from, firstAt(list, lt - 1));
  if (gte !== undefined) to = Math.min(to, firstAt(list, gte - 1));
  if (gt !== undefined) to = Math.min(to, firstAt(list, gt));
  const after = query.get("starting_after");
  if (after !== null) {
    const place = list.index.get(after);
    if (place === undefined) return undefined;
    from = Math.max(from, place + 1);
  }
  const end = Math.max(from, Math.min(to, from + Number(query.get("limit") ?? 10)));
  const data = list.json.slice(from, end).join(",");
  return `{"object":"list","url":"${path}","has_more":${end < to},"data":[${data}]}`;
}

/**
 * What the links sell. Prices are not mirrored in the benchmark, so a link to a checkout asks for it:
 * one request more than where they are.
 */
const PRICE = {
  id: "price_1",
  object: "price",
  active: true,
  type: "recurring",
  recurring: { interval: "month", interval_count: 1, usage_type: "licensed" },
  product: { id: "prod_1", object: "product", active: true, name: "Engine", metadata: {} },
};

let made = 0;
const creations: { readonly [path: string]: () => object } = {
  "/v1/customers": () => ({ ...objectOf("customers", 10_000_000 + made, 1), metadata: {} }),
  "/v1/checkout/sessions": () => ({
    id: `cs_test_${made}`,
    object: "checkout.session",
    url: `http://localhost/pay/${made}`,
  }),
  "/v1/billing_portal/sessions": () => ({
    id: `bps_${made}`,
    object: "billing_portal.session",
    url: `http://localhost/portal/${made}`,
  }),
};

function answer(request: IncomingMessage): { status: number; body: string } {
  const { pathname, searchParams } = new URL(request.url ?? "/", "http://localhost");
  const refused = (status: number, code: string) => ({
    status,
    body: JSON.stringify({ error: { type: "invalid_request_error", code, message: code } }),
  });
  if (request.method === "POST") {
    made++;
    const make = creations[pathname];
    if (make === undefined) return refused(404, "not_modelled");
    return { status: 200, body: JSON.stringify(make()) };
  }
  if (pathname === "/v1/account") {
    const created = BEGINNING - 30 * 86_400; // nobody sells on the first day
    return {
      status: 200,
      body: JSON.stringify({ id: "acct_benchmark", object: "account", created }),
    };
  }
  if (pathname === "/v1/customers/search") {
    return { status: 200, body: '{"object":"search_result","data":[],"has_more":false}' };
  }
  if (pathname === `/v1/prices/${PRICE.id}`) return { status: 200, body: JSON.stringify(PRICE) };
  const list = lists[pathname];
  const [, parent = "", id = ""] = /^(\/v1\/[a-z]+)\/(\w+)$/.exec(pathname) ?? [];
  const within = lists[parent];
  if (list === undefined && within !== undefined) {
    const place = within.index.get(id);
    if (place === undefined) return refused(404, "resource_missing");
    return { status: 200, body: within.json[place] ?? "" };
  }
  const isShown = searchParams.get("active") !== "false"; // every price is active
  const body = page(pathname, (isShown ? list : undefined) ?? EMPTY, searchParams);
  return body === undefined ? refused(400, "resource_missing") : { status: 200, body };
}

async function controlled(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const seen: Seen = { requests, mostAtOnce };
  if (request.method === "POST") {
    control = JSON.parse(Buffer.concat(chunks).toString()) as Control;
    requests = 0;
    mostAtOnce = 0;
  }
  response.end(JSON.stringify(seen));
}

const server = createServer((request, response) => {
  if (request.url === "/control") {
    void controlled(request, response);
    return;
  }
  requests++;
  atOnce++;
  mostAtOnce = Math.max(mostAtOnce, atOnce);
  request.resume();
  const send = () => {
    const { status, body } = answer(request);
    atOnce--;
    response.writeHead(status, {
      "content-type": "application/json",
      "request-id": `req_${requests}`,
    });
    response.end(body);
  };
  if (control.latency === 0) send();
  else setTimeout(send, control.latency);
});
server.keepAliveTimeout = 60_000;
server.listen(0, "127.0.0.1", () => {
  process.send?.((server.address() as AddressInfo).port);
});
process.on("disconnect", () => process.exit());
