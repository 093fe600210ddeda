/** What the pricing page has of the backend, over HTTP. */
import { useCallback, useEffect, useState } from "react";
import { type Chosen, type Pricing, PricingError, type PricingState } from "./pricing-plans.js";

async function ask<T>(method: "GET" | "POST", name: string, sent: object = {}): Promise<T> {
  const headers = { "content-type": "application/json" };
  const body = JSON.stringify(sent);
  const init = method === "GET" ? {} : { method, headers, body };
  const answer = await fetch(`/api/pricing/${name}`, init).catch(() => undefined);
  const said = await answer?.json().catch(() => undefined);
  if (answer?.ok && said !== undefined) return said;
  const { code = "failed", message = "The server did not answer. Try again." } = said?.error ?? {};
  throw new PricingError(code, message);
}

export function usePricing(): Pricing {
  const [state, setState] = useState<PricingState | null>();
  const [problem, setProblem] = useState<string>();
  const load = useCallback(async () => {
    try {
      setState(await ask<PricingState>("GET", "state"));
      setProblem(undefined);
    } catch (error) {
      if (error instanceof PricingError && error.code === "sign_in") setState(null);
      else setProblem((error as Error).message);
    }
  }, []);
  useEffect(() => {
    load();
    // A browser may show the page as it was left, when people come back from Stripe's.
    const onShow = (event: PageTransitionEvent) => event.persisted && load();
    window.addEventListener("pageshow", onShow);
    return () => window.removeEventListener("pageshow", onShow);
  }, [load]);
  const change = async <T>(name: string, sent?: object): Promise<T> => {
    try {
      return await ask<T>("POST", name, sent);
    } finally {
      await load();
    }
  };
  return {
    state,
    problem,
    choose: (key, quote) =>
      quote === undefined
        ? ask<Chosen>("POST", "choose", { key })
        : change<Chosen>("choose", { key, quote }),
    portal: async () => (await ask<{ url: string }>("POST", "portal")).url,
    cancel: () => change("cancel"),
    resume: () => change("resume"),
  };
}
