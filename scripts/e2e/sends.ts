/** Letters, each of which takes sends, on the page of either example. */
import type { Browser } from "playwright-core";
import { LAPTOP, lookAround, PATIENCE } from "./browser.js";
import { payFor, signUp } from "./paperboat.js";
import type { Step } from "./steps.js";

export async function walkSends(
  browser: Browser,
  step: Step,
  url: string,
  name: string,
): Promise<void> {
  const context = await browser.newContext({ viewport: LAPTOP });
  context.setDefaultTimeout(PATIENCE);
  const page = await signUp(context, url, "Dorothy");
  const button = page.getByRole("button", { name: "Send letter" });
  const write = (readers: number) =>
    page.getByLabel("Send to how many readers").fill(String(readers));
  const left = (sends: string) =>
    page.getByText(new RegExp(`^${sends} sends left until \\d+ \\w+ \\d+$`)).waitFor();

  await step(
    "a letter takes sends once, and one for which too few are left is refused",
    async () => {
      await left("100");
      await write(60);
      await button.dblclick();
      await left("40");
      await write(60);
      await button.click();
      const words = "This takes 60 sends, and you have 40 left.";
      await page.getByRole("alert").getByText(words).waitFor();
      await lookAround(page, `${name}-sends-1-refused`);
      await left("40");
    },
  );

  await step("she buys more, and the letter is sent", async () => {
    await page.getByRole("button", { name: "Buy for $15" }).click();
    await payFor(page, /^Pay/);
    await left("10,040");
    await write(60);
    await button.click();
    await left("9,980");
    await lookAround(page, `${name}-sends-2-sent`);
  });
  await context.close();
}
