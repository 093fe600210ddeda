/** Load over HTTP: as fast as some callers get answers, or at a rate that does not wait for them. */
import { createHmac } from "node:crypto";
import { Agent, request } from "node:http";
import { createHistogram, performance, type RecordableHistogram } from "node:perf_hooks";
import { setTimeout as sleep } from "node:timers/promises";
import { stream } from "../../packages/stripe-double/src/world/random.js";
import type { SoakEvent } from "./stripe.js";

/** Latencies of one kind of request, in microseconds. */
export interface Latencies {
  /** From when it was sent. */
  readonly sent: RecordableHistogram;
  /** From when it was due: what a late sender would hide is in it. */
  readonly due: RecordableHistogram;
}

export const latencies = (): Latencies => ({ sent: createHistogram(), due: createHistogram() });

export interface Answer {
  readonly status: number;
  readonly text: string;
}

export interface Target {
  post(path: string, body?: string, headers?: { readonly [name: string]: string }): Promise<Answer>;
  /** Sends an event, signed. False if it was not taken. */
  deliver(event: SoakEvent): Promise<boolean>;
  close(): void;
}

/**
 * Milliseconds after which a connection that is not used is ended from this side: half of what the application
 * gives it, so that none is ended from there just as it is taken again.
 */
const IDLE = 30_000;

export function targetAt(port: number, secret: string): Target {
  const agent = new Agent({ keepAlive: true, maxSockets: 256, timeout: IDLE });
  const post: Target["post"] = (path, body = "", headers = {}) =>
    new Promise((resolve, reject) => {
      const length = { "content-length": Buffer.byteLength(body) };
      const options = { agent, port, path, method: "POST", headers: { ...headers, ...length } };
      const sent = request({ host: "127.0.0.1", ...options }, (response) => {
        let text = "";
        response.setEncoding("utf8").on("data", (piece: string) => {
          text += piece;
        });
        response.on("end", () => resolve({ status: response.statusCode ?? 0, text }));
        response.on("error", reject);
      });
      sent.on("error", (cause) => reject(new Error(`${path}: ${cause.message}`, { cause })));
      sent.end(body);
    });
  return {
    post,
    async deliver({ body }) {
      const at = Math.floor(Date.now() / 1000);
      const mac = createHmac("sha256", secret).update(`${at}.${body}`).digest("hex");
      const headers = {
        "content-type": "application/json",
        "stripe-signature": `t=${at},v1=${mac}`,
      };
      const { status } = await post("/stripe/webhook", body, headers);
      return status === 200;
    },
    close: () => agent.destroy(),
  };
}

/** Events in their order, asked for some at a time. */
export function feedFrom(ask: (count: number) => Promise<SoakEvent[]>, size = 200) {
  const ready: SoakEvent[] = [];
  let coming: Promise<void> | undefined;
  const fill = () => {
    coming ??= ask(size).then((more) => {
      ready.push(...more);
      coming = undefined;
    });
    return coming;
  };
  return {
    async next(): Promise<SoakEvent> {
      if (ready.length < size / 2) void fill();
      for (;;) {
        const event = ready.shift();
        if (event !== undefined) return event;
        await fill();
      }
    },
    /** What was asked for and not sent: it has happened at Stripe, so it must be sent in the end. */
    async rest(): Promise<SoakEvent[]> {
      await coming;
      return ready.splice(0);
    },
  };
}

/** Calls one after the other, by so many callers, until `isOver`; answers how many there were. */
export async function asFastAsPossible(
  callers: number,
  isOver: (begun: number) => boolean,
  call: () => Promise<void>,
): Promise<number> {
  let begun = 0;
  const caller = async () => {
    while (!isOver(begun)) {
      begun++;
      await call();
    }
  };
  await Promise.all(Array.from({ length: callers }, caller));
  return begun;
}

export interface Paced {
  readonly perSecond: number;
  readonly until: number;
  readonly seed: string;
  /** Is given when it was due. It must not fail. */
  call(due: number): Promise<void>;
}

/** Calls at a rate, at random moments, whether or not earlier ones are answered. */
export async function paced({ perSecond, until, seed, call }: Paced): Promise<number> {
  const next = stream("pace", seed);
  const under = new Set<Promise<void>>();
  let due = performance.now();
  let begun = 0;
  while (due < until) {
    const wait = due - performance.now();
    if (wait > 0) await sleep(wait);
    while (due <= performance.now() && due < until) {
      const calling = call(due).finally(() => under.delete(calling));
      under.add(calling);
      begun++;
      due += (-Math.log(1 - next()) * 1000) / perSecond;
    }
  }
  await Promise.all(under);
  return begun;
}

/** Does something and writes down how long it took. */
export async function timed<T>(
  { sent, due }: Latencies,
  since: number,
  work: () => Promise<T>,
): Promise<T> {
  const began = performance.now();
  const result = await work();
  const end = performance.now();
  sent.record(Math.max(1, Math.round((end - began) * 1000)));
  due.record(Math.max(1, Math.round((end - since) * 1000)));
  return result;
}
