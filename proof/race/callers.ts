/** The processes that call `setup`. */
import type { Answer, Order, Report } from "./caller.js";
import { type Child, startChild } from "./child.js";

export interface Caller extends Omit<Child<Order>, "send"> {
  /** Resolves with the next answer that is not about a creation; undefined if the process dies. */
  tell(order: Order): Promise<"ready" | Report | undefined>;
  /** Called whenever this process sends a creation. */
  onPosting: () => void;
}

export function startCaller(): Caller {
  let settle: (answer: "ready" | Report | undefined) => void = () => {};
  const { send, ...child } = startChild<Order, Answer>("./caller.ts", {
    onAnswer: (answer) => {
      if (answer === "posting") caller.onPosting();
      else settle(answer);
    },
    onExit: () => settle(undefined),
  });
  const caller: Caller = {
    ...child,
    onPosting: () => {},
    tell: (order) =>
      new Promise((resolve) => {
        settle = resolve;
        send(order);
      }),
  };
  return caller;
}
