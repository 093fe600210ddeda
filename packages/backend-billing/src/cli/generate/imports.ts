/** The imports at the top of a file, led elsewhere and sorted again. Pure. */

const IMPORT = /^import [^;]*;\n/gm;
const SPECIFIER = /from "([^"]+)";\n$/;

/** `lead` answers the new specifier for one of a file. */
export function leadImports(text: string, lead: (specifier: string) => string): string {
  const statements = text.match(IMPORT) ?? [];
  if (statements.length === 0) return text;
  const led = statements.map((statement) =>
    statement.replace(SPECIFIER, (whole, specifier: string) =>
      specifier.startsWith(".") ? `from "${lead(specifier)}";\n` : whole,
    ),
  );
  const sorted = led
    .map((statement) => ({ statement, from: SPECIFIER.exec(statement)?.[1] ?? "" }))
    .sort((a, b) => rank(a.from) - rank(b.from) || (a.from < b.from ? -1 : 1));
  return text.replace(statements.join(""), sorted.map(({ statement }) => statement).join(""));
}

/** Packages, then aliases, then files, those farthest away first. */
function rank(specifier: string): number {
  if (specifier.startsWith(".")) return 1000 - (specifier.match(/\.\.\//g)?.length ?? 0);
  return /^(@\/|[#~$%])/.test(specifier) ? 1 : 0;
}
