/** A process of the soak: started, asked by name, and never left behind. */
import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

interface Asked {
  readonly call: number;
  readonly name: string;
  readonly args: readonly unknown[];
}
interface Said {
  readonly call: number;
  readonly result?: unknown;
  readonly error?: string;
}

/** What a process can be asked. */
export type Answers = { readonly [name: string]: (...args: never[]) => unknown };

export type Asking<A extends Answers> = {
  readonly [N in keyof A]: (...args: Parameters<A[N]>) => Promise<Awaited<ReturnType<A[N]>>>;
};

export interface Child<A extends Answers> {
  readonly ask: Asking<A>;
  readonly pid: number;
  /** Resolves with how it ended. */
  readonly gone: Promise<string>;
  kill(): void;
}

export function startChild<A extends Answers>(
  file: string,
  order: object,
  flags: readonly string[] = [],
): Child<A> {
  const path = fileURLToPath(new URL(file, import.meta.url));
  const execArgv = [...flags, "--import", "tsx"];
  const child = fork(path, [JSON.stringify(order)], { execArgv });
  const waiting = new Map<number, { resolve(value: never): void; reject(error: Error): void }>();
  let calls = 0;
  child.on("message", ({ call, result, error }: Said) => {
    const caller = waiting.get(call);
    waiting.delete(call);
    if (error === undefined) caller?.resolve(result as never);
    else caller?.reject(new Error(error));
  });
  const gone = once(child, "exit").then(([code, signal]) => {
    for (const { reject } of waiting.values()) reject(new Error(`${file} has ended`));
    waiting.clear();
    return String(signal ?? code);
  });
  const ask = new Proxy({} as Asking<A>, {
    get:
      (_, name) =>
      (...args: unknown[]) =>
        new Promise((resolve, reject) => {
          waiting.set(++calls, { resolve, reject });
          child.send({ call: calls, name: String(name), args } satisfies Asked);
        }),
  });
  return { ask, pid: child.pid ?? 0, gone, kill: () => void child.kill("SIGKILL") };
}

/** In the process: what it was started with. */
export const orderOf = <T>(): T => JSON.parse(process.argv[2] ?? "{}") as T;

/** In the process: answers what is asked, until the other side is gone. */
export function answer(answers: Answers): void {
  process.on("message", async ({ call, name, args }: Asked) => {
    try {
      const run = answers[name] as (...given: readonly unknown[]) => unknown;
      process.send?.({ call, result: await run(...args) } satisfies Said);
    } catch (error) {
      const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
      process.send?.({ call, error: text } satisfies Said);
    }
  });
  process.once("disconnect", () => {
    if (!isLeaving) process.exit();
  });
}

let isLeaving = false;

/** In the process: answers nothing any more. It ends once nothing keeps it. */
export function leave(): void {
  isLeaving = true;
  process.disconnect?.();
}
