/** Whether a customer that exists may become an entity's: a pure decision. Effects are in adopt.ts. */
import { APP_KEY, ENTITY_KEY } from "../../catalogue/carrier.js";
import type { BillingErrorCode } from "../../runtime/errors.js";
import type { Claim } from "../claim/claim.js";

/** What `adopt` takes. */
export interface AdoptArgs {
  readonly entityId: string;
  readonly customerId: string;
}

/** Why a customer is not linked, and what to do. */
export interface Refusal {
  readonly act: "refuse";
  readonly code: BillingErrorCode;
  readonly reason: string;
}

/**
 * `link`: it becomes the entity's. `mark`: it is, and Stripe does not have that yet. `done`: there is
 * nothing left to do.
 */
export type Verdict = { readonly act: "link" | "mark" | "done" } | Refusal;

const refuse = (code: BillingErrorCode, reason: string): Refusal => ({
  act: "refuse",
  code,
  reason,
});

/** What the tables say of a pair. */
export interface Standing {
  /** The entity's claim; undefined where it has none, or its customer is gone. */
  readonly claim: Claim | undefined;
  /** Whether the customer belongs to another entity. */
  readonly isTaken: boolean;
  /** The customer's metadata in the mirror; undefined where the mirror does not have it. */
  readonly metadata: object | undefined;
}

/** The verdict by the tables alone; undefined where Stripe must be asked. */
export function judgeByTables(
  { entityId, customerId }: AdoptArgs,
  { claim, isTaken, metadata }: Standing,
  app: string | undefined,
): Verdict | undefined {
  if (claim?.state === "linked") {
    if (claim.customerId === customerId) {
      const isKnown = metadata !== undefined && ownerIn(metadata, entityId, app) === "ours";
      return isKnown ? { act: "done" } : undefined;
    }
    return refuse(
      "already_linked",
      `The entity ${entityId} has the customer ${claim.customerId} already, so ${customerId} cannot become its own. If that one is wrong, move what it has at Stripe and delete it there; then adopt again.`,
    );
  }
  if (claim !== undefined && claim.state !== "free") {
    return refuse(
      "already_linked",
      `A customer is being made for the entity ${entityId}, so ${customerId} cannot become its own. Adopt customers before \`setup\` or a checkout is called for their entities; \`setup\` says which customer it has come to have.`,
    );
  }
  if (!isTaken) return undefined;
  return refuse(
    "already_linked",
    `The customer ${customerId} belongs to another entity than ${entityId} already. One of the two pairs is wrong.`,
  );
}

/** A customer as Stripe has it, as far as it matters. `elsewhere`: the other mode has it. */
export type Found =
  | { readonly is: "missing" | "elsewhere" | "deleted" }
  | { readonly is: "live"; readonly metadata: { readonly [key: string]: string } };

/** The verdict by what Stripe has. `isLinked`: the tables say that it is the entity's. */
export function judgeByStripe(
  { entityId, customerId }: AdoptArgs,
  found: Found,
  app: string | undefined,
  isLinked: boolean,
): Verdict {
  if (found.is === "elsewhere") {
    return refuse(
      "livemode_mismatch",
      `The customer ${customerId} is of the other mode than the key: a live customer needs a live key and tables with live data, a test customer a test key.`,
    );
  }
  if (found.is !== "live") {
    const what = found.is === "deleted" ? "was deleted" : "does not exist";
    return refuse(
      "customer_not_found",
      `The customer ${customerId} ${what} at Stripe, in the account of the key. Leave this pair out: \`setup\` makes a new customer for ${entityId}.`,
    );
  }
  const owner = ownerIn(found.metadata, entityId, app);
  if (owner === "ours") return { act: isLinked ? "done" : "link" };
  // To edit metadata at Stripe moves no link.
  if (isLinked) return { act: owner === "nothing" ? "mark" : "done" };
  if (owner === "nothing") return hasRoom(found.metadata) ? { act: "link" } : full(customerId);
  const key = owner === "app" ? APP_KEY : ENTITY_KEY;
  const whose = owner === "app" ? "another application" : "another entity";
  return refuse(
    "already_linked",
    `The customer ${customerId} carries ${whose} than that of ${entityId} in its metadata (\`${key}\`). If that is wrong, remove the key at Stripe and adopt again.`,
  );
}

/** Keys of metadata that Stripe takes. */
const MOST_KEYS = 50;

const hasRoom = (metadata: object): boolean =>
  new Set([...Object.keys(metadata), ENTITY_KEY, APP_KEY]).size <= MOST_KEYS;

const full = (customerId: string): Refusal =>
  refuse(
    "invalid_argument",
    `The metadata of the customer ${customerId} has no room for \`${ENTITY_KEY}\` and \`${APP_KEY}\`: Stripe takes ${MOST_KEYS} keys. Remove some there and adopt again.`,
  );

/** Whose a customer is by its metadata: `app` and `entity` name what is not this entity's. */
function ownerIn(
  metadata: object,
  entityId: string,
  app: string | undefined,
): "ours" | "nothing" | "app" | "entity" {
  const name = textAt(metadata, APP_KEY);
  const entity = textAt(metadata, ENTITY_KEY);
  if (name !== undefined && name !== app) return "app";
  if (entity !== undefined && entity !== entityId) return "entity";
  return entity === entityId && name === app ? "ours" : "nothing";
}

function textAt(metadata: object, key: string): unknown {
  const value = Object.hasOwn(metadata, key) ? (metadata as { [key: string]: unknown })[key] : "";
  return value === "" || value === null ? undefined : value;
}
