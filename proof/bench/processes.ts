/** The processes of a run: the server, the lists and one for each subject. All end with this one. */
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { Accounts, Control, Seen } from "./list-server.js";
import type { Call, Said, Work } from "./worker.js";

function start(file: string, args: readonly string[] = []): ChildProcess {
  return fork(fileURLToPath(new URL(file, import.meta.url)), [...args], {
    execArgv: ["--import", "tsx"],
    // What the peers print is not ours to read; what goes wrong comes back as an error.
    stdio: ["ignore", "ignore", "inherit", "ipc"],
  });
}

export interface Lists {
  readonly port: number;
  /** Sets the latency, and answers what was seen since it was set last. */
  control(control: Control): Promise<Seen>;
  stop(): void;
}

export async function startLists(accounts: Accounts): Promise<Lists> {
  const child = start("./list-server.ts", [JSON.stringify(accounts)]);
  const [port] = (await once(child, "message")) as [number];
  return {
    port,
    control: async (control) => {
      const body = JSON.stringify(control);
      const response = await fetch(`http://127.0.0.1:${port}/control`, { method: "POST", body });
      return (await response.json()) as Seen;
    },
    stop: () => void child.kill(),
  };
}

/** A subject in its own process. */
export type Worker = {
  readonly [M in keyof Work]: (...args: Parameters<Work[M]>) => ReturnType<Work[M]>;
};

export function startWorker(): { worker: Worker; stop(): void } {
  const child = start("./worker.ts");
  const waiting = new Map<number, { resolve(value: unknown): void; reject(error: Error): void }>();
  let calls = 0;
  child.on("message", ({ call, result, error }: Said) => {
    const caller = waiting.get(call);
    waiting.delete(call);
    if (error === undefined) caller?.resolve(result);
    else caller?.reject(new Error(error));
  });
  child.on("exit", () => {
    for (const { reject } of waiting.values()) reject(new Error("The subject's process has ended"));
    waiting.clear();
  });
  const worker = new Proxy({} as Worker, {
    get:
      (_, method) =>
      (...args: unknown[]) =>
        new Promise((resolve, reject) => {
          waiting.set(++calls, { resolve, reject });
          child.send({ call: calls, method: method as keyof Work, args } satisfies Call);
        }),
  });
  return { worker, stop: () => void child.kill() };
}
