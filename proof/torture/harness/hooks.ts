/**
 * The application behind a subject's hooks, at work in the subject's process: one handler, whatever
 * the hook is called. What it does is in the scenario's hands (inbox.ts): it calls there, as it would
 * call a service that sends mails, and fails if that fails.
 */
import { request } from "node:http";

/** What a hook told. A subject that gives no names tells of changes only. */
export interface News {
  readonly name: "started" | "changed" | "ended";
  readonly subscription: string;
  readonly price?: string | undefined;
}

export type Hear = (news: News) => Promise<void>;

/** The application's handler; undefined where the scenario is not about hooks. */
export function hearing(inbox: string | undefined): Hear | undefined {
  if (inbox === undefined) return undefined;
  return async (news) => {
    const status = await post(inbox, JSON.stringify(news));
    if (status !== 200) throw new Error("The application could not do what it was told");
  };
}

/** Not by `fetch`: this is the harness's own line, also from hooks on Convex, where mutations have none. */
function post(url: string, body: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { method: "POST" }, (answer) => {
      answer.resume().once("end", () => resolve(answer.statusCode ?? 0));
    });
    sent.once("error", reject);
    sent.end(body);
  });
}

interface Sold {
  readonly id: string;
  readonly items: { readonly data: readonly { readonly price?: { readonly id: string } }[] };
}

/** What an application reads of a subscription of Stripe's, in whatever way it was given one. */
export const newsOf = (name: News["name"], { id, items }: Sold): News => ({
  name,
  subscription: id,
  price: items.data[0]?.price?.id,
});
