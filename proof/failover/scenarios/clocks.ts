/** Two replicas whose clocks are a day apart, each a process of its own, share the load. */
import { type ChildProcess, fork } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { BillingError } from "../../../packages/backend-billing/src/core/runtime/errors.js";
import type { Replica } from "../application.js";
import type { Answer, Order, Question } from "../clock-child.js";
import { startLoad } from "../load.js";
import { described, found, type Outcome, type Row, type Scene } from "../outcome.js";
import { startServer } from "../pair.js";
import { catchUp, openShop, type Shop } from "../shop.js";
import { differences, lostEvents, lostUses, wrongBooks, wrongEntities } from "../verify.js";

const DAY = 24 * 60 * 60_000;

export async function clocks(scene: Scene): Promise<Outcome> {
  const rows: Row[] = [];
  const wrong: string[] = [];
  for (const [name, offset] of [["ahead", DAY] as const, ["behind", -DAY] as const]) {
    if (scene.isShort && name === "behind") continue;
    const outcome = await played(scene, name, offset);
    rows.push(...outcome.rows);
    wrong.push(...outcome.wrong);
  }
  return { rows, wrong };
}

async function played(scene: Scene, name: string, offset: number): Promise<Outcome> {
  const { tools, seed, isShort, isBroken, say } = scene;
  const server = await startServer(tools.binaries);
  const shop = await openShop({ url: server.url, seed, isFaulty: isBroken, isHurried: isShort });
  const children = [startReplica(shop, 0), startReplica(shop, offset)];
  try {
    let turn = 0;
    const replicas = children.map(({ replica }) => replica);
    shop.place(() => replicas[turn++ % 2] as Replica);
    const load = startLoad(shop, seed, false);
    while (load.calls.done < (isShort ? 60 : 600)) await sleep(50);
    // Both at once for the same entities.
    const shared = await Promise.all(
      Array.from({ length: 10 }, async (_, index) => {
        const entityId = `org_shared_${index}`;
        const made = await Promise.allSettled(replicas.map((each) => each.setup(entityId)));
        return made.map((each) => (each.status === "fulfilled" ? each.value.customerId : "failed"));
      }),
    );
    await load.stop();
    say(`one clock a day ${name}: the callers are done`);
    for (const { child } of children) child.kill("SIGKILL");
    shop.place(shop.own);
    if (!isBroken) await catchUp(shop);
    return {
      rows: [
        [`one a day ${name}: calls`, load.calls.done],
        [`one a day ${name}: webhooks by status`, described(shop.statuses)],
        [`one a day ${name}: calls that failed and were repeated`, described(load.calls.failed)],
      ],
      wrong: [
        ...found(
          "entities were told two customers",
          shared.filter((ids) => new Set(ids.filter((id) => id !== "failed")).size > 1),
        ),
        ...found("acknowledged events are lost", await lostEvents(shop)),
        ...found("answered uses are lost", await lostUses(shop, load)),
        ...found("entities are wrong", await wrongEntities(shop, load)),
        ...found("entries of the books are wrong", await wrongBooks(shop)),
        ...found("rows differ from Stripe's", await differences(shop)),
      ],
    };
  } finally {
    for (const { child } of children) child.kill("SIGKILL");
    await shop.close();
    await server.stop();
  }
}

/** A process whose `Date` is off from its first line on. */
function startReplica({ url, settings }: Shop, offset: number) {
  const shift = `const Real = Date; globalThis.Date = class extends Real {
    constructor(...given) { given.length === 0 ? super(Real.now() + ${offset}) : super(...given); }
    static now() { return Real.now() + ${offset}; } };`;
  const preload = `data:text/javascript,${encodeURIComponent(shift)}`;
  const order: Order = { url, settings };
  const path = fileURLToPath(new URL("../clock-child.ts", import.meta.url));
  const execArgv = ["--import", preload, "--import", "tsx"];
  const child = fork(path, [JSON.stringify(order)], { execArgv });
  return { child, replica: remote(child) };
}

function remote(child: ChildProcess): Replica {
  const waiting = new Map<number, (answer: Answer) => void>();
  let number = 0;
  child.on("message", (answer: Answer) => {
    waiting.get(answer.number)?.(answer);
    waiting.delete(answer.number);
  });
  const ask = async (name: Question["name"], args: unknown): Promise<never> => {
    const question: Question = { number: number++, name, args };
    const answer = await new Promise<Answer>((resolve) => {
      waiting.set(question.number, resolve);
      child.send(question);
    });
    if (answer.code === undefined) return answer.value as never;
    throw new BillingError(answer.code as "store_error", answer.code);
  };
  return {
    async fetch(request) {
      const headers = Object.fromEntries(request.headers);
      const body = request.method === "GET" ? null : await request.text();
      const asked = { url: request.url, method: request.method, headers, body };
      const answer: { status: number; headers: Record<string, string>; body: string } = await ask(
        "fetch",
        asked,
      );
      return new Response(answer.body, answer);
    },
    setup: (entityId) => ask("setup", entityId),
    checkout: (entityId) => ask("checkout", entityId),
    consume: (use) => ask("consume", use),
    consumeWithin: (use) => ask("consumeWithin", use),
  };
}
