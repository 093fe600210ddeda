/** In memory. Rows are out of reach there, so what is to be spoiled is written wrong. */
import type { ResourceName } from "../../packages/backend-billing/src/core/catalogue/catalogue.js";
import type { Batch, Store } from "../../packages/backend-billing/src/core/mirror/store.js";
import { createMemoryStore } from "../../packages/backend-billing/src/memory/store.js";
import { openOnStore } from "./on-store.js";
import { type MirrorPlatform, SPOILED } from "./platform.js";

export const openMemory = async (): Promise<MirrorPlatform> => ({
  open: async (options) => {
    const inside = createMemoryStore({ resources: "all" });
    let spoiling: readonly ResourceName[] = [];
    const spoiled = (batch: Batch): Batch => ({
      ...batch,
      units: batch.units.map((unit) => ({
        ...unit,
        snapshots: unit.snapshots?.map((snapshot) =>
          spoiling.includes(snapshot.resource) && snapshot.content !== null
            ? { ...snapshot, content: { ...snapshot.content, ...SPOILED } }
            : snapshot,
        ),
      })) as Batch["units"],
    });
    const store: Store = { ...inside, commit: (batch) => inside.commit(spoiled(batch)) };
    const app = await openOnStore(store, options);
    return {
      ...app,
      spoil: async (some) => {
        spoiling = some;
        await app.reconcile();
        spoiling = [];
      },
    };
  },
});
