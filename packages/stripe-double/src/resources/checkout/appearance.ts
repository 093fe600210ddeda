/** Where a checkout is shown, on Stripe's page or within the application, and where it leads to. */
import { invalid } from "../../api/errors.js";
import type { CheckoutSession } from "../../billing/checkout/session.js";
import { token } from "../../world/random.js";
import type { World } from "../../world/world.js";

type UiMode = "elements" | "embedded_page" | "form" | "hosted_page";

/** The names of today, by those that versions before 2026-03-25.dahlia have (changelog). */
export const FORMER_UI_MODES: { readonly [mode: string]: UiMode } = {
  custom: "elements",
  embedded: "embedded_page",
  hosted: "hosted_page",
};
const UI_MODES: readonly UiMode[] = ["elements", "embedded_page", "form", "hosted_page"];

interface Asked {
  readonly cancel_url?: string | undefined;
  readonly redirect_on_completion?: "always" | "if_required" | "never" | undefined;
  readonly return_url?: string | undefined;
  readonly success_url?: string | undefined;
  readonly ui_mode?: string | undefined;
}

function uiModeOf({ ui_mode: asked = "hosted_page" }: Asked): UiMode {
  const mode = FORMER_UI_MODES[asked] ?? UI_MODES.find((each) => each === asked);
  if (mode !== undefined) return mode;
  throw invalid(`Invalid ui_mode: must be one of ${UI_MODES.join(", ")}`, "ui_mode");
}

/** A hosted page leads to `success_url`; one within the application has a `return_url` instead. */
export function checkAddresses(params: Asked): void {
  const hosted = uiModeOf(params) === "hosted_page";
  const needs = hosted ? "success_url" : "return_url";
  const stays = params.redirect_on_completion === "never";
  const [unfit] = (
    hosted ? ["return_url", "redirect_on_completion"] : ["success_url", "cancel_url"]
  ).filter((name) => params[name as keyof Asked] !== undefined);
  if (unfit !== undefined) {
    throw invalid(`You can not pass \`${unfit}\` with this \`ui_mode\`.`, unfit);
  }
  if (params[needs] === undefined && (hosted || !stays)) {
    throw invalid(`Missing required param: ${needs}.`, needs, "parameter_missing");
  }
  for (const name of ["success_url", "cancel_url", "return_url"] as const) {
    const url = params[name];
    if (url !== undefined && !/^[a-z][a-z0-9+.-]*:\/\/[^\s]+$/i.test(url)) {
      throw invalid("Not a valid URL", name, "url_invalid");
    }
  }
}

/** How the session shows it: a page of its own, or a secret for the application's. */
export function appearanceOf(
  world: World,
  id: string,
  params: Asked,
): Pick<CheckoutSession, "cancel_url" | "client_secret" | "success_url" | "ui_mode" | "url"> &
  Partial<Pick<CheckoutSession, "redirect_on_completion" | "return_url">> {
  const ui_mode = uiModeOf(params);
  const page = `${world.origin}/c/pay/${id}`;
  if (ui_mode === "hosted_page") {
    const { success_url = null, cancel_url = null } = params;
    return { cancel_url, client_secret: null, success_url, ui_mode, url: page };
  }
  return {
    cancel_url: null,
    client_secret: `${id}_secret_${token(48, id)}`,
    redirect_on_completion: params.redirect_on_completion ?? "always",
    ...(params.return_url === undefined ? {} : { return_url: params.return_url }),
    success_url: null,
    ui_mode,
    url: null,
  };
}
