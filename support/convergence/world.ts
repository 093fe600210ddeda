/**
 * The objects that Stripe has and what each was at any moment, finer than a second. It knows of no
 * events; model.ts has those.
 */
import type { ResourceName } from "../../packages/backend-billing/src/core/catalogue/catalogue.js";
import { type Content, contentOf, innerOf, writtenIn } from "./contents.js";
import type { History, Oddity } from "./history.js";
import type { Trait } from "./played.js";
import { type Traits, traitsOf } from "./traits.js";

export interface ModelObject {
  readonly resource: ResourceName;
  readonly id: string;
  readonly oddity: Omit<Oddity, "untold">;
}

/** What an object was from a moment on. */
export interface Version {
  readonly from: number;
  /** Null once it is deleted. */
  readonly content: Content | null;
  readonly born: number;
  readonly isEnded: boolean;
  /** Of what is listed for each of its owners: whose it is. */
  readonly owner: string | null;
}

interface State {
  readonly value: number;
  readonly items: number;
  readonly born: number;
  readonly isEnded: boolean;
}

export interface World {
  /** Those that the history is about; what their events bring along comes after them. */
  readonly planned: readonly ModelObject[];
  readonly objects: readonly ModelObject[];
  readonly played: Set<Trait>;
  oddityAt(index: number): Oddity;
  /** The first object of a resource, which others name; some name if there is none. */
  idOf(resource: ResourceName): string;
  versionAt(id: string, moment: number): Version | undefined;
  /** The object at a moment: null if it is deleted, undefined if it never was. */
  at(id: string, moment: number): Content | null | undefined;
  versions(id: string): readonly Version[];
  /** The object is so from a moment on. */
  put(object: ModelObject, from: number, state: State, fields?: object): void;
  /** Another object, made now. It is one of the world's if such objects are mirrored. */
  add(resource: ResourceName, id: string, now: number, fields: object): Content;
  /** Makes the owner of an object if it is not there yet, and answers it then. */
  ensureOwner(object: ModelObject, now: number): ModelObject | undefined;
  /** Whether it must have an owner and cannot, because that one is gone. */
  isOrphan(object: ModelObject, now: number): boolean;
  /** What came to its end with an object, itself last: all that is gone or canceled now. */
  end(object: ModelObject, now: number): readonly ModelObject[];
  /** Whether lists hide it at a moment: all of them, but for those of one customer. */
  isHidden(object: ModelObject, moment: number): boolean;
}

const NOTHING_ODD: ModelObject["oddity"] = { hidden: "never", unowned: false };

export function createWorld(history: History): World {
  const oddityAt = (index: number): Oddity => history.oddities[index % history.oddities.length]!;
  const planned = plannedObjects(history, oddityAt);
  const objects = [...planned];
  const mirrored = new Set(planned.map(({ resource }) => resource));
  const versions = new Map<string, Version[]>(objects.map(({ id }) => [id, []]));
  const played = new Set<Trait>();

  const firstOf = (name: ResourceName | undefined) =>
    planned.find(({ resource }) => resource === name);
  const idOf = (resource: ResourceName) => firstOf(resource)?.id ?? `${resource}_of_nobody`;
  const versionAt = (id: string, moment: number): Version | undefined => {
    let found: Version | undefined;
    for (const version of versions.get(id) ?? []) if (version.from <= moment) found = version;
    return found;
  };
  const at = (id: string, moment: number) => versionAt(id, moment)?.content;

  function put({ resource, id, oddity }: ModelObject, from: number, state: State, fields = {}) {
    const traits = traitsOf(resource);
    const named = (to: ResourceName, nullable: boolean): string | null => {
      const isLost = to === traits.owner && (state.isEnded || !at(idOf(to), from));
      return nullable && (oddity.unowned || isLost) ? null : idOf(to);
    };
    const content = { ...contentOf({ ...state, resource, id, named }), ...fields };
    const owner = ownerIn(traits, content, idOf);
    const { born, isEnded } = state;
    versions.get(id)?.push({ from, content, born, isEnded, owner });
    if (state.items >= 2 && traits.cutList !== undefined) played.add("a list that is cut");
    if (traits.owner !== undefined) played.add(owner === null ? "of no owner" : "listed per owner");
  }

  function add(resource: ResourceName, id: string, now: number, fields: object): Content {
    const known = at(id, now);
    if (known) return known;
    const made: ModelObject = { resource, id, oddity: NOTHING_ODD };
    versions.set(id, []);
    put(made, now, { value: 0, items: 0, born: now, isEnded: false }, fields);
    if (mirrored.has(resource)) objects.push(made);
    return at(id, now)!;
  }

  const canBeFree = ({ resource }: ModelObject): boolean => {
    const { owner, references } = traitsOf(resource);
    return owner === undefined || references.some(({ to, nullable }) => to === owner && nullable);
  };

  function ensureOwner(object: ModelObject, now: number): ModelObject | undefined {
    const owner = firstOf(traitsOf(object.resource).owner);
    if (owner === undefined || (canBeFree(object) && object.oddity.unowned)) return undefined;
    if (versionAt(owner.id, now) !== undefined) return undefined;
    put(owner, now, { value: 0, items: 0, born: now, isEnded: false });
    return owner;
  }

  function isOrphan(object: ModelObject, now: number): boolean {
    const owner = firstOf(traitsOf(object.resource).owner);
    return !canBeFree(object) && (owner === undefined || !at(owner.id, now));
  }

  function end(object: ModelObject, now: number): readonly ModelObject[] {
    const was = versionAt(object.id, now);
    const { ended, ends } = traitsOf(object.resource);
    if (!was?.content || was.isEnded || !ends) return [];
    const items = innerOf(object.resource, was.content).length - 1;
    const state = { value: writtenIn(was.content), items, born: was.born, isEnded: true };
    if (ended !== undefined) put(object, now, state);
    else versions.get(object.id)?.push({ ...was, from: now, content: null });
    const withIt = planned.filter((each) => belongsTo(each, object, now));
    return [...withIt.flatMap((each) => end(each, now)), object];
  }

  /** Whether an object comes to its end with another. */
  function belongsTo({ resource, id }: ModelObject, other: ModelObject, now: number): boolean {
    const { owner, entry, references } = traitsOf(resource);
    if (owner !== other.resource && entry.emptyRowPer !== other.resource) return false;
    const version = versionAt(id, now);
    const named = references.map(({ field }) => version?.content?.[field]);
    return [version?.owner, ...named].includes(other.id);
  }

  const isHidden = ({ resource, id, oddity }: ModelObject, moment: number) => {
    if (traitsOf(resource).entry.hides === undefined) return false;
    if (oddity.hidden === "once it ended") return versionAt(id, moment)?.isEnded === true;
    return oddity.hidden === "always";
  };

  return {
    planned,
    objects,
    played,
    oddityAt,
    idOf,
    versionAt,
    at,
    versions: (id) => versions.get(id) ?? [],
    put,
    add,
    ensureOwner,
    isOrphan,
    end,
    isHidden,
  };
}

/** Those of the history, and the owners without whom some of them could not be listed. */
function plannedObjects(history: History, oddityAt: (index: number) => Oddity): ModelObject[] {
  const made = (resource: ResourceName, index: number): ModelObject => {
    const id = `${traitsOf(resource).entry.object.replaceAll(".", "_")}_${index}`;
    return { resource, id, oddity: oddityAt(index) };
  };
  const planned = history.objects.map(({ resource }, index) => made(resource, index));
  for (const { resource } of [...planned]) {
    const { owner } = traitsOf(resource);
    if (owner === undefined || planned.some((each) => each.resource === owner)) continue;
    planned.push(made(owner, planned.length));
  }
  return planned;
}

/** Whose it is, by the field that says it; without such a field, the first there is. */
function ownerIn(
  { owner, references }: Traits,
  content: Content,
  idOf: (resource: ResourceName) => string,
): string | null {
  if (owner === undefined) return null;
  const reference = references.find(({ to }) => to === owner);
  return reference === undefined ? idOf(owner) : (content[reference.field] as string | null);
}
