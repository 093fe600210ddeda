/**
 * A serverless host: processes that take one request at a time, are stopped as soon as the last byte of
 * their answer has come, and run again only for the next one. Some are killed instead.
 */
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { request as send } from "node:http";
import { fileURLToPath } from "node:url";
import type { Order } from "./shop.js";

export interface Host {
  /** Wakes a process for a request, and stops or kills it once it has answered. */
  fetch(request: Request): Promise<Response>;
  readonly counts: { answers: number; kills: number };
  /** Processes that ended by themselves. */
  readonly crashes: readonly string[];
  close(): Promise<void>;
}

interface Instance {
  readonly child: ChildProcess;
  readonly port: Promise<number>;
}

/** `isKilled` is asked after each answer. */
export function startHost(order: Order, size: number, isKilled: () => boolean): Host {
  const counts = { answers: 0, kills: 0 };
  const crashes: string[] = [];
  const all = new Set<ChildProcess>();
  const waiting: ((instance: Instance) => void)[] = [];
  const idle: Instance[] = [];

  const start = (): Instance => {
    const script = fileURLToPath(new URL("./function.ts", import.meta.url));
    const execArgv = ["--import", "tsx"];
    const child = fork(script, [JSON.stringify(order)], {
      execArgv,
      stdio: ["ignore", "ignore", "pipe", "ipc"],
    });
    all.add(child);
    let said = "";
    child.stderr?.setEncoding("utf8").on("data", (text: string) => {
      said = (said + text).slice(-2_000);
    });
    child.once("exit", (code, signal) => {
      all.delete(child);
      if (signal !== "SIGKILL") crashes.push(`ended by itself (${code ?? signal}): ${said}`);
    });
    const port = once(child, "message").then(([listening]) => {
      child.kill("SIGSTOP");
      return listening as number;
    });
    return { child, port };
  };
  const free = (instance: Instance): void => {
    const next = waiting.shift();
    if (next === undefined) idle.push(instance);
    else next(instance);
  };
  const taken = (): Promise<Instance> => {
    const instance = idle.shift();
    return instance === undefined
      ? new Promise((resolve) => waiting.push(resolve))
      : Promise.resolve(instance);
  };

  for (let n = 0; n < size; n++) idle.push(start());
  return {
    counts,
    crashes,
    async fetch(request) {
      const body = Buffer.from(await request.arrayBuffer());
      const instance = await taken();
      const { child } = instance;
      const port = await instance.port;
      child.kill("SIGCONT");
      try {
        return await forwarded(port, request, body);
      } finally {
        counts.answers++;
        if (isKilled()) {
          counts.kills++;
          child.kill("SIGKILL");
          free(start());
        } else {
          child.kill("SIGSTOP");
          free(instance);
        }
      }
    },
    async close() {
      for (const child of all) {
        const gone = once(child, "exit");
        child.kill("SIGKILL");
        await gone;
      }
    },
  };
}

/** The answer, at the moment when its last byte has come. */
function forwarded(port: number, { url, method, headers }: Request, body: Buffer) {
  return new Promise<Response>((resolve, reject) => {
    const { pathname, search } = new URL(url);
    const outgoing = send(
      {
        host: "127.0.0.1",
        port,
        method,
        path: pathname + search,
        headers: { ...Object.fromEntries(headers), "content-length": body.length },
        agent: false,
      },
      (answer) => {
        const pieces: Buffer[] = [];
        answer.on("data", (piece: Buffer) => pieces.push(piece));
        answer.once("error", reject);
        answer.once("end", () => {
          const status = answer.statusCode ?? 500;
          const { location } = answer.headers;
          const text = Buffer.concat(pieces);
          resolve(new Response(text, { status, headers: location ? { location } : {} }));
        });
      },
    );
    outgoing.once("error", reject);
    outgoing.end(body);
  });
}
