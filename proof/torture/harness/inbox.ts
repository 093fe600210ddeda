/**
 * What the application's hooks call (hooks.ts): counts what was done, and makes hooks fail or wait as a
 * scenario wants it. It is outside of the subject's process, which may be killed.
 */
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { unhurried } from "../../../support/unhurried.js";
import type { News } from "./hooks.js";
import { sleep } from "./patience.js";

export interface Waiting {
  /** Resolves once a hook waits; rejects if none comes. */
  readonly caught: Promise<void>;
  release(): void;
}

export interface Inbox {
  readonly url: string;
  /** What hooks have done, in the order in which they ended. Those that failed or died are not here. */
  readonly done: readonly News[];
  /** Hooks that are about this fail from now on, so often, or until they are mended. */
  fail(about: (news: News) => boolean, times?: number): void;
  mend(): void;
  /** The next hook waits until it is released, or killed. */
  hold(): Waiting;
  /** Whether this comes to be done within a while. */
  eventually(about: (news: News) => boolean): Promise<boolean>;
  close(): Promise<void>;
}

const A_WHILE = 120_000;

export async function openInbox(): Promise<Inbox> {
  const done: News[] = [];
  let failing: { about: (news: News) => boolean; times: number } | undefined;
  let held: { caught(): void; open: Promise<void> } | undefined;

  const server = createServer(async (request, response) => {
    const news = JSON.parse(await text(request)) as News;
    const mine = held;
    held = undefined;
    mine?.caught();
    const died = new Promise<void>((resolve) => response.once("close", resolve));
    await Promise.race([mine?.open, died]);
    if (response.destroyed) return; // its process was killed
    const fails = failing !== undefined && failing.times > 0 && failing.about(news);
    if (fails && failing !== undefined) failing.times -= 1;
    else done.push(news);
    response.writeHead(fails ? 500 : 200).end();
  });
  await new Promise<void>((resolve) => unhurried(server).listen(0, "127.0.0.1", resolve));

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    done,
    fail(about, times = Number.POSITIVE_INFINITY) {
      failing = { about, times };
    },
    mend() {
      failing = undefined;
    },
    hold() {
      let release = () => {};
      const open = new Promise<void>((resolve) => {
        release = resolve;
      });
      const caught = new Promise<void>((resolve, reject) => {
        const late = setTimeout(() => reject(new Error("No hook was called")), A_WHILE);
        held = {
          open,
          caught: () => {
            clearTimeout(late);
            resolve();
          },
        };
      });
      caught.catch(() => {}); // a scenario that waits for it hears of it
      return { caught, release };
    },
    async eventually(about) {
      for (const end = Date.now() + A_WHILE; Date.now() < end; await sleep(50)) {
        if (done.some(about)) return true;
      }
      return false;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function text(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}
