/** Writes nested object literals as a formatter would: on one line where they fit. Pure. */

/** Code as it is, or an object literal by its entries. */
export type Code = string | readonly (readonly [name: string, code: Code])[];

const WIDTH = 96;
const PLAIN = /^[A-Za-z_$][\w$]*$/;

export function codeText(code: Code, depth = 0, before = 0): string {
  if (typeof code === "string") return code;
  if (code.length === 0) return "{}";
  const line = inLine(code);
  if (depth > 0 && before + line.length <= WIDTH) return line;
  const indent = "  ".repeat(depth + 1);
  const lines = code.map(([name, value]) => {
    const head = `${indent}${nameText(name)}: `;
    return `${head}${codeText(value, depth + 1, head.length)},`;
  });
  return `{\n${lines.join("\n")}\n${"  ".repeat(depth)}}`;
}

function inLine(code: Code): string {
  if (typeof code === "string") return code;
  if (code.length === 0) return "{}";
  return `{ ${code.map(([name, value]) => `${nameText(name)}: ${inLine(value)}`).join(", ")} }`;
}

const nameText = (name: string): string => (PLAIN.test(name) ? name : JSON.stringify(name));
