/** The question of `push` before a live account is changed, on a terminal. */
import { confirm } from "@clack/prompts";
import { counted } from "../terminal/format.js";

export async function askWhetherToPush(requests: number): Promise<boolean> {
  const answer = await confirm({
    message: `This is the live account. Do ${counted(requests, "request")}?`,
    initialValue: false,
  });
  return answer === true;
}
