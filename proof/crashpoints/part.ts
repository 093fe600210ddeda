/** A process that stops an operation at some of its points, and says what it found. */
import { operations } from "./operations.js";
import type { Part } from "./parts.js";
import { stopEverywhere } from "./run.js";

const { server, operation, choice } = JSON.parse(process.argv[2] ?? "{}") as Part;
const found = operations.find(({ name }) => name === operation);
if (found === undefined) throw new Error(`There is no ${operation}`);
const outcome = await stopEverywhere(server, found, choice);
// Operations that were stopped still wait for answers that never come.
process.send?.(outcome, () => process.exit(0));
