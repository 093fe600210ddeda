/** Names as code, in a sentence. */
export function codes(names: readonly string[], joint = "and"): string {
  const quoted = names.map((name) => `\`${name}\``);
  const last = quoted.pop();
  if (last === undefined) return "";
  return quoted.length === 0 ? last : `${quoted.join(", ")} ${joint} ${last}`;
}
