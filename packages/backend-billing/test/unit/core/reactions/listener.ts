// A listener of a subscription's events: it refuses an event that cannot follow what it was told
// before, and knows what a content of the row must leave it with.
import { namedEvents } from "../../../../src/core/reactions/named.js";

export type Content = { readonly [field: string]: unknown } | null;

/** What has been told, as a listener would keep it. */
interface Told {
  runs: boolean;
  canceling: boolean;
  past_due: boolean;
  paused: boolean;
}
type Property = Exclude<keyof Told, "runs">;

const nothing = (): Told => ({ runs: false, canceling: false, past_due: false, paused: false });

const COMES: { readonly [event: string]: Property } = {
  "subscription.canceling": "canceling",
  "subscription.past_due": "past_due",
  "subscription.paused": "paused",
};
const GOES: { readonly [event: string]: Property } = {
  "subscription.kept": "canceling",
  "subscription.recovered": "past_due",
  "subscription.resumed": "paused",
};
export const SALES = ["subscription.changed", "subscription.resized"];

/** Believes an event; throws if it cannot follow what was told before. */
function believe(told: Told, event: string): void {
  const impossible = new Error(`${event} after ${JSON.stringify(told)}`);
  if (event === "subscription.started") {
    if (told.runs) throw impossible;
    told.runs = true;
    return;
  }
  if (!told.runs) throw impossible;
  if (event === "subscription.ended") Object.assign(told, nothing());
  else if (!SALES.includes(event)) {
    const property = COMES[event] ?? GOES[event];
    if (property === undefined || told[property] === event in COMES) throw impossible;
    told[property] = event in COMES;
  }
}

/** What is, said in another way than the library does. */
export function standing(content: Content): Told {
  switch (content?.status) {
    case "trialing":
    case "active":
      return { ...flags(content), runs: true, past_due: false };
    case "past_due":
    case "unpaid":
      return { ...flags(content), runs: true, past_due: true };
    case "paused": {
      const past_due = content.status_details !== null;
      return { ...flags(content), runs: true, paused: true, past_due };
    }
    default:
      return nothing();
  }
}
const flags = (content: NonNullable<Content>) => ({
  canceling: content.cancel_at !== null || content.cancel_at_period_end === true,
  paused: content.pause_collection !== null,
});

/** Tells of the contents one after the other; throws where what was told is not what is. */
export function follow(contents: readonly Content[]): readonly string[] {
  const told = nothing();
  const all: string[] = [];
  let before: Content = null;
  for (const after of contents) {
    const events = namedEvents("subscriptions", before, after);
    for (const event of events) believe(told, event);
    const sales = events.filter((event) => SALES.includes(event)).length;
    const isAlone = events.length === 1 || !events.includes("subscription.ended");
    if (sales > 1 || !isAlone || !isSame(told, standing(after))) {
      throw new Error(`${events.join()} between ${JSON.stringify([before, after])}`);
    }
    all.push(...events);
    before = after;
  }
  return all;
}

const isSame = (a: Told, b: Told): boolean =>
  (Object.keys(a) as (keyof Told)[]).every((key) => a[key] === b[key]);
