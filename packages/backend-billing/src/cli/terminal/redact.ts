/** Takes secrets out of what is printed: every line of the command passes here. Pure. */

const KEY = /\b((?:sk|rk|pk)_(?:test|live)_|whsec_)[A-Za-z0-9_]+/g;
/** The password is whatever stands between the user and the last @ before the host. */
const URL_PASSWORD = /\b([a-z][a-z0-9+.-]*:\/\/[^\s:/@]*):([^\s/]+)@/gi;
/** `?password=…` in an address, and `password=…` or `password='…'` in a connection string. */
const PARAMETER =
  /\b((?:ssl)?password|passwd|pwd)(\s*=\s*)('(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|[^\s&#"']+)/gi;
/** A field of JSON whose name ends in what it is. */
const FIELD = /("(?:\w*_)?(?:password|secret)"\s*:\s*)"(?:[^"\\]|\\.)*"/gi;
/** Names whose values are secrets. */
const SECRET_NAME = /SECRET|PASSWORD|TOKEN|API_KEY|DEPLOY_KEY|PRIVATE/i;
/** Shorter values are words that may well stand in a sentence. */
const SHORTEST = 8;

type Environment = { readonly [name: string]: string | undefined };

/** A function that hides keys, passwords in addresses, and the values of secret variables. */
export function createRedactor(env: Environment): (text: string) => string {
  return (text) => {
    let safe = text
      .replace(KEY, "$1…")
      .replace(URL_PASSWORD, "$1:…@")
      .replace(PARAMETER, "$1$2…")
      .replace(FIELD, '$1"…"');
    for (const value of secretValues(env)) safe = safe.replaceAll(value, "…");
    return safe;
  };
}

/** Read at each use: a .env file may be loaded after the redactor was made. */
function secretValues(env: Environment): string[] {
  const named = Object.entries(env).flatMap(([name, value]) =>
    SECRET_NAME.test(name) && value !== undefined ? [value] : [],
  );
  const passwords = [env.DATABASE_URL, env.PGPASSWORD].flatMap(passwordOf);
  return [...named, ...passwords].flatMap(spellings).filter(({ length }) => length >= SHORTEST);
}

/** A value as it is, without quotes that came with it, and as JSON writes it. */
function spellings(value: string): string[] {
  const bare = /^(["'])(.*)\1$/s.exec(value)?.[2] ?? value;
  const written = [value, bare].map((each) => JSON.stringify(each).slice(1, -1));
  return [...new Set([value, bare, ...written])];
}

function passwordOf(value: string | undefined): string[] {
  if (!value) return [];
  if (!URL.canParse(value)) return value.includes("://") ? [] : [value];
  const { password, searchParams } = new URL(value);
  return [password, decoded(password), ...searchParams.getAll("password")].filter(Boolean);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text; // a lone % is a character of the password
  }
}
