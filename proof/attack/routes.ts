/** The route of the schedule without its secret, and every other path and method. */
import type { Dice } from "./dice.js";
import { Broken, type Family, shown } from "./family.js";
import { BASE, CRON_SECRET, type Shop, seconds, sign } from "./shop.js";
import { PATHS, TEXTS } from "./values.js";

const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "HEAD", "PROPFIND"];
const NEAR = [
  "/stripe/webhook/",
  "/stripe//webhook",
  "/stripe/webhook%2f",
  "/STRIPE/webhook",
  "/stripe/webhook;x",
  "//stripe/webhook",
  "/stripe/%77ebhook",
  "/stripe/tick/",
  "/stripe",
  "/",
  "/stripe/returns/x",
];

export function routeFamily(shop: Shop): Family {
  let before: string | undefined;
  return {
    name: "routes",
    share: 50_000,
    batch: 5_000,
    width: 8,
    begin: async () => {
      before = await shop.everything();
    },
    attack: async (dice) => {
      const { url, init } = (dice.oneIn(2) ? elsewhere : ticking)(dice, shop.secret);
      const { status } = await shop.b.billing.fetch(new Request(url, init));
      if (status >= 500) throw new Broken("crash", `${status} for ${shown(url)}`);
      if (status < 400) throw new Broken("accepted", `${status} for ${shown(url)} ${shown(init)}`);
      return String(status);
    },
    check: async () => {
      const was = before;
      before = await shop.everything();
      if (was !== before) throw new Broken("rows", "Refused requests have changed the tables");
    },
  };
}

/** A signed event at an address that is not the webhook's. */
function elsewhere(dice: Dice, secret: string) {
  const path = dice.oneIn(2)
    ? dice.pick(NEAR)
    : `/stripe/x${encodeURIComponent(latin(dice.pick(PATHS)))}`;
  const method = dice.pick(METHODS);
  const body = "{}";
  const bodied = method === "GET" || method === "HEAD" ? {} : { body };
  const headers = { "stripe-signature": sign(body, secret, seconds()) };
  return { url: `${BASE}${path}`, init: { method, headers, ...bodied } };
}

function ticking(dice: Dice) {
  const given = [
    "",
    "Bearer",
    "Bearer ",
    `Basic ${Buffer.from(`:${CRON_SECRET}`).toString("base64")}`,
    CRON_SECRET,
    `Bearer ${CRON_SECRET}x`,
    `Bearer ${CRON_SECRET.slice(1)}`,
    `Bearer ${CRON_SECRET.toUpperCase()}`,
    `Bearer ${latin(dice.pick(TEXTS))}`,
    "Bearer undefined",
    "Bearer null",
  ];
  const headers: { [name: string]: string } = dice.oneIn(5)
    ? { "x-cron-secret": CRON_SECRET }
    : { authorization: dice.pick(given) };
  const query = dice.oneIn(3) ? `?secret=${encodeURIComponent(CRON_SECRET)}&budget=-1` : "";
  return { url: `${BASE}/stripe/tick${query}`, init: { method: dice.pick(METHODS), headers } };
}

const latin = (text: string): string => text.replace(/[^\x21-\x7e]/g, "?");
