/** The calling processes: started, told what to do, killed, and replaced. */
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { Answer, Order, Report } from "./caller.js";

export interface Caller {
  readonly pid: number;
  /** Resolves with the next answer that is not about a creation; undefined if the process dies. */
  tell(order: Order): Promise<"ready" | Report | undefined>;
  /** Called whenever this process sends a creation. */
  onPosting: () => void;
  isAlive(): boolean;
  kill(): Promise<void>;
  end(): void;
}

export function startCaller(): Caller {
  const path = fileURLToPath(new URL("./caller.ts", import.meta.url));
  const child: ChildProcess = fork(path, { execArgv: ["--import", "tsx"] });
  let settle: (answer: "ready" | Report | undefined) => void = () => {};
  child.on("message", (answer: Answer) => {
    if (answer === "posting") caller.onPosting();
    else settle(answer);
  });
  child.on("exit", () => settle(undefined));
  const caller: Caller = {
    pid: child.pid ?? 0,
    onPosting: () => {},
    tell: (order) =>
      new Promise((resolve) => {
        settle = resolve;
        child.send(order);
      }),
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
  return caller;
}
