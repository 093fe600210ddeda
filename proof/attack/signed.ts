/**
 * Events that are signed, and strange: each is stored or refused by a code, never answered with 500.
 * What they say of objects that Stripe does not have is taken back when everything is read again.
 */
import type { Dice } from "./dice.js";
import { bytesOf, strangeEvent, thinEvent } from "./events.js";
import { Broken, type Family, shown } from "./family.js";
import { BASE, differing, type Shop, seconds, sign } from "./shop.js";
import { isPolluted } from "./values.js";

const ANSWERS = new Set([200, 400, 413]);

export function signedFamily(shop: Shop, real: readonly string[]): Family {
  let before: { [table: string]: string } | undefined;
  return {
    name: "signed",
    share: 12_000,
    batch: 600,
    width: 8,
    begin: async () => {
      await shop.settle(); // as Stripe has it now, also what no event told
      before = await shop.mirrored();
    },
    attack: async (dice, index) => {
      const body = bytesOf(dice, signedText(dice, index, real));
      const headers = { "stripe-signature": headerFor(dice, body, shop.secret) };
      const request = new Request(`${BASE}/stripe/webhook`, {
        method: "POST",
        headers,
        body: new Uint8Array(body),
      });
      const { status } = await shop.b.billing.fetch(request);
      if (ANSWERS.has(status)) return String(status);
      throw new Broken(
        "crash",
        `${status} for ${shown(body.toString(), 600)}: ${shop.lines.at(-1)}`,
      );
    },
    check: async () => {
      await shop.settle();
      const found = differing(before ?? {}, await shop.mirrored());
      if (found.length > 0) throw new Broken("rows", `After a comparison ${found.join("; ")}`);
      if (isPolluted()) throw new Broken("broken", "Object.prototype has come to have members");
    },
  };
}

/** Real events come again, late and as of other versions; strange ones are about strangers. */
function signedText(dice: Dice, index: number, real: readonly string[]): string {
  if (dice.oneIn(6)) return JSON.stringify(thinEvent(dice, index));
  if (!dice.oneIn(3)) return JSON.stringify(strangeEvent(dice, index));
  const event = JSON.parse(dice.pick(real)) as { [field: string]: unknown };
  if (dice.oneIn(2)) event.id = `evt_again_${index}`;
  if (dice.oneIn(3)) event.api_version = dice.pick(["2019-01-01", null, 7, "__proto__"]);
  if (dice.oneIn(5)) event.account = dice.pick(["acct_other", 1, null]);
  if (dice.oneIn(8)) event.livemode = true;
  if (dice.oneIn(8)) event.unheard = { of: [1, "\u0000"] };
  return JSON.stringify(event);
}

function headerFor(dice: Dice, body: Buffer, secret: string): string {
  const right = sign(body, secret, seconds() + dice.pick([0, 0, -200, 0, 86_400]));
  const other = `v1=${"0".repeat(64)}`;
  switch (dice.below(5)) {
    case 0:
      return `${right},${other}`;
    case 1:
      return right.replace(",", `,${other},v0=x,`);
    default:
      return right;
  }
}
