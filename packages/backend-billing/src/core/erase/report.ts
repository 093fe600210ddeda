/** Erasures that wait: what `status` shows. It only reads. */
import type { Store, StoredRecord } from "../mirror/store.js";
import { erasureIn, OF_ENTITY } from "./request.js";

const PAGE = 200;

export interface ErasureFacts {
  /** Entities that are not erased yet. */
  readonly number: number;
  /** Those that failed, and are tried again. */
  readonly failing: number;
  /** Why one of them did; null where none failed. */
  readonly reason: string | null;
}

export async function erasureFacts(store: Pick<Store, "records">): Promise<ErasureFacts> {
  let [number, failing] = [0, 0];
  let reason: string | null = null;
  for (let after: string | undefined = OF_ENTITY; after !== undefined; ) {
    const page: readonly StoredRecord[] = await store.records("erased", after, PAGE);
    const own = page.filter(({ id }) => id.startsWith(OF_ENTITY));
    for (const erasure of own.map(erasureIn)) {
      number++;
      if (erasure.tries === undefined) continue;
      failing++;
      reason = erasure.reason ?? reason;
    }
    after = page.length < PAGE || own.length < page.length ? undefined : page.at(-1)?.id;
  }
  return { number, failing, reason };
}
