/** What a catalogue sells, as the page shows it. */
import { count } from "./format.ts";
import type { Product } from "./types.ts";

interface Plan {
  name: string;
  prices?: Record<
    string,
    { amount: number; currency: string; interval: string; isPerSeat: boolean }
  >;
  features?: { members?: number; support?: boolean; sends?: { included: number } };
}

interface Catalogue {
  plans: Record<string, Plan>;
  packs: Record<string, { name: string; price: { amount: number; currency: string } }>;
}

const DESCRIPTIONS: Record<string, string> = {
  starter: "For a letter to your readers, every week.",
  studio: "For a team that writes together.",
  sends: "For the one letter that everybody should get.",
};

export function productsIn({ plans, packs }: Catalogue): Product[] {
  const sold = Object.entries(plans).map(([id, { name, prices = {}, features = {} }]) => ({
    ...{ id, name, description: DESCRIPTIONS[id], features: wordsFor(features) },
    perSeat: Object.values(prices).some(({ isPerSeat }) => isPerSeat),
    prices: Object.entries(prices).map(([price, terms]) => ({ ...terms, key: `${id}:${price}` })),
  }));
  const extras = Object.entries(packs).map(([id, { name, price }]) => ({
    ...{ id, name, description: DESCRIPTIONS[id], features: [], perSeat: false },
    prices: [{ key: id, amount: price.amount, currency: price.currency, interval: null }],
  }));
  return [...sold, ...extras];
}

const wordsFor = ({ members, support, sends }: NonNullable<Plan["features"]>): string[] => [
  ...(members ? [`Room for ${members} members`] : []),
  ...(sends ? [`${count(sends.included, "send")} each month`] : []),
  ...(support ? ["Answers within a day"] : []),
];
