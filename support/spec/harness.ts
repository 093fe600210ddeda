/**
 * What a platform shows to the specification's tests: an application as our users have it, with
 * both variants over one table set, its own tables, its own public functions, and a Stripe of its
 * own. It names no platform, so that every platform runs the same rules.
 */
import type Stripe from "stripe";
import type {
  ResourceName,
  Row,
} from "../../packages/backend-billing/src/core/catalogue/catalogue.js";
import type { SetupArgs } from "../../packages/backend-billing/src/core/customers/setup.js";
import type { Link } from "../../packages/backend-billing/src/core/links/page.js";
import type {
  CheckoutArgs,
  PayParams,
  SubscribeParams,
} from "../../packages/backend-billing/src/core/links/params.js";
import type { PortalParams } from "../../packages/backend-billing/src/core/links/portal.js";
import type { Plan } from "../../packages/backend-billing/src/core/mirror/store.js";
import type { SyncReport } from "../../packages/backend-billing/src/core/runtime/reports.js";
import type { SyncArgs } from "../../packages/backend-billing/src/core/sync/sync.js";
import type { StripeDouble } from "../../packages/backend-billing/src/testing/index.js";
import type { RuleId } from "./catalogue.js";
import type { Schedule } from "./schedule.js";

export type VariantName = "A" | "B";

/** The environment variables that an application reads its two secrets from. */
export interface Environment {
  readonly STRIPE_SECRET_KEY: string | undefined;
  readonly STRIPE_WEBHOOK_SECRET: string | undefined;
}

export interface OpenOptions {
  /** Whose routes and public functions the application serves. Default `"B"`. */
  readonly variant?: VariantName;
  /**
   * Whether the webhook endpoint was made by `sync` and its secret put into the environment.
   * Default true.
   */
  readonly installed?: boolean;
  /** See the double's option. Default `"auto"`. */
  readonly delivery?: "auto" | "held";
  /** Exports that the application's file leaves out. Default none. */
  readonly missing?: readonly string[];
}

/** What both variants have, called from inside the backend. */
export interface Common {
  setup(args: SetupArgs): Promise<{ customerId: string }>;
  sync(args?: SyncArgs): Promise<SyncReport>;
  reconcile(): Promise<unknown>;
}

/** Variant A. Its client functions get a context from the platform, in front of what is here. */
export interface VariantA extends Common {
  subscribe(params: SubscribeParams, options?: Stripe.RequestOptions): Promise<Link>;
  pay(params: PayParams, options?: Stripe.RequestOptions): Promise<Link>;
  portal(params: PortalParams, options?: Stripe.RequestOptions): Promise<Link>;
}

/** Variant B, whose actions take one object each. */
export interface VariantB extends Common {
  checkout(args: CheckoutArgs): Promise<Link>;
  /** What follows the argument object is passed on to the library as it is. */
  portal(
    args: Pick<PortalParams, "entityId" | "returnUrl">,
    ...more: readonly unknown[]
  ): Promise<Link>;
}

export interface FieldShape {
  readonly type: "string" | "number" | "object";
  /** Undefined where the schema takes anything, null or not: then only the rows can tell. */
  readonly nullable: boolean | undefined;
}

export interface TableShape {
  readonly fields: { readonly [field: string]: FieldShape };
  /** By the specification's name: the field or the path inside `stripe` that it covers. */
  readonly indexes: { readonly [name: string]: string };
}

/** The application's HTTP router after `addHttpRoutes`. */
export interface SpecRouter {
  /** Such as `POST /stripe/webhook`. */
  readonly routes: readonly string[];
  fetch(request: Request): Promise<Response>;
}

/** The jobs that `addCronJobs` registers, whatever they are called on a platform. */
export type CronJob = "catch-up" | "reconcile";

export interface SpecApp {
  readonly double: StripeDouble;
  /** The real SDK on the double, for what the merchant does at Stripe. */
  readonly stripe: Stripe;
  /** Where the application is reached, over real HTTP. */
  readonly baseUrl: string;
  readonly env: Environment;
  /** What the library logged as an error, a line each. */
  readonly log: readonly string[];
  readonly a: VariantA;
  readonly b: VariantB;
  /** The names that initialization returns, and those of the client's functions, sorted. */
  readonly exports: {
    readonly [V in VariantName]: {
      readonly names: readonly string[];
      readonly client: readonly string[];
    };
  };
  /** What reads the mirror for the application. */
  readonly reads: {
    plans(): Promise<readonly Plan[]>;
    customerOf(entityId: string): Promise<Row<"customers"> | undefined>;
    activeSubscriptionsOf(entityId: string): Promise<readonly Row<"subscriptions">[]>;
  };

  /** Deploys the application again with other environment variables. */
  deploy(env: Partial<Environment>): Promise<void>;
  /** A table of the mirror, read as the application reads its own tables. */
  rows<N extends ResourceName>(resource: N): Promise<Row<N>[]>;
  /** The mirror's tables as they are in the application's database. */
  tables(): Promise<{ readonly [table: string]: TableShape }>;
  /** The names of all tables in the schema into which the library's were spread. */
  schemaTables(): Promise<readonly string[]>;
  /** A fresh router on which this variant's `addHttpRoutes` was called. */
  router(variant: VariantName): SpecRouter;

  /** The application makes a user, and its callback schedules `setup` with no delay. */
  createUser(user: { readonly id: string; readonly email?: string }): Promise<void>;
  /** The application's public function around checkout: a caller may buy only for himself. */
  buy(caller: string, entityId: string, priceId: string): Promise<Link | "forbidden">;
  /**
   * Calls a function of the library from outside the backend, every way there is. Only a call that
   * never reached the function was refused; one that the function failed at was not.
   */
  callFromOutside(name: string, args: object): Promise<"refused" | "answered">;

  /** Calls variant B's `addCronJobs`; resolves once what its jobs do at the start is done. */
  startCrons(): Promise<void>;
  /** When the job that was registered runs. */
  schedule(job: CronJob): Promise<Schedule>;
  /** Lets the time of a job come that was registered; resolves once what it began is done. */
  nextCron(job: CronJob): Promise<void>;
  /** Resolves once what is due was delivered and the background has nothing left to do. */
  settle(): Promise<void>;
}

export interface SpecPlatform {
  readonly name: string;
  open(options?: OpenOptions): Promise<SpecApp & { close(): Promise<void> }>;
  close?(): Promise<void>;
}

/** Opens an application that is closed when the test is over. */
export type Open = (options?: OpenOptions) => Promise<SpecApp>;

/** The test of one rule. */
export type Check = (open: Open) => Promise<void>;

/** The tests of the rules whose ids begin so: one for each, and no other. */
export type Checks<Prefix extends string> = {
  readonly [rule in Extract<RuleId, `${Prefix}${string}`>]: Check;
};
