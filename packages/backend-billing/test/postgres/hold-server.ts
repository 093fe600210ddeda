// Run by server.test.ts: starts a server, prints where it is, and waits to be killed. It also ends
// when its stdin closes, so that it does not outlive a test run that was killed itself.
import { startPostgres } from "../../../../support/postgres/server.js";

process.stdin.on("end", () => process.exit()).resume();
const { pid, dataDir } = await startPostgres({ settings: { fsync: "off" } });
console.log(JSON.stringify({ pid, dataDir }));
