/** What the page keeps of its own: where it is, and what is under way. */
import { useEffect, useState } from "react";

/** The path in the address bar, and the way to another one. */
export function usePath(): [path: string, go: (to: string) => void] {
  const [path, setPath] = useState(location.pathname);
  useEffect(() => {
    const back = () => setPath(location.pathname);
    addEventListener("popstate", back);
    return () => removeEventListener("popstate", back);
  }, []);
  const go = (to: string) => {
    history.pushState(null, "", to);
    setPath(to);
    scrollTo(0, 0);
  };
  return [path, go];
}

/** What an entity's page was come back to from. A reload, or a bookmark, does not bring it back. */
export function useReturn(entityId: string): string | null {
  const [from] = useState(() => new URLSearchParams(location.search).get("from"));
  useEffect(() => history.replaceState(null, "", `/for/${entityId}`), [entityId]);
  return from;
}

/** Runs one thing at a time, and answers whether it went well; says which is under way, and what went wrong. */
export function useBusy() {
  const [busy, setBusy] = useState<string>();
  const [error, setError] = useState<string>();
  const run = async (name: string, action: () => Promise<unknown>) => {
    setBusy(name);
    setError(undefined);
    const went = await action().then(
      () => true,
      (thrown: Error) => setError(thrown.message),
    );
    setBusy(undefined);
    return went === true;
  };
  return { busy, error, run };
}

/** Leaves for one of Stripe's pages, if there is one; the button stays busy until the browser is gone. */
export async function leaveFor(url: string | null): Promise<void> {
  if (url === null) return;
  // A page that comes back from the browser's cache shows what was before the checkout.
  addEventListener("pageshow", (event) => event.persisted && location.reload());
  location.assign(url);
  await new Promise(() => {});
}
