/** What a control request brings, checked field by field; what is wrong with it says what to send. */

type Field = "text" | "number" | "flag" | "object" | "texts" | "seed";

/** The fields that a request may have; those with a question mark may be left out. */
export interface Shape {
  readonly [name: string]: Field | `${Field}?`;
}

interface Values {
  text: string;
  number: number;
  flag: boolean;
  object: { readonly [name: string]: unknown };
  texts: readonly string[];
  seed: string | number;
}

export type Body<S extends Shape = Shape> = {
  readonly [K in keyof S]: S[K] extends `${infer F extends Field}?`
    ? Values[F] | undefined
    : S[K] extends Field
      ? Values[S[K]]
      : never;
};

/** A request that is wrong; the message is for the person who wrote it. */
export class ControlError extends Error {
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message);
  }
}

const isObject = (value: unknown): value is Values["object"] =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const FIELDS: {
  readonly [F in Field]: readonly [means: string, is: (value: unknown) => boolean];
} = {
  text: ["a text", (value) => typeof value === "string"],
  number: ["a number", (value) => typeof value === "number"],
  flag: ["true or false", (value) => typeof value === "boolean"],
  object: ["an object", isObject],
  texts: [
    "a list of texts",
    (value) => Array.isArray(value) && value.every((each) => typeof each === "string"),
  ],
  seed: ["a text or a number", (value) => typeof value === "string" || typeof value === "number"],
};

/** The JSON object of a request; an empty body is an empty object. */
export function parseBody(text: string): Values["object"] {
  if (text.trim() === "") return {};
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new ControlError(400, "The body is not JSON. Send an object, such as {}.");
  }
  if (isObject(value)) return value;
  throw new ControlError(400, "The body is not a JSON object. Send one, such as {}.");
}

/** Refuses fields that are missing, of another type, or unknown. */
export function checkBody<S extends Shape>(given: Values["object"], shape: S): Body<S> {
  const names = Object.keys(shape);
  const unknown = Object.keys(given).find((name) => !names.includes(name));
  if (unknown !== undefined) {
    const known = names.length === 0 ? "It takes no fields." : `It takes ${names.join(", ")}.`;
    throw new ControlError(400, `There is no field '${unknown}' here. ${known}`);
  }
  for (const [name, field] of Object.entries(shape)) {
    const [means, is] = FIELDS[field.replace("?", "") as Field];
    const value = given[name];
    if (value === undefined ? !field.endsWith("?") : !is(value)) {
      throw new ControlError(400, `'${name}' must be ${means}.`);
    }
  }
  return given as Body<S>;
}
