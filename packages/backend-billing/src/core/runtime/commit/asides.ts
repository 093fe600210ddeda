/** The records of what is set aside: what they report, and the removal of those that are over. */
import { resources } from "../../catalogue/resources.js";
import type { Store, StoredRecord } from "../../mirror/store.js";
import type { SetAside, SetAsideReport } from "../reports.js";
import { type CommitContext, commit } from "./commit.js";
import { isOvertaken, type Remembered } from "./set-aside.js";

const MOST_EXAMPLES = 10;
const PAGE = 200;
/** The most records that are counted. */
const MOST_COUNTED = 1000;

/** What is set aside now. It only reads. */
export async function setAsideNow(store: Reads): Promise<SetAsideReport> {
  return (await readAsides(store)).report;
}

/** What is set aside now; the records of what was overtaken are removed. */
export async function pruneAsides(context: CommitContext): Promise<SetAsideReport> {
  const { report, overtaken } = await readAsides(context.store);
  // One by one: a record that was put anew meanwhile must stay, and keep none of the others.
  for (const { kind, id, revision } of overtaken) {
    const removal = { kind, id, expect: revision, next: null };
    await commit(context, { source: "record", records: [removal] });
  }
  return report;
}

type Reads = Pick<Store, "records" | "version">;

async function readAsides(
  store: Reads,
): Promise<{ readonly report: SetAsideReport; readonly overtaken: readonly StoredRecord[] }> {
  const found: SetAside[] = [];
  const overtaken: StoredRecord[] = [];
  for (let after = ""; found.length < MOST_COUNTED; ) {
    const page = await store.records("aside", after, PAGE);
    for (const record of page) {
      const { lo, gone, known, ...aside } = record.data as unknown as Remembered;
      const isKnown = Object.hasOwn(resources, aside.resource);
      const version = isKnown ? await store.version(aside.resource, aside.id) : undefined;
      if (isOvertaken({ lo, gone, known }, version)) overtaken.push(record);
      else found.push(aside);
    }
    const last = page.at(-1);
    if (last === undefined) break;
    after = last.id;
  }
  const report = { count: found.length, examples: found.slice(0, MOST_EXAMPLES) };
  return { report, overtaken };
}
