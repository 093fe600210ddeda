/** How the page asks the server. */
import { useCallback, useEffect, useState } from "react";
import { refusal } from "../../ui/format.ts";

/** A GET, or a POST if there is something to send. Rejects with a message for people. */
export async function call<T>(path: string, body?: object): Promise<T> {
  const post = { method: "POST", headers: { "Content-Type": "application/json" } };
  const init = body && { ...post, body: JSON.stringify(body) };
  const response = await fetch(`/api${path}`, init).catch(() => undefined);
  const answer = await response?.json().catch(() => undefined);
  if (response?.ok) return answer as T;
  if (answer?.error) throw new Error(refusal(answer.code, answer.error));
  throw new Error("The server cannot be reached. Is your connection up?");
}

/** What the server says at `path`, and again whenever this tab is looked at. */
export function useLoaded<T>(path: string) {
  const [state, setState] = useState<{ data?: T; error?: string }>({});
  const reload = useCallback(
    () =>
      call<T>(path).then(
        (data) => setState({ data }),
        (error: Error) => setState((before) => ({ ...before, error: error.message })),
      ),
    [path],
  );
  useEffect(() => {
    const look = () => void (document.visibilityState === "visible" && reload());
    look();
    document.addEventListener("visibilitychange", look);
    return () => document.removeEventListener("visibilitychange", look);
  }, [reload]);
  return { ...state, reload };
}
