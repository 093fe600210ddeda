/** What is still to be told of customers that are erased: without what is personal. */
import type { ResourceName } from "../catalogue/catalogue.js";
import type { StoredChange } from "../mirror/changes.js";
import { customerIn, customerOfEvent, namedByEvent, scrubbedEvent } from "../mirror/erased.js";
import { isScrubbed, scrubbed } from "../mirror/scrub.js";
import type { StoredRecord } from "../mirror/store.js";
import { commit } from "../runtime/commit/commit.js";
import { amended } from "../runtime/records/record.js";
import type { Runtime } from "../runtime/runtime.js";

/** Each may hold an object twice, and Convex reads 16 MiB at once. */
const PAGE = 10;

interface Scrubbed {
  /** Changes that were being told, and are looked at again. */
  readonly left: number;
  /** Changes of which something is to be told. Those that are set aside do not count. */
  readonly waiting: number;
}

/** All that waits is gone through: mostly that is little. */
export async function scrubChanges(
  runtime: Runtime,
  entityId: string,
  customers: readonly string[],
): Promise<Scrubbed> {
  let [left, waiting] = [0, 0];
  for (let after: string | undefined = ""; after !== undefined; ) {
    const page: readonly StoredRecord[] = await runtime.store.records("change", after, PAGE);
    for (const record of page) {
      const change = record.data as unknown as StoredChange;
      if (!(await isOf(runtime, change, entityId, customers))) continue;
      if (record.due !== null) waiting++;
      const next = scrubbedChange(change);
      if (next === undefined) continue;
      const records = [amended(record, next)];
      if (!(await commit(runtime, { source: "record", records })).committed) left++;
    }
    after = page.length < PAGE ? undefined : page.at(-1)?.id;
  }
  return { left, waiting };
}

async function isOf(
  runtime: Runtime,
  { resource, id, entityId, before, after }: StoredChange,
  erased: string,
  customers: readonly string[],
): Promise<boolean> {
  if (entityId === erased || (resource === "access" && id === erased)) return true;
  const content = after ?? before;
  if (resource === "event") return isEventOf(runtime, content ?? {}, customers);
  if (resource === "link") return customers.includes(id);
  const noun = resource as ResourceName;
  if (content !== null && customers.includes(customerIn(noun, id, content) ?? "")) return true;
  // A refund names no customer, but its row is scrubbed by now.
  return isRowScrubbed(runtime, noun, id);
}

async function isEventOf(
  runtime: Runtime,
  event: object,
  customers: readonly string[],
): Promise<boolean> {
  const customer = customerOfEvent(event);
  if (customer !== undefined) return customers.includes(customer);
  for (const { resource, id } of namedByEvent(event)) {
    if (await isRowScrubbed(runtime, resource, id)) return true;
  }
  return false;
}

const isRowScrubbed = async (
  { store, resources }: Runtime,
  resource: ResourceName,
  id: string,
): Promise<boolean> =>
  resources.includes(resource) && isScrubbed((await store.row(resource, id))?.stripe);

/** Undefined if there is nothing to leave out. */
function scrubbedChange({
  resource,
  before,
  after,
}: StoredChange): Partial<StoredChange> | undefined {
  const isBare = (content: object | null) => content === null || isScrubbed(content);
  if (resource === "event") {
    const { data } = (after ?? {}) as { readonly data?: { readonly object?: object } };
    return after === null || isScrubbed(data?.object) ? undefined : { after: scrubbedEvent(after) };
  }
  if (isBare(before) && isBare(after)) return undefined;
  return { before: before && scrubbed(before), after: after && scrubbed(after) };
}
