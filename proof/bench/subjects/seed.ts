/** Rows for COPY, in chunks, made while they are sent. */
import { field } from "../copy.js";
import { type Customer, createdAt, customer, type Kind, objectOf } from "../data.js";

type Value = string | number | boolean | null;
type Stored = ReturnType<typeof objectOf>;

const CHUNK = 500;

/** A line for each of so many objects. */
export function* lines(
  kind: Kind,
  count: number,
  columns: (object: Stored) => readonly Value[],
): Generator<string> {
  for (let from = 0; from < count; from += CHUNK) {
    let text = "";
    for (let index = from; index < Math.min(count, from + CHUNK); index++) {
      text += `${columns(objectOf(kind, index, count))
        .map(field)
        .join("\t")}\n`;
    }
    yield text;
  }
}

/** A page of customers, from this number on. */
export function pageFrom(from: number): Customer[] {
  return Array.from({ length: 100 }, (_, index) => customer(from + index, createdAt(1, 1)));
}
