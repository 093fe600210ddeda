/** The double's own HTTP: whatever is sent, it answers as Stripe would, and never fails itself. */
import { Agent, request } from "node:http";
import { createStripeDouble } from "../../packages/backend-billing/src/testing/index.js";
import { routes } from "../../packages/stripe-double/src/resources/index.js";
import type { Dice } from "./dice.js";
import { Broken, type Family, shown } from "./family.js";
import { isPolluted, oddJson, PATHS, TEXTS } from "./values.js";

const FIELDS = [
  "customer",
  "email",
  "name",
  "metadata",
  "items",
  "price",
  "product",
  "amount",
  "currency",
  "quantity",
  "line_items",
  "mode",
  "success_url",
  "expand",
  "limit",
  "starting_after",
  "recurring",
  "unit_amount",
  "__proto__",
  "active",
  "type",
  "created",
];

export async function stripeFamily(): Promise<Family & { close(): Promise<void> }> {
  const double = await createStripeDouble({ seed: "attacked", delivery: "held" });
  const agent = new Agent({ keepAlive: true, maxSockets: 8 });
  return {
    name: "double",
    share: 29_700,
    batch: 2_000,
    width: 8,
    attack: async (dice) => {
      const asked = asking(dice, double.secretKey, () => anyId(dice, double.objects("customer")));
      const { status, body } = await send(agent, double.port, asked);
      const what = `${asked.method} ${shown(asked.path)} ${shown(asked.body)}`;
      if (status >= 500 && status !== 501) {
        throw new Broken("crash", `${status} for ${what}: ${body.slice(0, 400)}`);
      }
      if (status === 0) throw new Broken("crash", `No answer to ${what}: ${body}`);
      if (status >= 400 && asked.path.startsWith("/v1/") && !isStripeError(body)) {
        throw new Broken(
          "broken",
          `${status} for ${what} is not Stripe's error: ${body.slice(0, 200)}`,
        );
      }
      return `${Math.floor(status / 100)}xx`;
    },
    check: async () => {
      if (isPolluted()) throw new Broken("broken", "Object.prototype has come to have members");
      await double.reset();
    },
    close: async () => {
      agent.destroy();
      await double.close();
    },
  };
}

const anyId = (dice: Dice, all: readonly { readonly id: string }[]): string =>
  all.length === 0 ? "cus_none" : dice.pick(all).id;

interface Asking {
  readonly method: string;
  readonly path: string;
  readonly headers: { [name: string]: string };
  readonly body: string;
}

function asking(dice: Dice, key: string, id: () => string): Asking {
  const route = dice.pick(routes);
  const method = dice.oneIn(10)
    ? dice.pick(["GET", "POST", "DELETE", "PUT", "PATCH"])
    : route.method;
  const filled = route.pattern.replaceAll(/:\w+/g, () =>
    dice.oneIn(2) ? id() : encodeURIComponent(latin(dice.pick(TEXTS))),
  );
  const path = dice.oneIn(15) ? `/v1/${encodeURI(latin(dice.pick(PATHS)))}` : filled || "/v1";
  const form = formOf(dice);
  const isJson = dice.oneIn(8);
  const body = method === "GET" ? "" : isJson ? JSON.stringify(oddJson(dice)) : form;
  const headers: { [name: string]: string } = {
    authorization: dice.oneIn(15) ? `Bearer ${latin(dice.pick(TEXTS))}` : `Bearer ${key}`,
    "content-length": String(Buffer.byteLength(body)),
    "content-type": isJson ? "application/json" : "application/x-www-form-urlencoded",
  };
  if (dice.oneIn(6)) headers["idempotency-key"] = `key ${dice.below(50)}`;
  if (dice.oneIn(15)) headers["stripe-version"] = latin(dice.pick([...TEXTS, "2019-01-01"]));
  if (dice.oneIn(20)) headers["stripe-account"] = latin(dice.pick(TEXTS));
  const query = method === "GET" && dice.oneIn(2) ? `?${form}` : "";
  return { method, path: `${path}${query}`, headers, body };
}

function formOf(dice: Dice): string {
  const pairs = Array.from({ length: dice.below(5) }, () => {
    const deep = Array.from(
      { length: dice.below(3) },
      () => `[${dice.pick(["", "0", "1", "price", "a", "__proto__", "999999"])}]`,
    );
    const value = dice.oneIn(3)
      ? dice.pick(["usd", "1000", "true", "month", "subscription"])
      : dice.pick(TEXTS);
    const well = value.replace(/\p{Cs}/gu, "?").slice(0, 500);
    return `${dice.pick(FIELDS)}${deep.join("")}=${encodeURIComponent(well)}`;
  });
  if (dice.oneIn(20))
    pairs.push(dice.pick(["%", "=", "&&", "a[b=1", "a]b[=1", "%zz=%zz", "a[][][][]=1"]));
  return pairs.join("&");
}

function isStripeError(body: string): boolean {
  try {
    const { error } = JSON.parse(body) as { error?: { type?: unknown; message?: unknown } };
    return typeof error?.type === "string" && typeof error.message === "string";
  } catch {
    return false;
  }
}

function send(
  agent: Agent,
  port: number,
  { method, path, headers, body }: Asking,
): Promise<{ status: number; body: string }> {
  return new Promise((resolve) => {
    const sent = { agent, host: "127.0.0.1", port, method, path, headers };
    const going = request(sent, (answer) => {
      const pieces: Buffer[] = [];
      answer.on("data", (piece: Buffer) => pieces.push(piece));
      answer.on("end", () =>
        resolve({ status: answer.statusCode ?? 0, body: Buffer.concat(pieces).toString() }),
      );
    });
    going.on("error", (error) => resolve({ status: 0, body: error.message }));
    going.end(body);
  });
}

const latin = (text: string): string => text.replace(/[^\x21-\x7e]/g, "?").slice(0, 300);
