/**
 * What a subject is: something that keeps a copy of Stripe's data, driven through its own public
 * interface. An adapter translates; it must not help its subject, nor hinder it.
 */
import type Stripe from "stripe";
import type { Facts, Kind } from "./facts.js";
import type { News } from "./hooks.js";

/** What a subject may claim to do. A scenario that needs more than it claims is "not offered". */
export type Ability =
  /** Copies what exists at Stripe on demand. */
  | "backfill"
  /** Finds and mends what webhooks never told: by the event list, or by listing again. */
  | "repair"
  /** Creates the customer of an entity, and remembers whose it is. */
  | "setup"
  /** Lets two entities have the same email. */
  | "shared emails"
  /** Keeps more than one subscription of a customer. */
  | "several subscriptions"
  /** Makes pages on which people subscribe. */
  | "selling"
  /** The same, and has a route of its own on which people come back from them. */
  | "return route"
  /** Sells to an entity for which several people act. */
  | "organisations"
  /** Takes the caller's idempotency key when it makes a page. */
  | "idempotency keys"
  /** Gives a trial to somebody once. */
  | "one trial"
  /** Moves a running subscription to another plan. */
  | "plan changes"
  /** Ends a running subscription with its period. */
  | "cancelling"
  /** Sets how many seats a running subscription has. */
  | "seats"
  /** Creates and mends its own webhook endpoint at Stripe. */
  | "endpoint"
  /** Takes several signing secrets at once. */
  | "several secrets"
  /** Says what it does with events of connected accounts. */
  | "connect"
  /** Keeps to one account and one mode: refuses keys of another, before anything is written. */
  | "one account"
  /** Takes thin events. */
  | "thin events"
  /** Calls the application when a subscription has changed. */
  | "hooks"
  /** And says which of it is a start and an end. */
  | "hooks by name"
  /** Gives the hook a transaction of the database, in which what it writes and that it was told are one. */
  | "hooks in a transaction"
  /** Lets a hook call services and wait for them. */
  | "hooks that wait"
  /** Counts what an entity uses up of what its plan includes, each taking by a key. */
  | "usage"
  /** The same as a part of the application's own transaction. */
  | "usage in a transaction"
  /** Gives units until a time. */
  | "units that end"
  /** Sells units, and takes them back when the payment is refunded. */
  | "packs"
  /** Has Stripe's meters bill what is used. */
  | "billed usage"
  /** Lives in a process that can be killed while its data stays. */
  | "kill"
  /** Keeps its data in a database that can be taken away from it. */
  | "database outage";

/** What there is before a subject is: where Stripe is, and where its data goes. */
export interface Surroundings {
  /** Where the subject is reached. */
  readonly url: string;
  /** Where Stripe listens, for this subject alone. */
  readonly stripe: { readonly host: string; readonly port: number; readonly protocol: "http" };
  readonly secretKey: string;
  readonly account: string;
  /** The application's name, where several share the account; for subjects that take one. */
  readonly app?: string;
  /** An empty database with what `prepare` put there; "" for a subject that needs none. */
  readonly database: string;
  /** What is sold, where the scenario is about usage. */
  readonly shop?: UsageShop;
  /** What the application's hooks call, where the scenario is about hooks; without it there are none. */
  readonly inbox?: string;
}

/** What is sold where units are used up: plans that include some of them, and a pack of more. */
export interface UsageShop {
  readonly small: UsagePlan;
  readonly large: UsagePlan;
  /** Paid once. */
  readonly pack: UsagePlan;
}

export interface UsagePlan {
  readonly price: Stripe.Price;
  readonly units: number;
}

/** Units that somebody uses up, or is given. */
export interface Units {
  readonly entityId: string;
  readonly amount: number;
  /** The id of what is counted. */
  readonly key: string;
}

/** What came of an installation: kept by the harness, as an operator keeps environment variables. */
export interface Installed {
  readonly secrets: readonly string[];
  readonly endpoint: string;
}

export interface Entity {
  readonly entityId: string;
  readonly email?: string;
}

export type Owners = { readonly [customer: string]: string };

/** What somebody wants who clicks. */
export interface Order extends Entity {
  readonly price: Stripe.Price;
  readonly successUrl: string;
  /** Where the subject takes one. */
  readonly idempotencyKey?: string;
  /** A trial of so many days, if the person has not had one. */
  readonly trialDays?: number;
}

/** Where the person is sent; nowhere if it is done, or if there is nothing to do. */
export interface Answer {
  readonly url?: string | undefined;
}

/** One running subject. Every call goes through the subject's own public interface. */
export interface Instance {
  /** Its HTTP routes, as a function. */
  fetch(request: Request): Promise<Response>;
  /** What its tables say now, of one kind, deleted objects left out. */
  rows(kind: Kind): Promise<readonly Facts[]>;
  /** Resolves when the work it does in the background is done. */
  settle(): Promise<void>;
  /** Copies these kinds from Stripe. Answers whether the subject says that it is complete. */
  backfill?(kinds: readonly Kind[]): Promise<boolean>;
  /** Looks for what was missed. Answers whether the subject says that it is complete. */
  repair?(kinds: readonly Kind[]): Promise<boolean>;
  /** The same by Stripe's list of events alone, where the subject reads that. */
  catchUp?(): Promise<boolean>;
  /** What hooks have written in the transaction that they were given. */
  written?(): Promise<readonly News[]>;
  /** The ids of objects that the subject says it could not store. */
  setAside?(): Promise<readonly string[]>;
  /** Answers the id of the entity's customer. */
  setup?(entity: Entity): Promise<string>;
  /** Whose customers its tables say there are: entities by the ids of their customers. */
  owners?(): Promise<Owners>;
  /** Somebody clicks "Subscribe". An error is an answer, too. */
  subscribe?(order: Order): Promise<Answer>;
  /** Somebody who is subscribed chooses another plan. */
  changePlan?(order: Order): Promise<Answer>;
  /** Somebody cancels at the end of the period. */
  cancel?(entity: Entity): Promise<Answer>;
  /** There are so many members now. */
  setSeats?(entity: Entity, seats: number): Promise<Answer>;
  /** The person's browser follows the link on which checkout ended. */
  comeBack?(link: string, entityId: string): Promise<void>;
  /** Takes units, as its documentation says; answers whether they were there. */
  take?(units: Units): Promise<boolean>;
  /** The same in a transaction of the application that is rolled back. */
  takeInVain?(units: Units): Promise<void>;
  /** What an entity can still take. */
  left?(entityId: string): Promise<number>;
  /** Gives units that end so many milliseconds from now. */
  give?(units: Units, lasting: number): Promise<void>;
  /** Somebody buys the pack. */
  buyPack?(order: Order): Promise<Answer>;
  /** Uses units of a kind that Stripe's meters bill, whose event is `calls`. */
  use?(units: Units): Promise<void>;
  /** Makes, or mends, the endpoint at Stripe. */
  endpoint?(): Promise<void>;
  close(): Promise<void>;
}

export interface Subject {
  /** As in `--subject` and in file names. */
  readonly name: string;
  /** As in the table's head. */
  readonly title: string;
  /** How it is run, in one line: its settings and anything a reader must know. */
  readonly how: string;
  readonly version: () => string;
  /** Whether a failure of it fails the run. */
  readonly ours?: true;
  readonly mirrors: readonly Kind[];
  readonly abilities: readonly Ability[];
  /** Scenarios at once; fewer where a subject cannot share its process. */
  readonly concurrency?: number;
  /** For these it keeps state in its process: a scenario that needs one has a process of its own. */
  readonly ownProcessFor?: readonly Ability[];
  /** Why it cannot be run here, if it cannot. */
  unavailable?(): string | undefined;
  /** Makes the tables; once, in a database that is then copied for each scenario. */
  prepare?(database: string): Promise<void>;
  /** Makes the webhook endpoint, as its documentation says; once in a scenario. */
  install(around: Surroundings): Promise<Installed>;
  /** Starts it; again after a kill, or a second time beside the first. */
  start(around: Surroundings, installed: Installed): Promise<Instance>;
}
