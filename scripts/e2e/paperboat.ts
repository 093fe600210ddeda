/** What people do in the example apps, which have one page. */
import type { BrowserContext, Page } from "playwright-core";
import { fillCard, lookAround } from "./browser.js";

/** The card that pays. */
export const CARD = "4242 4242 4242 4242";

/** Somebody new, in a browser of their own. */
export async function signUp(context: BrowserContext, url: string, name: string): Promise<Page> {
  const page = await context.newPage();
  await page.goto(`${url}/sign-up`);
  await page.getByLabel("Name").fill(name);
  await page.getByLabel("Email").fill(`${name.toLowerCase()}@example.com`);
  await page.getByLabel("Password").fill("correct horse");
  await page.getByRole("button", { name: "Create account" }).click();
  await page.getByText("No plan yet").waitFor();
  return page;
}

/** Fills Stripe's page in and pays. */
export async function payFor(page: Page, button: RegExp): Promise<void> {
  await fillCard(page, CARD);
  await page.getByRole("button", { name: button }).click();
}

/** Signs Ada out and in again; a wrong password is refused first, and looked at under this name. */
export async function signOutAndIn(page: Page, name: string): Promise<void> {
  await page.getByRole("button", { name: "Sign out" }).click();
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByLabel("Email").fill("ada@example.com");
  await page.getByLabel("Password").fill("wrong horse");
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("alert").waitFor();
  await lookAround(page, name);
  await page.getByLabel("Password").fill("correct horse");
  await page.getByRole("button", { name: "Sign in" }).click();
}
