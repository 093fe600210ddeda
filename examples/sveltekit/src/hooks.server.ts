import type { ServerInit } from "@sveltejs/kit";
import { billing, pool } from "$lib/server/billing";

/** adapter-node says when it has answered the last request. */
export const init: ServerInit = () => {
  process.once("sveltekit:shutdown", async () => {
    await billing.close();
    await pool.end();
  });
};
