/** What `setup` takes as metadata: any key that Stripe takes, on either platform. */
import { BillingError } from "../runtime/errors.js";

/** Stripe's own limits. */
const KEY = 40;
const VALUE = 500;

/** Refuses, before anything is made, what Stripe would refuse and what is no text. */
export function checkMetadata(metadata: unknown): void {
  if (metadata === undefined) return;
  const reason =
    typeof metadata === "object" && metadata !== null && !Array.isArray(metadata)
      ? Object.entries(metadata).map(whyNot).find(Boolean)
      : "it is not an object of keys and values";
  if (reason === undefined) return;
  throw new BillingError(
    "invalid_argument",
    `\`metadata\` cannot be stored: ${reason}. Keys have 1 to ${KEY} characters without square brackets, and values are strings of up to ${VALUE}.`,
  );
}

function whyNot([key, value]: [string, unknown]): string | undefined {
  if (key === "") return "a key is empty";
  if (key.length > KEY || /[[\]]/.test(key)) return `Stripe takes no key such as ${key}`;
  if (typeof value !== "string") return `the value of ${key} is not a string`;
  return value.length > VALUE ? `the value of ${key} is too long` : undefined;
}
