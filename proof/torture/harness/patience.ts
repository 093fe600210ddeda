/** Waiting, alone and together. */

/** Lets nobody pass until so many are there, or a while has passed. */
export function gathering(count: number): () => Promise<void> {
  let [left, open] = [count, () => {}];
  const door = new Promise<void>((resolve) => {
    open = resolve;
    setTimeout(resolve, 3_000);
  });
  return () => {
    if (--left === 0) open();
    return door;
  };
}

/** A promise with a limit; what is said names what took so long. */
export function within<T>(milliseconds: number, what: string, promise: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(
      () => reject(new Late(`${what} did not end within ${milliseconds / 1000} s`)),
      milliseconds,
    );
    promise.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}

export class Late extends Error {}

/** What an error says. */
export function message(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

export function sleep(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
