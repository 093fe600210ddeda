/**
 * What an application reacts to: its handlers by their names, whatever a handler is on a platform, and
 * what must be stored for them.
 */
import { type ResourceName, resourceNames } from "../../catalogue/catalogue.js";
import type { Occasion } from "../../mirror/changes.js";
import {
  type Listened,
  type ListenedTo,
  type Listening,
  type Needs,
  rawName,
} from "../../mirror/listening.js";
import { BillingError } from "../../runtime/errors.js";
import type { EventName } from "../event.js";
import { eventNames, eventOrigins } from "../names.js";

/** The setting `on`, as far as all platforms have it in common. */
export type Handled<H> = { readonly [N in EventName]?: H | undefined } & {
  /** Rows as they change, whether or not an entity owns them. */
  readonly change?: { readonly [R in ResourceName]?: H | undefined } | undefined;
  /** Events of Stripe's that nothing in the mirror comes from, by their types. */
  readonly stripe?: { readonly [type: string]: H | undefined } | undefined;
};

/**
 * By name: an event's, or `change` and a resource, or `stripe` and a type. Under these names the
 * processes of an application tell each other what they react to.
 */
export type Handlers<H> = ReadonlyMap<string, H>;

export const changeName = (resource: ResourceName): string => `change ${resource}`;

/** What is checked: whether something is mirrored. */
interface Mirrored {
  readonly resources: readonly ResourceName[];
  /** The types of events that the mirror is fed by. */
  readonly effects: { has(type: never): boolean };
}

/** The handlers of the setting `on`. Refuses what could never be told. */
export function handlersIn<H>(on: Handled<H> | undefined, mirrored: Mirrored): Handlers<H> {
  const { change = {}, stripe = {}, ...events } = on ?? {};
  const handlers = new Map<string, H>();
  const add = (name: string, handler: H | undefined, check: () => void): void => {
    if (handler === undefined) return;
    check();
    handlers.set(name, handler);
  };
  for (const [name, handler] of Object.entries(events) as [EventName, H | undefined][]) {
    add(name, handler, () => checkEvent(name, mirrored));
  }
  for (const [name, handler] of Object.entries(change) as [ResourceName, H | undefined][]) {
    add(changeName(name), handler, () => checkMirrored("on.change", name, [name], mirrored));
  }
  for (const [type, handler] of Object.entries(stripe)) {
    add(rawName(type), handler, () => checkRaw(type, mirrored));
  }
  return handlers;
}

function checkEvent(name: EventName, mirrored: Mirrored): void {
  if (!eventNames.includes(name)) {
    throw invalid(`\`on\` names ${name}, which is no event: ${eventNames.join(", ")}`);
  }
  checkMirrored("on", name, eventOrigins[name].needs, mirrored);
}

function checkMirrored(
  setting: string,
  name: string,
  needs: readonly ResourceName[],
  { resources }: Mirrored,
): void {
  const missing = needs.filter((each) => !resources.includes(each));
  if (missing.length === 0) return;
  const unknown = missing.find((each) => !resourceNames.includes(each));
  throw invalid(
    unknown === undefined
      ? `\`${setting}\` names ${name}, which comes from ${missing.join(" and ")}: name that in \`resources\`, too`
      : `\`${setting}\` names ${name}, which is not in the catalogue: ${resourceNames.join(", ")}`,
  );
}

function checkRaw(type: string, { effects }: Mirrored): void {
  // A thin event of such a type feeds the mirror, too.
  if (!effects.has(type.replace(/^v1\./, "") as never)) return;
  throw invalid(
    `\`on.stripe\` names ${type}, which the mirror is fed by: it may come twice, and late. Use a named event, or \`on.change\` for the row`,
  );
}

const invalid = (message: string): BillingError => new BillingError("invalid_config", message);

/** The events that tell of what a customer has when it is linked. */
const OF_PRESENT = /^(subscription|access|trial)\.|^customer\.linked$/;

/**
 * What the names need to be stored; with `initial` also what the first listings find. Of customers a named
 * event needs only that they come and go: what an entity has does not depend on what is in them.
 */
export function needsOf(names: Iterable<string>, initial = false): Needs {
  const all: Listened = initial ? "everything" : "changes";
  const needed = (name: string, source: ListenedTo): Listened =>
    source === "customers" && name !== changeName("customers") ? "existence" : all;
  return Object.fromEntries(
    [...names].map((name): [string, Listening] => [
      name,
      Object.fromEntries(sourcesOf(name).map((source) => [source, needed(name, source)])),
    ]),
  );
}

function sourcesOf(name: string): readonly ListenedTo[] {
  const [kind, what = ""] = name.split(" ");
  if (kind === "change") return [what as ResourceName];
  if (kind === "stripe") return [];
  const { raisedBy } = eventOrigins[name as EventName];
  return OF_PRESENT.test(name) ? [...raisedBy, "link"] : raisedBy;
}

/** What a process can tell that has handlers of these names, as changes are called. */
export function occasionsOf(names: ReadonlySet<string>): readonly Occasion[] {
  const all = new Set<Occasion>([...names].flatMap(sourcesOf));
  for (const name of names) {
    if (name.startsWith("access.")) all.add("access");
    if (name === "trial.ending") all.add("trial");
    if (name.startsWith("stripe ")) all.add("event");
  }
  return [...all];
}
