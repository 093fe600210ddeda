/** Idempotency keys: one effect, and one answer kept for a day, errors included. */
import { ApiError } from "../api/errors.js";

export interface KeptAnswer {
  readonly status: number;
  readonly body: string;
  readonly requestId: string;
}

interface Kept {
  readonly fingerprint: string;
  readonly at: number;
  answer?: KeptAnswer;
}

const LIFE = 24 * 60 * 60 * 1000;

export interface IdempotencyKeys {
  /** The answer kept under this key, or undefined with the key taken for this request. */
  take(key: string, fingerprint: string): KeptAnswer | undefined;
  keep(key: string, answer: KeptAnswer): void;
  /** Forgets a request that was never run, so that the key can be used again. */
  release(key: string): void;
}

/** What makes two requests the same: endpoint, path and parameters, in whatever order. */
export function fingerprint(signature: string, path: object, params: object): string {
  return `${signature} ${JSON.stringify([path, sorted(params)])}`;
}

function sorted(value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return entries.map(([key, inner]) => [key, sorted(inner)]);
}

export function createIdempotencyKeys(now: () => number): IdempotencyKeys {
  const keys = new Map<string, Kept>(); // oldest first
  const prune = () => {
    for (const [key, { at }] of keys) {
      if (now() - at < LIFE) return;
      keys.delete(key);
    }
  };
  return {
    take(key, fingerprint) {
      if (key.length > 255) {
        throw new ApiError(400, {
          type: "idempotency_error",
          message: "Idempotency keys can have up to 255 characters.",
        });
      }
      prune();
      const kept = keys.get(key);
      if (kept === undefined) {
        keys.set(key, { fingerprint, at: now() });
        return undefined;
      }
      if (kept.fingerprint !== fingerprint) {
        throw new ApiError(400, {
          type: "idempotency_error",
          message: `Keys for idempotent requests can only be used with the same endpoint and parameters they were first used with. Try using a key other than '${key}' if you meant to execute a different request.`,
        });
      }
      if (kept.answer === undefined) {
        throw new ApiError(409, {
          type: "invalid_request_error",
          code: "idempotency_key_in_use",
          message: `There is currently another in-progress request using this Idempotent Key (that probably means you submitted twice, and the other request is still going through): ${key}. Please try again later.`,
        });
      }
      return kept.answer;
    },
    keep(key, answer) {
      const kept = keys.get(key);
      if (kept !== undefined) kept.answer = answer;
    },
    release: (key) => {
      keys.delete(key);
    },
  };
}
