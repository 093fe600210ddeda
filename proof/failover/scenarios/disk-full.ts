/** The disk of the database is full for a while, under load: a small file system in memory, and ballast. */
import { spawnSync } from "node:child_process";
import { chmodSync, mkdtempSync, rmdirSync, rmSync, statfsSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { startPostgres } from "../../../support/postgres/server.js";
import type { Outcome, Scene } from "../outcome.js";
import { refused } from "./refusals.js";

const MEGABYTE = 1024 * 1024;
const SETTINGS = {
  fsync: "off",
  max_wal_size: "48MB",
  min_wal_size: "32MB",
  max_connections: "60",
};

export async function diskFull(scene: Scene): Promise<Outcome> {
  const folder = mkdtempSync(join(tmpdir(), "failover-disk-"));
  const mounted = spawnSync("mount", ["-t", "tmpfs", "-o", "size=200m", "tmpfs", folder]);
  if (mounted.status !== 0) {
    rmdirSync(folder);
    const said = mounted.error?.message ?? mounted.stderr.toString().trim();
    return { rows: [], wrong: [], notRun: `no file system can be mounted here (${said})` };
  }
  chmodSync(folder, 0o755);
  try {
    return await refused(
      scene,
      (server, shop) => fill(folder, server, shop, scene.isShort ? 4_000 : 20_000),
      () => startPostgres({ binaries: scene.tools.binaries, settings: SETTINGS, within: folder }),
    );
  } finally {
    spawnSync("umount", [folder]);
    rmdirSync(folder);
  }
}

type Refused = Parameters<Parameters<typeof refused>[1]>;

async function fill(folder: string, server: Refused[0], shop: Refused[1], length: number) {
  const ballast = join(folder, "ballast");
  const { bavail, bsize } = statfsSync(folder);
  try {
    writeFileSync(ballast, Buffer.alloc(bavail * bsize));
  } catch {} // the server was faster with the last of it
  const failed = () => shop.statuses.get(500) ?? 0;
  const before = failed();
  // What is written without a new file goes on: so until something is refused, and for a while after.
  let big = 0;
  for (const end = Date.now() + 60_000; failed() === before && Date.now() < end; big++) {
    const metadata = Object.fromEntries(
      Array.from({ length: 40 }, (_, n) => [`m${n}`, randomText()]),
    );
    await shop.stripe.products.create({ name: `big ${big}`, metadata });
  }
  await sleep(length);
  const left = statfsSync(folder);
  rmSync(ballast);
  const hasEnded = await isGone(server.pid);
  if (hasEnded) await server.restart();
  const refusals = failed() - before;
  return {
    rows: [
      ["room left, MB", Math.round((left.bavail * left.bsize) / MEGABYTE), "0"] as const,
      ["webhooks refused meanwhile", refusals, "by 5xx"] as const,
      ["the server itself ended", hasEnded ? "yes, and was started again" : "no"] as const,
    ],
    wrong: refusals > 0 ? [] : ["Nothing was refused, so nothing is shown"],
  };
}

/** Hard to compress. */
const randomText = () =>
  Array.from({ length: 40 }, () => Math.random().toString(36))
    .join("")
    .slice(0, 480);

async function isGone(pid: number): Promise<boolean> {
  await sleep(1_000); // a server that ends by itself has a moment for it
  try {
    process.kill(pid, 0);
    return false;
  } catch {
    return true;
  }
}
