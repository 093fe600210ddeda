/**
 * Stands in for `convex/react` in the page of examples/convex, because there is no deployment to
 * connect to: functions are called over HTTP, at convex-server.ts, and a query is asked again and
 * again where Convex would tell of its change.
 */
import { type FunctionReference, type FunctionType, getFunctionName } from "convex/server";
import { ConvexError } from "convex/values";
import { type ReactNode, useCallback, useEffect, useState } from "react";

type Reference = FunctionReference<FunctionType>;

const EVERY = 300;

export class ConvexReactClient {}

export const ConvexProvider = ({ children }: { children: ReactNode }) => children;

async function call(kind: FunctionType, path: string, args: object): Promise<unknown> {
  const body = JSON.stringify({ kind, path, args });
  const answer = await (await fetch("/call", { method: "POST", body })).json();
  if ("refusal" in answer) throw new ConvexError(answer.refusal);
  return answer.value;
}

export function useQuery(reference: Reference, args: object | "skip" = {}): unknown {
  const [answer, setAnswer] = useState<{ to: string; value: unknown }>();
  const path = getFunctionName(reference);
  const question = JSON.stringify([path, args]);
  useEffect(() => {
    const [name, given] = JSON.parse(question);
    if (given === "skip") return;
    const ask = () =>
      call("query", name, given).then((value) => setAnswer({ to: question, value }), console.error);
    ask();
    const timer = setInterval(ask, EVERY);
    return () => clearInterval(timer);
  }, [question]);
  return answer?.to === question ? answer.value : undefined;
}

const caller = (kind: FunctionType) => (reference: Reference) => {
  const path = getFunctionName(reference);
  return useCallback((args: object = {}) => call(kind, path, args), [path]);
};

export const useAction = caller("action");
export const useMutation = caller("mutation");
