/** Processes that work at a sync run: started, told what to do, killed, and measured from outside. */
import { fork } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { WorkerAnswer, WorkerOrder } from "../../support/sync/worker.js";

export interface Worker {
  readonly pid: number;
  /** Resolves when it has done its work; undefined if the process died before. */
  tell(order: WorkerOrder): Promise<WorkerAnswer | undefined>;
  /** The most memory that it ever had, in bytes. */
  peak(): number;
  kill(): Promise<void>;
}

export function startWorker(): Worker {
  const path = fileURLToPath(new URL("../../support/sync/worker.ts", import.meta.url));
  const child = fork(path, { execArgv: ["--import", "tsx"] });
  const gone = once(child, "exit");
  return {
    pid: child.pid ?? 0,
    tell: (order) => {
      const answer = once(child, "message").then(([message]) => message as WorkerAnswer);
      child.send(order);
      return Promise.race([answer, gone.then(() => undefined)]);
    },
    peak: () => {
      const status = readFileSync(`/proc/${child.pid}/status`, "utf8");
      return Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1]) * 1024;
    },
    kill: async () => {
      child.kill("SIGKILL");
      await gone;
    },
  };
}

/** What the run's workers answered, if any of them failed. */
export function failures(answers: readonly (WorkerAnswer | undefined)[]): string[] {
  return answers.flatMap((answer) => {
    if (answer === undefined) return ["a worker died"];
    if ("error" in answer) return [answer.error];
    return answer.state === "done" ? [] : [`a worker answered ${answer.state}`];
  });
}

/** So many workers, and one more that stands by to take a dead one's place at once. */
export function startTeam(order: WorkerOrder, size: number) {
  const errors: string[] = [];
  const workers: Worker[] = [];
  let spare = startWorker();
  let isOver = false;
  const employ = (place: number) => {
    const worker = spare;
    workers[place] = worker;
    spare = startWorker();
    void worker.tell(order).then(async (answer) => {
      if (isOver || answer === undefined || !("error" in answer)) return;
      // Such as when it was about to begin while PostgreSQL was away: a supervisor would start it again.
      errors.push(answer.error);
      await worker.kill();
      if (!isOver) employ(place);
    });
  };
  for (let place = 0; place < size; place++) employ(place);
  return {
    errors,
    /** Kills the worker at this place, and puts another there. */
    async kill(place: number) {
      await workers[place]?.kill();
      employ(place);
    },
    async end() {
      isOver = true;
      await Promise.all([...workers, spare].map((each) => each.kill()));
    },
  };
}
