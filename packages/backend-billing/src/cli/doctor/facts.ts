/** What `doctor` knows when it judges. Gathered at the edge, judged by `diagnose`; no secrets in it. */
import type Stripe from "stripe";
import type { Marks } from "../../core/customers/marks.js";
import type { ErasureFacts } from "../../core/erase/report.js";
import type { SetAsideReport } from "../../core/runtime/reports.js";
import type { Access } from "../../postgres/schema/access.js";
import type { ReactionFacts } from "../reactions.js";
import type { UsageFacts } from "../usage.js";
import type { Place } from "./commands.js";

export interface Facts extends Place {
  /** The application's name, as it is given here. */
  readonly app?: string;
  readonly key: KeyFacts;
  readonly secret: "missing" | "malformed" | "given";
  readonly address: AddressFacts;
  /** Absent when there is no key to ask with. */
  readonly stripe?: StripeFacts;
  /** Absent on a platform whose database is not reached from outside. */
  readonly database?: DatabaseFacts;
  /** Absent without an address or a secret. */
  readonly webhook?: WebhookFacts;
}

export type KeyFacts =
  | { readonly state: "missing" }
  | { readonly state: "malformed"; readonly kind: string }
  | { readonly state: "given"; readonly live: boolean; readonly restricted: boolean };

export type AddressFacts =
  | { readonly state: "missing" }
  | { readonly state: "malformed"; readonly url: string; readonly reason: string }
  | {
      readonly state: "given";
      readonly base: string;
      /** Where Stripe posts to. */
      readonly webhook: string;
      /** Whether Stripe can get there from where it is. */
      readonly reachable: boolean;
    };

export type StripeFacts =
  | { readonly state: "unreachable"; readonly reason: string }
  | { readonly state: "refused"; readonly reason: string }
  | {
      readonly state: "answers";
      readonly account?: string;
      /** Milliseconds that this machine's clock is ahead of Stripe's, as far as it is certain. */
      readonly ahead: number;
      /** The API version that the installed package pins. */
      readonly version: string;
      /** The events that the mirrored resources depend on. */
      readonly events: readonly string[];
      readonly denied: readonly Denied[];
      /** Undefined where the key may not look. */
      readonly endpoints?: readonly Endpoint[];
      readonly portals?: readonly Portal[];
      readonly undelivered?: { readonly count: number; readonly seen: number };
    };

/** Something a restricted key may not do. */
export interface Denied {
  /** By every application, by those that change subscriptions, or only to set it up. */
  readonly needed: "always" | "changes" | "setup";
  readonly action: string;
  readonly access: "Read" | "Write";
  /** As the key's page calls it. */
  readonly resource: string;
  /** As Stripe's refusal calls it. */
  readonly permission: string;
  /** Where a key with what is needed is made. */
  readonly link: string;
}

export interface Endpoint {
  readonly id: string;
  readonly url: string;
  readonly enabled: boolean;
  readonly version: string | null;
  readonly events: readonly string[];
}

export interface Portal {
  readonly id: string;
  readonly isDefault: boolean;
  /** What it lets people do, if the library made it. */
  readonly features?: Stripe.BillingPortal.Configuration["features"];
}

export type DatabaseFacts =
  | { readonly state: "missing" }
  /** No schema was given, and `public` holds tables of ours. */
  | { readonly state: "undecided" }
  | { readonly state: "unreachable"; readonly reason: string }
  | {
      readonly state: "answers";
      readonly schema: string;
      /** Milliseconds that the database's clock is ahead of this machine's, as far as it is certain. */
      readonly ahead: number;
      readonly tables: TableFacts;
      readonly access: AccessFacts;
      /** Undefined while the tables are not there to be read. */
      readonly stored?: StoredFacts;
    };

export type TableFacts =
  | {
      readonly owner: "migrate";
      readonly pending: readonly string[];
      readonly unknown: readonly string[];
    }
  | { readonly owner: "drizzle-kit"; readonly missing: readonly string[] };

/** Who can do what with the tables. */
export interface AccessFacts {
  /** The role that asked. */
  readonly role: string;
  /** Empty while there are no tables. */
  readonly access: readonly Access[];
}

/** What the record of the portal says, and the tables of its plans. */
export interface PortalMade {
  readonly options?: string;
  readonly offersPlans: boolean;
  /** Prices that it offers and that are not for sale any more. */
  readonly notSold: readonly string[];
}

/** What the tables remember. */
export interface StoredFacts {
  readonly live?: boolean;
  readonly account?: string;
  /** The application that the tables are of. */
  readonly app?: string;
  /** What customers carry, judged by the name that is given here. */
  readonly marks: Marks;
  readonly portal?: string;
  /** How `sync` made it, if it did. */
  readonly portalMade?: PortalMade;
  /** By endpoint, whether one of the secrets given here is its own. */
  readonly secretFits: { readonly [endpoint: string]: boolean };
  /** Whether everything at Stripe was copied once. */
  readonly copied: boolean;
  readonly setAside: SetAsideReport;
  readonly reactions: Pick<ReactionFacts, "parked" | "oldest">;
  readonly usage: Pick<UsageFacts, "reported" | "uncounted">;
  readonly erasures: Pick<ErasureFacts, "failing" | "reason">;
  /** The types of events that handlers take as they come. */
  readonly taken: readonly string[];
}

/** What the application's own route said to an event that means nothing. */
export interface WebhookFacts {
  /** Signed as Stripe would. */
  readonly signed: Answer;
  /** Signed with another secret. */
  readonly forged: Answer;
}

export type Answer =
  | { readonly state: "failed"; readonly reason: string }
  | {
      readonly state: "answered";
      readonly status: number;
      /** Of the library's own answers. */
      readonly code?: string;
      readonly message?: string;
      readonly received?: string;
    };
