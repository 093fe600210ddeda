/** How far Stripe was read: a watermark of each resource that was listed, and one of the events. */
import type { StoredRecord } from "../../mirror/store.js";
import type { Runtime } from "../../runtime/runtime.js";

/** More than there are. */
const MOST = 100;

export const watermarks = ({ store }: Runtime): Promise<readonly StoredRecord[]> =>
  store.records("watermark", "", MOST);
