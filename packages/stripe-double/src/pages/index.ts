/** The hosted pages: which page a path is, in the world that holds its session. */
import { inTimeOf } from "../billing/test-clocks.js";
import { portalSessionId } from "../resources/portal/sessions.js";
import type { World } from "../world/world.js";
import { checkoutPage } from "./checkout.js";
import { html, type PageAnswer, page } from "./html.js";
import { portalPage } from "./portal.js";

export type { PageAnswer } from "./html.js";

export interface PageRequest {
  readonly method: string;
  /** Path and query. */
  readonly url: string;
  readonly body: string;
}

/** Answers a page of the checkout or the portal; undefined for a path that is neither. */
export async function servePage(
  lookup: (session: string) => World | undefined,
  request: PageRequest,
): Promise<PageAnswer | undefined> {
  const { pathname, searchParams: query } = new URL(request.url, "http://page.invalid");
  const [area, kind, token = "", ...rest] = pathname.split("/").slice(1);
  const checkout = area === "c" && kind === "pay";
  const portal = area === "p" && kind === "session";
  if (!checkout && !portal) return undefined;
  if (request.method !== "GET" && request.method !== "POST") return notFound(405);
  const world = lookup(checkout ? token : portalSessionId(token));
  if (world === undefined) return notFound(404);
  const form = request.method === "POST" ? new URLSearchParams(request.body) : undefined;
  try {
    const session = checkout ? token : portalSessionId(token);
    const answer = inTimeOf(world, [session], () =>
      checkout
        ? checkoutPage(world, token, rest[0], form)
        : portalPage(world, { token, rest, query, form }),
    );
    return answer ?? notFound(404);
  } catch (error) {
    return defect(error);
  }
}

/** The double's own failure is shown, because whoever sees the page is writing a test with it. */
function defect(error: unknown): PageAnswer {
  return page({
    title: "The double itself failed",
    width: "text",
    status: 500,
    livemode: false,
    body: html`<section class="card"><p>This is a defect of it, not of your code.</p>
<pre>${error instanceof Error ? (error.stack ?? error.message) : String(error)}</pre></section>`,
  });
}

function notFound(status: 404 | 405): PageAnswer {
  return page({
    title: "There is no such page",
    width: "narrow",
    status,
    livemode: false,
    body: html`<section class="card"><p>The link is wrong, or it belongs to another run of the double.</p></section>`,
  });
}
