/** A behaviour of Stripe as data: where it is written down, what must be seen, and how to see it. */
import { isDeepStrictEqual } from "node:util";
import Stripe from "stripe";
import type { Source } from "./sources.js";
import { openWorld, type World } from "./world.js";

/** What a check may report: plain data, so that it can be compared and printed. */
export type Observed =
  | string
  | number
  | boolean
  | null
  | undefined
  | readonly Observed[]
  | { readonly [key: string]: Observed };

export interface Behaviour {
  /** Short, and unique in its theme. */
  readonly name: string;
  readonly source: Source;
  /** Where the clock of its double stands at the start. */
  readonly now?: string;
  /** A key of the application's environment, or `any`, for the double to accept. */
  readonly secretKey?: string;
  /** What Stripe shows. */
  readonly expected: Observed;
  /** What the double shows: runs the real SDK against a double of its own. */
  readonly see: (world: World) => Promise<Observed>;
}

export interface Theme {
  readonly name: string;
  readonly behaviours: readonly Behaviour[];
}

export interface Verdict {
  /** `not modelled`: the double answered a request with 501, so that it says nothing false. */
  readonly result: "same" | "otherwise" | "not modelled";
  readonly details: readonly string[];
}

export async function check({ now, secretKey, expected, see }: Behaviour): Promise<Verdict> {
  const world = await openWorld({ now, secretKey });
  try {
    const details = await see(world).then(
      (seen) => differences(expected, seen),
      (error: unknown) => [`ended in an error: ${describeError(error)}`],
    );
    if (details.length === 0) return { result: "same", details };
    const isGap = world.double.requests.countStatus(501) > 0;
    return { result: isGap ? "not modelled" : "otherwise", details };
  } finally {
    await world.double.close();
  }
}

/** Compares field by field where both sides are objects, and as a whole otherwise. */
function differences(expected: Observed, seen: Observed): string[] {
  if (isDeepStrictEqual(expected, seen)) return [];
  if (!isRecord(expected) || !isRecord(seen)) return [line("", expected, seen)];
  const keys = [...new Set([...Object.keys(expected), ...Object.keys(seen)])];
  return keys
    .filter((key) => !isDeepStrictEqual(expected[key], seen[key]))
    .map((key) => line(`${key}: `, expected[key], seen[key]));
}

const line = (where: string, expected: Observed, seen: Observed) =>
  `${where}Stripe ${JSON.stringify(expected)}, the double ${JSON.stringify(seen)}`;

const isRecord = (value: Observed): value is { readonly [key: string]: Observed } =>
  typeof value === "object" && value !== null && !Array.isArray(value);

function describeError(error: unknown): string {
  if (!(error instanceof Stripe.errors.StripeError)) return String(error);
  const { statusCode, code, message } = error;
  // The double's own advice, after the first sentence, is not news here.
  const words = code === "not_modelled" ? message.replace(/\. It answers 501.*/s, ".") : message;
  return [statusCode, code, words].filter((part) => part !== undefined).join(" ");
}
