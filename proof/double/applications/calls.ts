/** The calls of public applications: data beside the repository, which is used when it is there. */
import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** Beside the repository, not in it. */
const CALLS = fileURLToPath(new URL("../../../../shared/double/calls.json", import.meta.url));

export interface Application {
  readonly name: string;
  /** The API version that it pins. */
  readonly version: string;
}

export interface Call {
  readonly application: Application;
  /** A method of the SDK, such as `checkout.sessions.create`. */
  readonly method: string;
  /** Parameters as far as the source shows them: `items[].price`, or `mode=payment`. */
  readonly parameters: readonly Parameter[];
}

export interface Parameter {
  /** As in the source, such as `line_items[].price`. */
  readonly name: string;
  /** As a form says it, such as `line_items[0][price]`. */
  readonly key: string;
  /** What is written in the source; undefined if it is made at run time. */
  readonly value: string | undefined;
}

export interface Listed {
  readonly applications: readonly Application[];
  readonly calls: readonly Call[];
}

/** As the file has it. */
interface File {
  readonly apps: readonly Application[];
  /** The application's index, the method, and its parameters. */
  readonly calls: readonly (readonly [number, string, readonly string[]])[];
}

/** Options of the SDK's call, and arguments that are no parameters: an id, or a text. */
const NO_PARAMETER =
  /^(idempotencyKey|stripeAccount|stripeContext|apiVersion|timeout|maxNetworkRetries|host)\b|^[<"]/;

/** Undefined if the list is not there. */
export function readCalls(): Listed | undefined {
  if (!existsSync(CALLS)) return undefined;
  const file = JSON.parse(readFileSync(CALLS, "utf8")) as File;
  const calls = file.calls.map(([index, method, texts]) => {
    const application = file.apps[index];
    if (application === undefined) throw new Error(`${CALLS} names no application ${index}`);
    const parameters = texts.filter((text) => !NO_PARAMETER.test(text)).map(parameterOf);
    return { application, method, parameters };
  });
  return { applications: file.apps, calls };
}

/** `a[].b=c` is `a[0][b]` with the value `c`. */
function parameterOf(text: string): Parameter {
  const [name = "", ...rest] = text.split("=");
  const [head = "", ...tail] = name.replaceAll("[][]", "[]").split(".");
  const inner = tail.map((part) => part.replace(/^[^[]+/, "[$&]"));
  const key = [head, ...inner].join("").replaceAll("[]", "[0]");
  return { name, key, value: rest.length === 0 ? undefined : rest.join("=") };
}
