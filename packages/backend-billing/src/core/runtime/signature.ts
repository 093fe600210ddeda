/**
 * Signatures of what the library gives away and takes back: return links, quotes. Every configured secret signs, and any of them verifies, so
 * that what was signed survives the roll of any one of them. See decision 0013.
 */
import { type BillingConfig, givenSecrets, isLive, secretKey } from "./config.js";

/** What is signed: what was signed for one purpose is nothing for another. */
export type Purpose = "return link" | "quote";

/** More parts than this no signature of ours has. */
const MOST = 8;
const ALGORITHM = { name: "HMAC", hash: "SHA-256" };
const encoder = new TextEncoder();

/** The signature of a message: one part for each secret, the API key's first. */
export async function signatureOf(
  config: BillingConfig,
  purpose: Purpose,
  message: string,
): Promise<string> {
  const keys = await signingKeys(config, purpose);
  const macs = keys
    .slice(0, MOST)
    .map(async (key) => crypto.subtle.sign(ALGORITHM.name, key, encoder.encode(message)));
  return (await Promise.all(macs)).map((mac) => toBase64Url(new Uint8Array(mac))).join(".");
}

/** Whether one of the secrets that are configured now made any part of the signature. */
export async function isSignedBy(
  config: BillingConfig,
  purpose: Purpose,
  message: string,
  signature: string,
): Promise<boolean> {
  const parts = signature.split(".", MOST).flatMap((part) => fromBase64Url(part) ?? []);
  for (const key of await signingKeys(config, purpose)) {
    for (const mac of parts) {
      if (await crypto.subtle.verify(ALGORITHM.name, key, mac, encoder.encode(message)))
        return true;
    }
  }
  return false;
}

/** Keys for this purpose alone, one from each secret. What one mode signs is nothing in the other. */
async function signingKeys(config: BillingConfig, purpose: Purpose): Promise<CryptoKey[]> {
  const salt = `backend-billing ${purpose}, ${isLive(config) ? "live" : "test"}`;
  const secrets = new Set([secretKey(config), ...givenSecrets(config)]);
  return Promise.all(
    [...secrets].map(async (secret) => {
      const root = await crypto.subtle.importKey("raw", encoder.encode(secret), ALGORITHM, false, [
        "sign",
      ]);
      const derived = await crypto.subtle.sign(ALGORITHM.name, root, encoder.encode(salt));
      return crypto.subtle.importKey("raw", derived, ALGORITHM, false, ["sign", "verify"]);
    }),
  );
}

export function toBase64Url(bytes: Uint8Array): string {
  const text = btoa(String.fromCharCode(...bytes));
  return text.replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

export function fromBase64Url(text: string): Uint8Array<ArrayBuffer> | undefined {
  if (!/^[\w-]+$/.test(text)) return undefined;
  try {
    return Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (c) =>
      c.charCodeAt(0),
    );
  } catch {
    return undefined;
  }
}
