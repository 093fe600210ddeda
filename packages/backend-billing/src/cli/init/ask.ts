/** The questions of `init`, on a terminal. */
import { confirm, intro, isCancel, select } from "@clack/prompts";
import type { PlatformName } from "../doctor/commands.js";
import type { Variant } from "./templates.js";

export interface Choices {
  readonly platform: PlatformName;
  readonly variant: Variant;
}

/** Asks for what was not said; undefined if the person would rather not. */
export async function askChoices(
  given: Partial<Choices>,
  likely: Choices,
): Promise<Choices | undefined> {
  intro("backend-billing");
  const platform = given.platform ?? (await askPlatform(likely.platform));
  if (isCancel(platform)) return undefined;
  const variant = given.variant ?? (await askVariant(likely.variant));
  return isCancel(variant) ? undefined : { platform, variant };
}

const askPlatform = (initialValue: PlatformName) =>
  select<PlatformName>({
    message: "Where does your backend run?",
    initialValue,
    options: [
      { value: "node-postgres", label: "Node and PostgreSQL" },
      { value: "convex", label: "Convex" },
    ],
  });

const askVariant = (initialValue: Variant) =>
  select<Variant>({
    message: "Which functions do you want? You can change later without a migration.",
    initialValue,
    options: [
      { value: "B", label: "Variant B, createBilling", hint: "checkout, portal and setup" },
      {
        value: "A",
        label: "Variant A, createStripe",
        hint: "subscribe, pay and portal, with Stripe's own parameters",
      },
    ],
  });

export async function askWhetherToWrite(paths: readonly string[]): Promise<boolean> {
  const answer = await confirm({ message: `Write ${paths.join(", ")}?` });
  return answer === true;
}
