/** Webhooks that Stripe has not signed: none may be taken, and nothing may change. */
import { createHmac } from "node:crypto";
import type { Dice } from "./dice.js";
import { bytesOf, strangeEvent, thinEvent } from "./events.js";
import { Broken, type Family, shown } from "./family.js";
import { BASE, type Shop, seconds, sign } from "./shop.js";
import { isPolluted, TEXTS } from "./values.js";

const REFUSALS = new Set([400, 405, 408, 413]);
const METHODS = ["POST", "POST", "POST", "POST", "POST", "POST", "PUT", "DELETE", "PATCH", "GET"];

export function forgedFamily(shop: Shop, real: readonly string[]): Family {
  let before: string | undefined;
  return {
    name: "forged",
    share: 498_300,
    batch: 5_000,
    width: 16,
    begin: async () => {
      before = await shop.everything();
    },
    attack: async (dice, index) => {
      const { request, body, header } = forgery(dice, index, real, shop.secret);
      const { status } = await shop.b.billing.fetch(request);
      if (status >= 200 && status < 400) {
        throw new Broken(
          "accepted",
          `${status} for ${shown(header)} over ${shown(body.toString())}`,
        );
      }
      if (!REFUSALS.has(status)) {
        throw new Broken("crash", `${status} for ${shown(header)} over ${shown(body.toString())}`);
      }
      return String(status);
    },
    check: async () => {
      const was = before;
      before = await shop.everything();
      if (was !== before) throw new Broken("rows", "Refused webhooks have changed the tables");
      if (isPolluted()) throw new Broken("broken", "Object.prototype has come to have members");
    },
  };
}

function forgery(dice: Dice, index: number, real: readonly string[], secret: string) {
  const text = dice.oneIn(2)
    ? dice.pick(real)
    : JSON.stringify((dice.oneIn(5) ? thinEvent : strangeEvent)(dice, index));
  const body = bytesOf(dice, text);
  const header = headerFor(dice, body, secret);
  const method = dice.pick(METHODS);
  const headers = oddHeaders(dice);
  if (header !== undefined) headers.set("stripe-signature", header);
  const bodied = method === "GET" ? {} : { body: new Uint8Array(body) };
  const request = new Request(`${BASE}/stripe/webhook`, { method, headers, ...bodied });
  return { request, body, header };
}

const CONTENT = ["application/json", "text/plain", "application/json; charset=utf-16", "", "*/*"];

function oddHeaders(dice: Dice): Headers {
  const headers = new Headers();
  if (dice.oneIn(3)) headers.set("content-type", dice.pick(CONTENT));
  if (dice.oneIn(10)) headers.set("content-encoding", dice.pick(["gzip", "br", "identity", "x"]));
  if (dice.oneIn(10))
    headers.set("content-length", dice.pick(["0", "10", "-1", "1e9", "x", "2000000"]));
  if (dice.oneIn(10)) headers.set("stripe-account", "acct_other");
  if (dice.oneIn(10)) headers.set("x-forwarded-proto", "https, http");
  return headers;
}

/** A signature that is not Stripe's over these bytes, in one of many ways. */
function headerFor(dice: Dice, body: Buffer, secret: string): string | undefined {
  const now = seconds();
  const right = sign(body, secret, now);
  const mac = right.slice(right.indexOf("v1=") + 3);
  const zeros = "0".repeat(64);
  switch (dice.below(20)) {
    case 0:
      return undefined;
    case 1:
      return "";
    case 2:
      return sign(body, secret, now - 301 - dice.below(100_000));
    case 3:
      return sign(
        body,
        dice.pick(["", "undefined", "null", "whsec_", "whsec_other", "[object Object]"]),
        now,
      );
    case 4:
      return sign(Buffer.concat([body, Buffer.from(" ")]), secret, now);
    case 5:
      return right.replace("v1=", dice.pick(["v0=", "v2=", "V1=", "v1 =", "1="]));
    case 6:
      return `t=${now},v1=${zeros}`;
    case 7:
      return right.slice(0, -1 - dice.below(63));
    case 8:
      return `t=${now - 1},v1=${mac}`;
    case 9:
      return `${sign(body, secret, now - 5_000)},t=${now}`;
    case 10:
      return `t=${now},${sign(body, secret, now - 5_000)}`;
    case 11:
      return `t=${dice.pick(["NaN", "", "-1", "1e20", "0x10", "Infinity", " ", "9".repeat(20)])},v1=${mac}`;
    case 12:
      return `t=${now},v1=${mac.split("").reverse().join("")}`;
    case 13:
      return `t=${now}${",v1=".concat(zeros).repeat(1 + dice.below(50))}`;
    case 14:
      return signOfText(body, secret, now) ?? `t=${now},v1=${zeros}`;
    case 15: {
      const at = dice.below(mac.length);
      const other = mac[at] === "a" ? "b" : "a";
      return `t=${now},v1=${mac.slice(0, at)}${other}${mac.slice(at + 1)}`;
    }
    case 16:
      return `t=${now},v1=${createHmac("sha256", secret).update(body).digest("hex")}`;
    case 17:
      return `t=${now},v1=${createHmac("sha1", secret).update(`${now}.`).update(body).digest("hex")}`;
    default:
      return printable(dice.pick(TEXTS));
  }
}

/** The signature of the text that a lenient reader would make of other bytes; none if it is the same. */
function signOfText(body: Buffer, secret: string, now: number): string | undefined {
  const read = Buffer.from(new TextDecoder().decode(body));
  return read.equals(body) ? undefined : sign(read, secret, now);
}

/** Headers are Latin-1 without control characters; the rest no client can send. */
const printable = (text: string): string => text.replace(/[^\x20-\x7e]/g, "?").trim();
