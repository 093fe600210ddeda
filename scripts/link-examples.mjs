// Lets the examples import this package by its name, as built, without an install of their own.
import { mkdirSync, rmSync, symlinkSync } from "node:fs";
import { fileURLToPath } from "node:url";

const path = (relative) => fileURLToPath(new URL(relative, import.meta.url));
const link = path("../examples/node_modules/backend-billing");

mkdirSync(path("../examples/node_modules"), { recursive: true });
rmSync(link, { recursive: true, force: true });
symlinkSync(path("../packages/backend-billing"), link, "junction");
