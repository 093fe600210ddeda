/** The hosted pages: which page a path is, in the world that holds its session. */
import { inTimeOf } from "../billing/test-clocks.js";
import { portalSessionId } from "../resources/portal/sessions.js";
import type { World } from "../world/world.js";
import { checkoutPage } from "./checkout.js";
import { html, type PageAnswer, page } from "./html.js";
import { paymentLinkPage } from "./payment-link.js";
import { portalPage } from "./portal.js";

export type { PageAnswer } from "./html.js";

export interface PageRequest {
  readonly method: string;
  /** Path and query. */
  readonly url: string;
  readonly body: string;
}

/** A page of the double, by its path; undefined for a path that is none. */
function placeOf(pathname: string) {
  const [area, kind = "", ...parts] = pathname.split("/").slice(1);
  const [token = "", ...rest] = parts;
  if (area === "c" && kind === "pay") return { area: "checkout", id: token, token, rest } as const;
  if (area === "p" && kind === "session") {
    return { area: "portal", id: portalSessionId(token), token, rest } as const;
  }
  return area === "b" ? ({ area: "link", id: kind, token: kind, rest: parts } as const) : undefined;
}

/** Answers a page of the checkout, the portal or a payment link; undefined for any other path. */
export async function servePage(
  lookup: (object: string) => World | undefined,
  request: PageRequest,
): Promise<PageAnswer | undefined> {
  const { pathname, searchParams: query } = new URL(request.url, "http://page.invalid");
  const place = placeOf(pathname);
  if (place === undefined) return undefined;
  const posts = request.method === "POST" && place.area !== "link";
  if (request.method !== "GET" && !posts) return notFound(405);
  const { area, id, token, rest } = place;
  const world = lookup(id);
  if (world === undefined) return notFound(404);
  const form = posts ? new URLSearchParams(request.body) : undefined;
  try {
    const answer = inTimeOf(world, [id], () => {
      if (area === "link") {
        return rest.length > 0 ? undefined : paymentLinkPage(world, id, query);
      }
      return area === "checkout"
        ? checkoutPage(world, token, rest[0], form)
        : portalPage(world, { token, rest, query, form });
    });
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
