/** Section 4.2, `addCronJobs`: written with the cron jobs themselves. */
import type { Check, Checks } from "../harness.js";

/** Stands for a test that no platform can run yet: one that ends its skip must write it. */
export const notYet: Check = async () => {
  throw new Error("This test is written with what it tests.");
};

export const cron: Checks<"4.2#cron-"> = {
  "4.2#cron-startup": notYet,
  "4.2#cron-current": notYet,
};
