/**
 * The signature of a webhook. Its header is judged before the body is read, so that a request that
 * cannot be Stripe's costs no memory; whether it fits the body is known afterwards.
 */
import { webhookSecrets } from "../runtime/config.js";
import { BillingError } from "../runtime/errors.js";
import type { Runtime } from "../runtime/runtime.js";

/** Seconds that a signature may be old. */
export const TOLERANCE = 300;

/** A header that may be Stripe's, and by how many seconds this machine's clock is ahead of it. */
export interface SignatureHeader {
  readonly text: string;
  readonly age: number;
}

/** What is wrong with a header; `age` where it is its time. */
export interface HeaderProblem {
  readonly message: string;
  readonly age?: number;
}

/**
 * Judges the header alone, at a time in milliseconds. A time in the future is accepted, as Stripe's
 * own library does: it is signed, so it can only mean that this machine's clock is behind.
 */
export function judgeHeader(
  text: string | null,
  now: number,
): SignatureHeader | { readonly problem: HeaderProblem } {
  if (!text) return { problem: { message: "The Stripe-Signature header is missing." } };
  const parts = text.split(",").map((part) => part.trim());
  // Of several times Stripe's library takes the last one: a second one could make an old header new.
  const times = parts.filter((part) => part.startsWith("t="));
  const time = times.length === 1 ? times.find((part) => /^t=\d{1,15}$/.test(part)) : undefined;
  const isSigned = parts.some((part) => /^v1=[0-9a-f]{64}$/.test(part));
  if (time === undefined || !isSigned) {
    return {
      problem: {
        message:
          "The Stripe-Signature header is not one of Stripe's: it needs a time `t` and a signature `v1`.",
      },
    };
  }
  const age = Math.floor(now / 1000) - Number(time.slice(2));
  if (age <= TOLERANCE) return { text, age };
  return {
    problem: {
      age,
      message: `The webhook was signed ${age} seconds before this machine's time, and at most ${TOLERANCE} are allowed. If Stripe sent it just now, the clock of this machine is ahead: set it right (NTP). Otherwise it was held back on the way, or is a repetition.`,
    },
  };
}

/** Whether the header's signature is that of the body under any of the secrets; throws if not. */
export async function verifyBody(
  runtime: Runtime,
  body: string,
  { text }: SignatureHeader,
): Promise<void> {
  const { signature } = runtime.stripe().webhooks;
  let cause: unknown;
  for (const secret of webhookSecrets(runtime.config)) {
    try {
      // 0: the time was judged with the header, by this runtime's clock.
      if (await signature?.verifyHeaderAsync(body, text, secret, 0)) return;
    } catch (error) {
      cause = error;
    }
  }
  const line = { error: "invalid_signature" };
  runtime.log?.warn(line, "A webhook was refused: its signature fits no secret");
  throw new BillingError(
    "invalid_signature",
    "The signature fits none of the signing secrets. Check that `webhook_secret` is the secret of this very endpoint, and that nothing on the way alters the body.",
    { cause },
  );
}
