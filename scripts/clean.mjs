// Empties the build folder, so that a deleted source file cannot live on in the package.
import { rmSync } from "node:fs";

rmSync(new URL("../packages/backend-billing/dist", import.meta.url), {
  recursive: true,
  force: true,
});
