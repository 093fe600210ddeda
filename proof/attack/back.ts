/** The way back from Stripe's pages: only whole links lead anywhere, and nowhere but where allowed. */
import type { Dice } from "./dice.js";
import { Broken, type Family, shown } from "./family.js";
import { BASE, differing, type Shop, SITE } from "./shop.js";
import { TEXTS } from "./values.js";

const ALLOWED = new Set([SITE, BASE]);
const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
const KINDS = [
  "checkout",
  "payment",
  "portal",
  "setup",
  "checkout/",
  "__proto__",
  "constructor",
  "",
  "..",
];
const SESSIONS = [
  "cs_test_abc",
  "https://evil.example",
  "../../evil",
  "cs_test_\r\nx",
  "<script>",
  "",
  "cs_live_x",
];

/** A link as Stripe is given it, and what is signed of it. */
interface Link {
  readonly kind: string;
  readonly data: string;
  readonly signature: string;
}

export async function backFamily(shop: Shop): Promise<Family> {
  const links = await linksOf(shop);
  let before: { [table: string]: string } | undefined;
  return {
    name: "return",
    share: 130_000,
    batch: 5_000,
    width: 8,
    begin: async () => {
      before = await shop.mirrored();
    },
    attack: async (dice) => {
      const link = dice.pick(links);
      const { url, isWhole } = altered(dice, link);
      const method = dice.pick(["GET", "GET", "GET", "HEAD", "POST", "PUT"]);
      const answer = await shop.b.billing.fetch(new Request(url, { method }));
      const target = answer.headers.get("location");
      if (target !== null && !ALLOWED.has(new URL(target).origin)) {
        throw new Broken("broken", `${shown(url)} leads to ${target}`);
      }
      if (answer.status === 303 && !isWhole) throw new Broken("accepted", `303 for ${shown(url)}`);
      if (answer.status >= 500) throw new Broken("crash", `${answer.status} for ${shown(url)}`);
      if (answer.status === 200) throw new Broken("broken", `200 for ${shown(url)}`);
      return String(answer.status);
    },
    check: async () => {
      const found = differing(before ?? {}, await shop.mirrored());
      if (found.length > 0) throw new Broken("rows", found.join("; "));
    },
  };
}

/** Links of all kinds, that were made for pages of this shop. */
async function linksOf({ a, double }: Shop): Promise<Link[]> {
  const link = {
    entityId: "org_3",
    success_url: `${SITE}/thanks?s={CHECKOUT_SESSION_ID}`,
    cancel_url: "/",
  };
  await a.stripe.savePaymentMethod({}, { ...link, mode: "setup", currency: "usd" });
  await a.stripe.pay({}, { ...link, mode: "payment", lookupKey: "more" });
  await a.stripe.subscribe({}, { ...link, mode: "subscription", lookupKey: "pro:yearly" });
  await a.stripe.portal({}, { entityId: "user_1", returnUrl: "/account" });
  const pages = double
    .objects("checkout.session")
    .slice(-3)
    .map((page) => page.success_url ?? "");
  const portal = double.objects("billing_portal.session").at(-1)?.return_url ?? "";
  return [...pages, portal].map((address) => {
    const { pathname, searchParams } = new URL(address);
    const kind = pathname.slice("/stripe/return/".length);
    return {
      kind,
      data: searchParams.get("data") ?? "",
      signature: searchParams.get("signature") ?? "",
    };
  });
}

function altered(dice: Dice, link: Link): { url: string; isWhole: boolean } {
  let { kind, data, signature } = link;
  let more = dice.oneIn(3) ? `&session_id=${encodeURIComponent(dice.pick(SESSIONS))}` : "";
  switch (dice.below(10)) {
    case 0:
    case 1:
    case 2:
      data = flipped(dice, data);
      break;
    case 3:
    case 4:
    case 5:
      signature = flipped(dice, signature);
      break;
    case 6:
      kind = dice.pick(KINDS);
      break;
    case 7:
      data = forged(dice);
      break;
    case 8:
      more += `&data=${forged(dice)}&signature=x`;
      break;
    default:
      [data, signature] = dice.pick([
        [data, ""],
        ["", signature],
        [encodeURIComponent(dice.pick(TEXTS).replace(/\p{Cs}/gu, "")), signature],
        [data, signature.slice(0, 20)],
        [data, `${signature}=`],
        ["A".repeat(20_000), signature],
      ] as const);
  }
  const isWhole = kind === link.kind && data === link.data && isSigned(signature, link.signature);
  return {
    url: `${BASE}/stripe/return/${kind}?data=${data}&signature=${signature}${more}`,
    isWhole,
  };
}

function flipped(dice: Dice, text: string): string {
  const at = dice.below(text.length);
  return `${text.slice(0, at)}${LETTERS[dice.below(64)]}${text.slice(at + 1)}`;
}

const forged = (dice: Dice): string =>
  Buffer.from(
    JSON.stringify({
      t: dice.pick(["https://evil.example/", "javascript:1", SITE]),
      c: null,
      x: 9e9,
    }),
  ).toString("base64url");

/** A link is signed by each key, and one will do. The last letter has bits that stand for nothing. */
function isSigned(given: string, right: string): boolean {
  const bytes = (part: string) => Buffer.from(part, "base64url").toString("hex");
  const known = new Set(right.split(".").map(bytes));
  return given.split(".").some((part) => known.has(bytes(part)));
}
