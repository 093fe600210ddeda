/** A process of a race: started, told what to do by messages, killed, and ended. */
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

export interface Child<Order> {
  readonly pid: number;
  send(order: Order): void;
  isAlive(): boolean;
  kill(): Promise<void>;
  end(): void;
}

/** `script` is beside this file. */
export function startChild<Order extends object, Answer>(
  script: string,
  { onAnswer, onExit }: { onAnswer(answer: Answer): void; onExit(): void },
): Child<Order> {
  const path = fileURLToPath(new URL(script, import.meta.url));
  const child: ChildProcess = fork(path, { execArgv: ["--import", "tsx"] });
  child.on("message", onAnswer);
  child.on("exit", onExit);
  return {
    pid: child.pid ?? 0,
    send: (order) => {
      // One that is just being killed cannot be told any more; that it is gone says `onExit`.
      if (child.connected) child.send(order, () => {});
    },
    isAlive: () => child.exitCode === null && child.signalCode === null,
    async kill() {
      const gone = once(child, "exit");
      child.kill("SIGKILL");
      await gone;
    },
    end: () => {
      if (child.connected) child.disconnect();
    },
  };
}
