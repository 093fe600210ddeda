// Compiled by `npm run typecheck`; never run.
import type pg from "pg";
import type { PoolLike } from "../../src/postgres/database.js";

declare const pool: pg.Pool;
pool satisfies PoolLike;
