/**
 * Stripe's truth: the objects, and the events that their changes raised, or did not. It knows nothing
 * of deliveries, and nothing of us.
 */
import { bodyOf, type Content, fullBody, shown, writtenIn } from "./contents.js";
import type { ChangePlan, EventPlan, History } from "./history.js";
import { carriedBy, type Traits, traitsOf } from "./traits.js";
import { createWorld, type ModelObject, type World } from "./world.js";

export const START = Date.UTC(2026, 0, 15, 10);
const HOUR = 3_600_000;

export interface ModelEvent {
  readonly name: string;
  /** As Stripe would post it. */
  readonly body: object;
  /** As the list of events has it: never thin. */
  readonly listed: { readonly id: string; readonly type: string; readonly created: number };
  readonly raisedAt: number;
  readonly plan: EventPlan;
  /** Nobody will ever deliver it: a later hint makes up for it. */
  readonly isLost: boolean;
  /** For readers of a trace. */
  readonly title: string;
}

export interface Model
  extends Pick<World, "objects" | "at" | "versionAt" | "versions" | "isHidden"> {
  readonly played: ReadonlySet<string>;
  readonly events: readonly ModelEvent[];
  /** When the last change happened. */
  readonly end: number;
  /** Whether something was there before the first event. */
  readonly needsListing: boolean;
  /** The customer that others name. */
  readonly customer: string;
  /** What changed without an event since the mirror began: it is right once it was listed again. */
  readonly untold: ReadonlySet<string>;
  /** Whether it can have come to us, by an event or a list. */
  isKnowable(object: ModelObject): boolean;
}

export function createModel(history: History): Model {
  const world = createWorld(history);
  const { planned, played, at, versionAt } = world;
  const events: ModelEvent[] = [];
  const untold = new Set<string>();
  const mentioned = new Set<string>();
  const customer = world.idOf("customers");
  let needsListing = false;

  function raise(
    object: ModelObject,
    type: string,
    raisedAt: number,
    plan: EventPlan,
    isLost = false,
    payload?: Partial<Content>,
  ): void {
    const rendered = at(object.id, raisedAt + plan.late) ?? at(object.id, raisedAt);
    const before = world.versions(object.id).findLast(({ content }) => content !== null)?.content;
    const whole = rendered ?? before ?? { id: object.id };
    const name = `e${events.length + 1}`;
    const created = Math.floor((raisedAt + plan.skew) / 1000);
    const content = payload ?? shown(object.resource, whole);
    const told = { id: `evt_${name}`, type, created, content };
    const comes = raisedAt >= START || plan.sent.length > 0 || !history.fillsFirst;
    if (!isLost && comes) mentioned.add(object.id);
    events.push({
      name,
      raisedAt,
      plan,
      isLost,
      title: `${type} of ${object.id} (created ${created - START / 1000}${formOf(plan)})`,
      body: bodyOf(told, plan.form),
      listed: fullBody(told, plan.form !== "full"),
    });
  }

  planned.forEach((object, index) => {
    const { before = "nothing" } = history.objects[index] ?? {};
    if (before === "nothing") return;
    needsListing = true;
    world.ensureOwner(object, START - HOUR);
    if (versionAt(object.id, START - HOUR) !== undefined) return;
    world.put(object, START - HOUR, { value: 0, items: 0, born: START - HOUR, isEnded: false });
  });
  planned.forEach((object, index) => {
    if (history.objects[index]?.before === "made and deleted") world.end(object, START - HOUR / 2);
  });
  for (const { object: index, event } of history.strays) {
    const object = planned[index % planned.length]!;
    const { changed, created } = traitsOf(object.resource);
    const type = changed[0] ?? created;
    if (type === undefined || at(object.id, START - HOUR) === undefined) continue;
    raise(object, type, START - HOUR, event);
  }

  /**
   * A hint that names only the customer has its subscriptions listed, unless one of them is read:
   * it can be relied on where there is only one, and where lists do not lag.
   */
  const customersAreRead =
    planned.filter(({ resource }) => resource === "subscriptions").length === 1 &&
    history.lags.every((lag) => lag === 0);

  /** Changes whose events may be lost for good, because a hint comes with them or later. */
  const isMadeUpFor = (index: number, object: ModelObject): boolean =>
    history.trustsHints &&
    object.resource === "subscriptions" &&
    history.changes.some(
      (change, later) =>
        later >= index &&
        planned[change.object % planned.length] === object &&
        change.hint !== null &&
        change.hint.form !== "thin" && // which says nothing of the subscription
        (change.hint.names === "subscription" || customersAreRead),
    );

  /** Where Stripe is silent about some changes it may be so about this one. */
  function isSilent({ resource, id }: ModelObject, now: number, nth: number): boolean {
    const { entry, toldOfOwned } = traitsOf(resource);
    if (entry.silent === undefined || !world.oddityAt(nth).untold) return false;
    return !toldOfOwned || versionAt(id, now)?.owner === null;
  }

  function tell(
    object: ModelObject,
    what: "created" | "changed" | "ended",
    now: number,
    change: ChangePlan,
    nth: number,
  ): void {
    const traits = traitsOf(object.resource);
    const type = typeOf(traits, what, nth);
    const lists = traits.relistedBy;
    if ((type === undefined && lists.length === 0) || isSilent(object, now, nth)) {
      untold.add(object.id);
      played.add(at(object.id, now) ? "changed, untold" : "gone, untold");
      return;
    }
    if (what === "ended") played.add(traits.ended === undefined ? "deleted" : "ended, and there");
    change.events.forEach((plan, twin) => {
      const isLost = isMadeUpFor(nth, object) && plan.sent.length === 0;
      const told = twin > 0 && what === "created" ? traits.changed[0] : type;
      if (told !== undefined) raise(object, told, now, plan, isLost);
      else if (type === undefined) tellByList(object, lists[nth % lists.length]!, now, plan);
    });
  }

  /** That something in the list of its owner changed is all that is told; a thin event tells less. */
  function tellByList(object: ModelObject, type: string, now: number, plan: EventPlan): void {
    const owner = versionAt(object.id, now)?.owner;
    const full = plan.form === "thin" ? { ...plan, form: "full" as const } : plan;
    const field = traitsOf(traitsOf(object.resource).owner!).entry.object;
    const told = { object: "summary", [field]: owner, livemode: false };
    raise(object, type, now, full, false, told);
    played.add("told by its owner's list");
  }

  /** A change of which only the event of another object tells. */
  function tellByOther(object: ModelObject, now: number, hint: EventPlan, nth: number): void {
    const { events: types, field } = traitsOf(object.resource).touchedBy!;
    const type = types[nth % types.length]!;
    const id = `other_${nth}_of_${object.id}`;
    const carried = world.add(carriedBy(type)!, id, now, { [field]: object.id });
    raise(object, type, now, hint, false, carried);
    played.add("told by another object");
    if (hint.form === "thin") untold.add(object.id); // which names its own object alone
  }

  function hintAt(object: ModelObject, now: number, hint: NonNullable<ChangePlan["hint"]>): void {
    const details = { subscription_details: { subscription: object.id } };
    const [type, fields] =
      hint.names === "subscription"
        ? ["invoice.paid", { customer, parent: { type: "subscription_details", ...details } }]
        : ["payment_intent.succeeded", { customer }];
    const resource = carriedBy(type)!;
    const carried = world.add(resource, `${resource}_of_${object.id}`, now, fields);
    raise(object, type, now, hint, false, carried);
  }

  let now = START + 5_000;
  history.changes.forEach((change, nth) => {
    now += change.after;
    const object = planned[change.object % planned.length]!;
    const traits = traitsOf(object.resource);
    const was = versionAt(object.id, now);
    if (was?.content === null && traits.entry.idsReturn !== true) return;
    const { value, items, hint } = change;
    if (!was?.content) {
      const owner = world.ensureOwner(object, now);
      if (owner !== undefined) tell(owner, "created", now, change, nth);
      if (world.isOrphan(object, now)) return;
      world.put(object, now, { value, items, born: now, isEnded: false });
      tell(object, "created", now, change, nth);
      if (was !== undefined) played.add("an id that returned");
    } else if (change.ends && !was.isEnded) {
      for (const each of world.end(object, now)) tell(each, "ended", now, change, nth);
    } else {
      if (!traits.changes) return;
      const before = writtenIn(was.content);
      const next = before !== value ? value : value === 0 ? 1 : 0;
      world.put(object, now, { value: next, items, born: was.born, isEnded: was.isEnded });
      if (traits.touchedBy !== undefined && hint !== null) tellByOther(object, now, hint, nth);
      else tell(object, "changed", now, change, nth);
    }
    if (object.resource === "subscriptions" && hint !== null) hintAt(object, now, hint);
  });
  for (const object of planned) if (world.isHidden(object, now)) played.add("hidden from lists");

  const isKnowable = (object: ModelObject): boolean => {
    if (mentioned.has(object.id)) return true;
    if (world.isHidden(object, now)) return false;
    const { owner, listsWithoutOwner } = traitsOf(object.resource);
    if (owner === undefined) return true;
    const whose = versionAt(object.id, now)?.owner ?? null;
    if (whose === null) return listsWithoutOwner;
    const found = planned.find(({ id }) => id === whose);
    return found !== undefined && !world.isHidden(found, now) && Boolean(at(whose, now));
  };

  return { ...world, events, end: now, needsListing, customer, untold, isKnowable };
}

/** The type of the event that tells of it; undefined if there is none. */
function typeOf(
  { created, changed, deleted, ended }: Traits,
  what: "created" | "changed" | "ended",
  nth: number,
): string | undefined {
  if (what === "created") return created;
  return what === "changed" ? changed[nth % changed.length] : (deleted ?? ended);
}

const formOf = ({ form }: EventPlan) => (form === "full" ? "" : `, ${form}`);
