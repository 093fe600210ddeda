// Ten processes call `migrate` at once on an empty database, 50 times, or as often as the argument
// says: `npm run migrate:race -- 500`. Fails unless each round ends with one set of tables and no error.
import { raceMigrations } from "../support/postgres/migrate-race.js";
import { startPostgres } from "../support/postgres/server.js";

const rounds = Number(process.argv[2] ?? 50);
const server = await startPostgres({ settings: { fsync: "off" } });
try {
  const started = Date.now();
  const { errors, ...counts } = await raceMigrations(server.url, { rounds });
  console.log({ ...counts, errors: errors.length, seconds: (Date.now() - started) / 1000 });
  for (const error of new Set(errors)) console.error(error);
  const good = errors.length === 0 && counts.applied === rounds && counts.complete === rounds;
  process.exitCode = good ? 0 : 1;
} finally {
  await server.stop();
}
