/** Debian's Chromium, driven by playwright-core, and what the walks do in it. */
import { existsSync, mkdirSync } from "node:fs";
import { type Browser, chromium, type Locator, type Page } from "playwright-core";

const PATH = process.env.CHROMIUM_PATH ?? "/usr/bin/chromium";
const ARTIFACTS = "artifacts/e2e";
export const LAPTOP = { width: 1280, height: 800 };
export const PHONE = { width: 390, height: 844 };
/** How long to wait for anything, on a machine that may be busy. */
export const PATIENCE = 120_000;

export async function launch(): Promise<Browser> {
  if (!existsSync(PATH)) {
    console.error(
      `There is no Chromium at ${PATH}. Install it (on Debian: apt-get install chromium), or set CHROMIUM_PATH to one.`,
    );
    process.exit(1);
  }
  mkdirSync(ARTIFACTS, { recursive: true });
  return chromium.launch({
    executablePath: PATH,
    headless: true,
    args: [
      "--no-sandbox",
      "--disable-gpu",
      "--disable-quic",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
    ],
  });
}

/** Keeps how the page looks, and checks that nothing of it lies beyond the screen's edge. */
export async function look(page: Page, name: string): Promise<void> {
  await page.screenshot({
    path: `${ARTIFACTS}/${name}.png`,
    fullPage: true,
    animations: "disabled",
  });
  const wide = await page.evaluate<boolean>("document.documentElement.scrollWidth > innerWidth");
  if (wide) throw new Error(`${name} is wider than the screen`);
}

/** The same on a laptop and on a phone, by day and by night. */
export async function lookAround(page: Page, name: string): Promise<void> {
  for (const [screen, size] of Object.entries({ phone: PHONE, laptop: LAPTOP })) {
    await page.setViewportSize(size);
    for (const colorScheme of ["dark", "light"] as const) {
      await page.emulateMedia({ colorScheme });
      await look(page, `${name}-${screen}-${colorScheme}`);
    }
  }
}

/**
 * Waits until the page shows something, and loads it again meanwhile. What events of one second leave open Stripe is asked about two
 * seconds later, and a page that was loaded before that stays as it is.
 */
export async function shownAtLast(page: Page, wanted: Locator): Promise<void> {
  for (const end = Date.now() + PATIENCE; ; await page.reload()) {
    const missed = await wanted.waitFor({ timeout: 5_000 }).catch((error: unknown) => error);
    if (missed === undefined) return;
    if (Date.now() > end) throw missed;
  }
}

export async function fillCard(page: Page, number: string): Promise<void> {
  await page.getByLabel("Card number").fill(number);
  await page.getByLabel("Expiry").fill("12 / 34");
  await page.getByLabel("Security code").fill("123");
  await page.getByLabel("Name on card").fill("Ada Lovelace");
}

export async function heading(page: Page, wanted: string): Promise<void> {
  await page.getByRole("heading", { level: 1, name: wanted, exact: true }).waitFor();
}
