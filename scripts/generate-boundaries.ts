// Writes biome.boundaries.json, which biome.json extends, from the table in scripts/lint.
import { writeFileSync } from "node:fs";
import { configuration } from "./lint/boundaries.js";

writeFileSync(new URL("../biome.boundaries.json", import.meta.url), configuration());
