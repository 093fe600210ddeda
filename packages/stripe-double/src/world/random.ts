/** Everything random in the double comes from here, so that one seed gives one history. */
import { createHash, randomUUID } from "node:crypto";

const ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/** `length` characters that depend on nothing but the words given. */
export function token(length: number, ...words: (string | number)[]): string {
  let out = "";
  for (let block = 0; out.length < length; block++) {
    const digest = createHash("sha256")
      .update(`${words.join("\u0000")}\u0000${block}`)
      .digest();
    for (const byte of digest) out += ALPHABET[byte % ALPHABET.length];
  }
  return out.slice(0, length);
}

/** A stream of numbers in [0, 1), repeatable from its words. */
export function stream(...words: (string | number)[]): () => number {
  const digest = createHash("sha256").update(words.join("\u0000")).digest();
  let state = digest.readUInt32LE(0);
  return () => {
    state = (state + 0x9e3779b9) | 0;
    let mixed = Math.imul(state ^ (state >>> 16), 0x85ebca6b);
    mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
    return ((mixed ^ (mixed >>> 16)) >>> 0) / 2 ** 32;
  };
}

/** How many characters follow each prefix; Stripe's newer ids carry a version digit first. */
const ID_SHAPES: Record<string, readonly [length: number, lead?: string]> = {
  cus: [14],
  prod: [14],
  si: [14],
  acct: [16, "1"],
  req: [14],
  evt: [24, "1"],
  cs_test: [58, "a1"],
  cs_live: [58, "a1"],
};

/** Ids in Stripe's shapes. Each prefix has its own sequence, so that one kind does not move another. */
export function idSequence(seed: string | number): (prefix: string) => string {
  const counts = new Map<string, number>();
  return (prefix) => {
    const count = (counts.get(prefix) ?? 0) + 1;
    counts.set(prefix, count);
    const [length, lead = ""] = ID_SHAPES[prefix] ?? [24, "1"];
    return `${prefix}_${lead}${token(length - lead.length, seed, prefix, count)}`;
  };
}

/** A seed that no other start has: ids, keys and the account come from it. */
export const newSeed = (): string => randomUUID();
