// What senders may take of the memory before it is known who they are.
import { afterEach, describe, expect, it, vi } from "vitest";
import {
  type BodySource,
  createIntake,
  fetchBody,
  type IntakeLimits,
} from "../../../src/core/events/body.js";

const LIMITS: IntakeLimits = { body: 100, together: 250, patience: 10_000 };

/** A sender whose pieces come when the test says so. */
function sender() {
  const waiting: ((piece: Uint8Array | undefined) => void)[] = [];
  let fail: (error: Error) => void = () => {};
  const state = { asked: 0, cancelled: false };
  const source: BodySource = {
    next: () => {
      state.asked++;
      return new Promise((resolve, reject) => {
        waiting.push(resolve);
        fail = reject;
      });
    },
    cancel: () => {
      state.cancelled = true;
    },
  };
  const turn = () => new Promise<void>((resolve) => process.nextTick(resolve));
  return {
    source,
    state,
    send: async (text: string) => {
      waiting.shift()?.(new TextEncoder().encode(text));
      await turn();
    },
    end: async () => {
      waiting.shift()?.(undefined);
      await turn();
    },
    abort: () => fail(new Error("aborted")),
  };
}

const x = (length: number) => "x".repeat(length);
const refusal = (read: Promise<unknown>) =>
  read.then(
    () => "read",
    (error: { refusal?: string }) => error.refusal,
  );

describe("a body", () => {
  it("is put together of its pieces, also where one cuts a letter, and counts until it is released", async () => {
    const intake = createIntake(LIMITS);
    const bytes = [...new TextEncoder().encode("Zoë ✓ done")];
    const source: BodySource = {
      next: async () => (bytes.length > 0 ? Uint8Array.of(bytes.shift() ?? 0) : undefined),
      cancel: () => {},
    };
    const body = await intake.read(source);
    expect(body.text).toBe("Zoë ✓ done");
    expect(intake.held).toBe(13);
    body.release();
    body.release();
    expect(intake.held).toBe(0);
  });

  it("may be empty", async () => {
    const request = new Request("https://app.example", { method: "POST" });
    expect((await createIntake(LIMITS).read(fetchBody(request))).text).toBe("");
  });

  it("may be as large as the limit, and is refused beyond it without reading on", async () => {
    const intake = createIntake(LIMITS);
    const [full, over] = [sender(), sender()];
    const reading = [refusal(intake.read(full.source)), refusal(intake.read(over.source))];
    await full.send(x(100));
    await full.end();
    await over.send(x(60));
    await over.send(x(41));
    expect(await Promise.all(reading)).toEqual(["read", "large"]);
    expect(over.state).toEqual({ asked: 2, cancelled: true });
    expect(intake.held).toBe(100);
  });

  it("is ended when it does not arrive in time", async () => {
    vi.useFakeTimers();
    const intake = createIntake(LIMITS);
    const silent = sender();
    const reading = refusal(intake.read(silent.source));
    void silent.send(x(50));
    await vi.advanceTimersByTimeAsync(LIMITS.patience);
    expect(await reading).toBe("slow");
    expect(silent.state.cancelled).toBe(true);
    expect(intake.held).toBe(0);
  });

  it("whose sender goes away is refused as that, and not counted any more", async () => {
    const intake = createIntake(LIMITS);
    const gone = sender();
    const reading = refusal(intake.read(gone.source));
    await gone.send(x(50));
    gone.abort();
    expect(await reading).toBe("aborted");
    expect(intake.held).toBe(0);
  });
});

describe("bodies that are too much together", () => {
  it("give way by age: a slow sender does not keep a quick one out", async () => {
    const intake = createIntake(LIMITS);
    const slow = [sender(), sender(), sender()];
    const reading = slow.map(({ source }) => refusal(intake.read(source)));
    for (const { send } of slow) await send(x(80));
    expect(intake.held).toBe(240);
    const quick = sender();
    const read = intake.read(quick.source);
    await quick.send(x(90));
    await quick.end();
    expect((await read).text).toBe(x(90));
    expect(await reading[0]).toBe("crowded");
    expect(slow.map(({ state }) => state.cancelled)).toEqual([true, false, false]);
    expect(intake.held).toBe(250);
  });

  it("are refused themselves when what is held is read and not yet judged", async () => {
    const intake = createIntake(LIMITS);
    const whole = (length: number) =>
      fetchBody(new Request("https://app.example", { method: "POST", body: x(length) }));
    const bodies = await Promise.all([100, 100].map((length) => intake.read(whole(length))));
    expect(await refusal(intake.read(whole(60)))).toBe("crowded");
    expect(intake.held).toBe(200);
    for (const body of bodies) body.release();
    expect(await refusal(intake.read(whole(60)))).toBe("read");
  });
});

afterEach(() => {
  vi.useRealTimers();
});

describe("a body", () => {
  const read = async (...bytes: number[]) => {
    const body = new Uint8Array(bytes);
    const request = new Request("http://localhost", { method: "POST", body });
    return (await createIntake().read(fetchBody(request))).text;
  };

  it("stands for the very bytes that came: a mark at its beginning is a part of it", async () => {
    expect(await read(0xef, 0xbb, 0xbf, 0x7b, 0x7d)).toBe("\ufeff{}");
  });

  it("that is not UTF-8 is refused, and not mended", async () => {
    await expect(read(0x7b, 0xff, 0x7d)).rejects.toMatchObject({ refusal: "garbled" });
  });
});
