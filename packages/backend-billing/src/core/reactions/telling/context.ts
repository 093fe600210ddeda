/** What the delivery of a change goes by, and what comes of it, as types. */
import type { ResourceName, StripeObject } from "../../catalogue/catalogue.js";
import type { LocalReads, RecordRequest, RecordWrite, Store } from "../../mirror/store.js";
import type { AnyCatalogue } from "../../plans/catalogue.js";

/** What is read at a delivery. */
export interface ReactionReads
  extends Pick<LocalReads, "subscribed" | "purchased">,
    Pick<Store, "row" | "record" | "recordsOf"> {
  /** Payments of a customer to which a bank has not answered yet; none where they are not mirrored. */
  processing(customerId: string): Promise<readonly StripeObject<"payment_intents">[]>;
}

export interface TellingContext {
  readonly reads: ReactionReads;
  /** What any process of the application has handlers for. */
  readonly names: ReadonlySet<string>;
  readonly resources: readonly ResourceName[];
  readonly catalogue?: AnyCatalogue | undefined;
}

/** One thing to tell, to one handler. */
export interface Telling {
  /** Under this name it is remembered as told. */
  readonly name: string;
  /** The name of the handler. */
  readonly to: string;
  readonly payload: object;
  /** Stored with the mark that it was told. */
  readonly writes?: readonly RecordWrite[];
}

/** What is stored with the mark that the last was told, or before where one failed. */
export interface Follows {
  readonly writes: readonly RecordWrite[];
  readonly requests: readonly RecordRequest[];
}

export interface Tellings extends Follows {
  /** In the order in which they are told. */
  readonly all: readonly Telling[];
}
