// Texts that take as much room as texts can: PostgreSQL compresses what repeats itself.

/** So many Chinese characters, in an order that does not compress; the same ones every time. */
export function longText(characters: number): string {
  let state = 1;
  return Array.from({ length: characters }, () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return String.fromCodePoint(0x4e00 + (state % 20_000));
  }).join("");
}
