/** A subject in a process of its own, which can be killed: the harness's side. See host.ts. */
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { Installed, Instance, Surroundings } from "./subject.js";

export interface Remote {
  readonly instance: Instance;
  kill(): Promise<void>;
  end(): Promise<void>;
}

/** What the process is told, and what it says. */
export type Call = { readonly call: number; readonly method: string; readonly args: unknown[] };
export type Said =
  | { readonly listening: string }
  | { readonly call: number; readonly result?: unknown; readonly error?: string };

export async function startRemote(
  subject: string,
  around: Surroundings,
  installed: Installed,
): Promise<Remote> {
  const child: ChildProcess = fork(
    fileURLToPath(new URL("./host.ts", import.meta.url)),
    [JSON.stringify({ subject, around, installed })],
    { execArgv: ["--import", "tsx"], stdio: ["ignore", "ignore", "pipe", "ipc"] },
  );
  let log = "";
  child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    log = (log + text).slice(-2000);
  });
  const waiting = new Map<number, { resolve(value: unknown): void; reject(error: Error): void }>();
  let calls = 0;
  const url = await new Promise<string>((resolve, reject) => {
    child.on("message", (said: Said) => {
      if ("listening" in said) return resolve(said.listening);
      const caller = waiting.get(said.call);
      waiting.delete(said.call);
      if (said.error === undefined) caller?.resolve(said.result);
      else caller?.reject(new Error(said.error));
    });
    child.on("exit", () => {
      const gone = new Error(`The process has ended. ${log}`);
      reject(gone);
      for (const { reject: fail } of waiting.values()) fail(gone);
      waiting.clear();
    });
  });

  const call = <T>(method: string, ...args: unknown[]): Promise<T> =>
    new Promise((resolve, reject) => {
      if (!child.connected) return reject(new Error("The process has ended"));
      waiting.set(++calls, { resolve: resolve as (value: unknown) => void, reject });
      child.send({ call: calls, method, args } satisfies Call);
    });
  const end = async (signal: NodeJS.Signals) => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const gone = once(child, "exit");
    child.kill(signal);
    await gone;
  };
  return {
    instance: {
      fetch: async (request) => {
        const { pathname, search } = new URL(request.url);
        return fetch(`${url}${pathname}${search}`, {
          method: request.method,
          headers: request.headers,
          body: request.method === "GET" ? null : await request.arrayBuffer(),
          redirect: "manual",
        });
      },
      rows: (kind) => call("rows", kind),
      settle: () => call("settle"),
      backfill: (kinds) => call("backfill", kinds),
      repair: (kinds) => call("repair", kinds),
      setup: (entity) => call("setup", entity),
      written: () => call("written"),
      take: (units) => call("take", units),
      takeInVain: (units) => call("takeInVain", units),
      left: (entityId) => call("left", entityId),
      give: (units, lasting) => call("give", units, lasting),
      use: (units) => call("use", units),
      close: () => end("SIGKILL"),
    },
    kill: () => end("SIGKILL"),
    end: () => end("SIGKILL"),
  };
}
