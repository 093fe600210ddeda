/**
 * Whether linked customers carry the application's name: what `doctor` reads. It only reads, a page
 * of the mirror at a time.
 */
import { APP_KEY, entityInMetadata } from "../catalogue/carrier.js";
import type { Row } from "../catalogue/catalogue.js";
import type { Store } from "../mirror/store.js";
import type { Stranger } from "../runtime/records/records.js";
import { strangerBy, strangersSeen } from "./strangers.js";

/** Customers that are read at once. */
const PAGE = 500;

/** Whose name a customer carries: `ours`, `none`, or another application's (`theirs`). */
export function markOf(metadata: unknown, app: string): "ours" | "none" | "theirs" {
  const fields = (metadata ?? {}) as { readonly [key: string]: unknown };
  const name = Object.hasOwn(fields, APP_KEY) ? fields[APP_KEY] : undefined;
  if (name === undefined || name === null || name === "") return "none";
  return name === app ? "ours" : "theirs";
}

/** Every customer of the mirror, in pages. */
export async function* customerPages(
  store: Pick<Store, "rows">,
): AsyncGenerator<readonly Row<"customers">[]> {
  let after = "";
  for (;;) {
    const page = await store.rows("customers", after, PAGE);
    if (page.length > 0) yield page;
    const last = page.at(-1);
    if (last === undefined || page.length < PAGE) return;
    after = last._id;
  }
}

/** What the mirror's customers carry. */
export interface Marks {
  /** Linked customers that were looked at. */
  readonly linked: number;
  /** Of these, how many carry no application's name. */
  readonly unmarked: number;
  /** Of these, the ones that carry another application's name. */
  readonly theirs: readonly string[];
  /** An example of each kind of customer that carries an entity's id and is not linked. */
  readonly strangers: readonly Stranger[];
}

/**
 * Reads customers until so many were looked at. Without a name only the strangers that were
 * remembered are looked at again.
 */
export async function readMarks(
  store: Pick<Store, "record" | "row" | "rows">,
  app: string | undefined,
  most: number,
): Promise<Marks> {
  const strangers = new Map<string, Stranger>();
  const meet = (row: Row<"customers"> | undefined) => {
    if (row === undefined || row.entityId !== null) return;
    const stranger = strangerBy(entityInMetadata(row.stripe.metadata, app), row.customerId);
    if (stranger === undefined) return;
    const name = `${stranger.kind} ${stranger.app ?? ""}`;
    if (!strangers.has(name)) strangers.set(name, stranger);
  };
  // What was remembered may have changed since: the mirror's row tells.
  for (const { customer } of await strangersSeen(store)) {
    meet(await store.row("customers", customer));
  }
  let [seen, linked, unmarked] = [0, 0, 0];
  const theirs: string[] = [];
  if (app !== undefined) {
    for await (const page of customerPages(store)) {
      for (const row of page) {
        meet(row);
        if (row.entityId === null) continue;
        linked++;
        const mark = markOf(row.stripe.metadata, app);
        if (mark === "none") unmarked++;
        if (mark === "theirs") theirs.push(row.customerId);
      }
      seen += page.length;
      if (seen >= most) break;
    }
  }
  return { linked, unmarked, theirs, strangers: [...strangers.values()] };
}
