/**
 * All objects of one kind, in the true order of their creation. Objects are never changed in
 * place: a change replaces one, so an event can keep the object it saw without copying it.
 */

export interface Stored {
  readonly id: string;
  readonly created?: number;
}

/** Objects that are made only when looked at, for accounts too large to hold: see `addRange`. */
export interface Range<T> {
  readonly count: number;
  make(index: number): T;
  id(index: number): string;
  /** The index that an id has, or undefined for an id of something else. */
  index(id: string): number | undefined;
  /** Must not fall as the index rises. */
  created(index: number): number;
}

interface Entry<T> {
  current: T | undefined;
  /** What the object was, from when; kept for an hour so that a lagging list can be shown. */
  past: { readonly from: number; readonly object: T | undefined }[];
  readonly created: number;
}

interface Segment<T> {
  /** The position of its first object; it moves on when older ones are forgotten. */
  start: number;
  length: number;
  readonly range?: Range<T>;
  /** Entries by offset: all of them, or in a range those that were changed since. */
  readonly entries: Map<number, Entry<T>> | Entry<T>[];
}

export interface Query<T> {
  readonly limit: number;
  readonly after?: string | undefined;
  readonly before?: string | undefined;
  readonly createdFrom?: number | undefined;
  readonly createdTo?: number | undefined;
  readonly matches?: ((object: T) => boolean) | undefined;
  /** Shows the objects as they were then. */
  readonly asOf?: number | undefined;
  /** Only objects whose indexed field has this value. */
  readonly where?: { readonly field: string; readonly value: string } | undefined;
}

const KEPT_FOR = 60 * 60 * 1000;

export class Collection<T extends Stored> {
  readonly #segments: Segment<T>[] = [];
  readonly #positions = new Map<string, number>();
  readonly #indexes = new Map<string, Index<T>>();
  readonly #now: () => number;
  #size = 0;
  /** Whether every object was created no earlier than those before it, as without test clocks. */
  #ordered = true;

  /** `indexed` names the fields that lists filter on and that never change, such as `customer`. */
  constructor(now: () => number, indexed: readonly (keyof T & string)[] = []) {
    this.#now = now;
    for (const field of indexed) this.#indexes.set(field, { positions: new Map(), missing: [] });
  }

  /** How many there are, deleted ones left out. */
  get size(): number {
    return this.#size;
  }

  add(object: T): T {
    if (this.get(object.id) !== undefined) throw new Error(`${object.id} exists already`);
    const last = this.#segments.at(-1);
    const segment = last?.range === undefined && last !== undefined ? last : this.#open();
    const position = segment.start + segment.length;
    const created = object.created ?? Math.floor(this.#now() / 1000);
    const newest = last === undefined ? 0 : this.#createdAt(last, last.length - 1);
    if (created < newest) this.#ordered = false;
    (segment.entries as Entry<T>[]).push({
      current: object,
      past: [{ from: this.#now(), object }],
      created,
    });
    segment.length++;
    this.#size++;
    this.#positions.set(object.id, position);
    for (const [field, { positions }] of this.#indexes) note(positions, object, field, position);
    return object;
  }

  /** Adds objects that are made only when looked at. They count as older than whatever comes later. */
  addRange(range: Range<T>): void {
    const last = this.#segments.at(-1);
    const newest = last === undefined ? 0 : this.#createdAt(last, last.length - 1);
    if (range.count > 0 && range.created(0) < newest) {
      throw new RangeError("A range must be created after the objects that are there already");
    }
    const segment: Segment<T> = {
      start: this.#end(),
      length: range.count,
      range,
      entries: new Map(),
    };
    this.#segments.push(segment);
    for (const { missing } of this.#indexes.values()) missing.push(segment);
    this.#size += range.count;
  }

  get(id: string): T | undefined {
    const position = this.#position(id);
    return position === undefined ? undefined : this.#at(position);
  }

  replace(object: T): T {
    const entry = this.#entry(object.id);
    entry.current = object;
    this.#remember(entry, object);
    return object;
  }

  remove(id: string): void {
    const entry = this.#entry(id);
    entry.current = undefined;
    this.#size--;
    this.#remember(entry, undefined);
  }

  /**
   * Lets go of objects that were created before this second, once half of them were: so it costs
   * little to call it often, and no more than twice what lives is kept.
   */
  forget(second: number): void {
    const [oldest] = this.#segments;
    if (oldest === undefined || !Array.isArray(oldest.entries)) return;
    const { entries } = oldest;
    const middle = entries[entries.length >> 1];
    if (middle === undefined || middle.created >= second) return;
    if (this.#indexes.size > 0) throw new Error("What is indexed cannot be forgotten");
    const count = lowerBound(entries.length, (i) => this.#createdAt(oldest, i) >= second);
    oldest.start += count;
    oldest.length -= count;
    for (const { current } of entries.splice(0, count)) {
      if (current === undefined) continue;
      this.#positions.delete(current.id);
      this.#size--;
    }
  }

  /** Newest first, as Stripe lists; with `before`, the ones next to it, still newest first. */
  list(query: Query<T>): { readonly data: T[]; readonly more: boolean } {
    const upward = query.before !== undefined;
    const positions = query.where && this.#indexed(query.where.field, query.where.value);
    const start = this.#segments[0]?.start ?? 0;
    const count = positions === undefined ? this.#end() - start : positions.length;
    const place = (i: number) => (positions === undefined ? start + i : (positions[i] as number));
    const rank = (id: string, fallback: number) => {
      const position = this.#position(id);
      if (position === undefined) return fallback;
      return positions === undefined
        ? position - start
        : lowerBound(count, (i) => place(i) >= position);
    };
    let low = 0;
    let high = count; // the window is [low, high)
    const { createdFrom = -Infinity, createdTo = Infinity } = this.#ordered ? {} : query;
    if (this.#ordered && query.createdFrom !== undefined) {
      const from = query.createdFrom;
      low = lowerBound(count, (i) => this.#created(place(i)) >= from);
    }
    if (this.#ordered && query.createdTo !== undefined) {
      const to = query.createdTo;
      high = lowerBound(count, (i) => this.#created(place(i)) > to);
    }
    if (query.after !== undefined) high = Math.min(high, rank(query.after, high));
    if (query.before !== undefined) low = Math.max(low, rank(query.before, low - 1) + 1);

    const data: T[] = [];
    let more = false;
    const step = upward ? 1 : -1;
    for (let i = upward ? low : high - 1; upward ? i < high : i >= low; i += step) {
      const object = this.#at(place(i), query.asOf);
      if (object === undefined || query.matches?.(object) === false) continue;
      if (!this.#ordered) {
        const created = this.#created(place(i));
        if (created < createdFrom || created > createdTo) continue;
      }
      if (data.length === query.limit) {
        more = true;
        break;
      }
      data.push(object);
    }
    return { data: upward ? data.reverse() : data, more };
  }

  /** Every object there is, oldest first. */
  *values(): Generator<T> {
    const start = this.#segments[0]?.start ?? 0;
    for (let position = start; position < this.#end(); position++) {
      const object = this.#at(position);
      if (object !== undefined) yield object;
    }
  }

  /** The objects whose indexed field has this value, oldest first. */
  where(field: keyof T & string, value: string): T[] {
    return this.#indexed(field, value)
      .map((position) => this.#at(position))
      .filter((object) => object !== undefined);
  }

  /** Objects that are made when looked at are all looked at by the first filter on a field. */
  #indexed(field: string, value: string): readonly number[] {
    const index = this.#indexes.get(field);
    if (index === undefined) throw new Error(`There is no index on ${field}`);
    for (const { start, length, range } of index.missing.splice(0)) {
      for (let offset = 0; offset < length; offset++) {
        note(index.positions, range?.make(offset), field, start + offset);
      }
      for (const positions of index.positions.values()) positions.sort((a, b) => a - b);
    }
    return index.positions.get(value) ?? [];
  }

  #open(): Segment<T> {
    const segment: Segment<T> = { start: this.#end(), length: 0, entries: [] };
    this.#segments.push(segment);
    return segment;
  }

  #end(): number {
    const last = this.#segments.at(-1);
    return last === undefined ? 0 : last.start + last.length;
  }

  #position(id: string): number | undefined {
    const known = this.#positions.get(id);
    if (known !== undefined) return known;
    for (const segment of this.#segments) {
      const index = segment.range?.index(id);
      if (index !== undefined) return segment.start + index;
    }
    return undefined;
  }

  #segment(position: number): Segment<T> {
    const found = this.#segments.findLast((segment) => segment.start <= position);
    if (found === undefined) throw new RangeError(`No position ${position}`);
    return found;
  }

  #at(position: number, asOf?: number): T | undefined {
    const segment = this.#segment(position);
    const offset = position - segment.start;
    const entry = entryAt(segment, offset);
    if (entry === undefined) return segment.range?.make(offset);
    if (asOf === undefined) return entry.current;
    return entry.past.findLast((version) => version.from <= asOf)?.object;
  }

  #created(position: number): number {
    const segment = this.#segment(position);
    return this.#createdAt(segment, position - segment.start);
  }

  #createdAt(segment: Segment<T>, offset: number): number {
    return segment.range?.created(offset) ?? entryAt(segment, offset)?.created ?? 0;
  }

  #entry(id: string): Entry<T> {
    const position = this.#position(id);
    if (position === undefined) throw new Error(`${id} does not exist`);
    const segment = this.#segment(position);
    const offset = position - segment.start;
    const known = entryAt(segment, offset);
    if (known !== undefined) return known;
    const object = segment.range?.make(offset);
    const entry: Entry<T> = {
      current: object,
      past: [{ from: 0, object }],
      created: this.#createdAt(segment, offset),
    };
    (segment.entries as Map<number, Entry<T>>).set(offset, entry);
    return entry;
  }

  #remember(entry: Entry<T>, object: T | undefined): void {
    const now = this.#now();
    const oldest = entry.past.findLastIndex((version) => version.from <= now - KEPT_FOR);
    if (oldest > 0) entry.past.splice(0, oldest);
    entry.past.push({ from: now, object });
  }
}

/** By value, where the objects are that have it in this field, oldest first. */
interface Index<T> {
  readonly positions: Map<string, number[]>;
  /** Ranges that no request has asked about yet. */
  readonly missing: Segment<T>[];
}

function note(index: Map<string, number[]>, object: unknown, field: string, position: number) {
  const value = (object as Record<string, unknown>)[field];
  if (typeof value !== "string") return;
  const positions = index.get(value);
  if (positions === undefined) index.set(value, [position]);
  else positions.push(position);
}

function entryAt<T>(segment: Segment<T>, offset: number): Entry<T> | undefined {
  return segment.entries instanceof Map ? segment.entries.get(offset) : segment.entries[offset];
}

/** The first index in [0, count) for which `reached` holds, or count; it must hold from there on. */
function lowerBound(count: number, reached: (index: number) => boolean): number {
  let low = 0;
  let high = count;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (reached(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}
