// A replica in a process of its own, whose clock is set by whoever starts it: see scenarios/clocks.ts.
import { codeOf, type Replica, type Settings, startApplication } from "./application.js";

export interface Order {
  readonly url: string;
  readonly settings: Settings;
}

export interface Question {
  readonly number: number;
  readonly name: keyof Replica;
  readonly args: unknown;
}

export interface Answer {
  readonly number: number;
  readonly value?: unknown;
  readonly code?: string;
}

const { url, settings } = JSON.parse(process.argv[2] ?? "") as Order;
const { replica } = startApplication(url, settings);

async function answered({ name, args }: Question): Promise<unknown> {
  if (name !== "fetch") return replica[name](args as never);
  const { url: address, ...init } = args as { url: string } & RequestInit;
  const answer = await replica.fetch(new Request(address, init));
  const headers = Object.fromEntries(answer.headers);
  return { status: answer.status, headers, body: await answer.text() };
}

process.on("message", (question: Question) => {
  const { number } = question;
  void answered(question).then(
    (value) => process.send?.({ number, value } satisfies Answer),
    (error: unknown) => process.send?.({ number, code: codeOf(error) } satisfies Answer),
  );
});
process.on("disconnect", () => process.exit());
