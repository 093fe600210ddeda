/**
 * Reads the bodies of webhooks. Until a body is read nothing proves who sends it, so what unproven
 * senders may take is bounded: the size of one body, of all of them together, and the time.
 */

/** Where a body comes from. */
export interface BodySource {
  /** The next piece, or undefined at the end. Rejects if the sender went away. */
  next(): Promise<Uint8Array | undefined>;
  /** Nothing more is read. */
  cancel(): void;
}

/** A body that was read. It counts towards the bound until it is released. */
export interface Body {
  readonly text: string;
  release(): void;
}

/**
 * `large`: more than a body may have. `crowded`: the bodies under way are too much together.
 * `slow`: it took too long. `aborted`: the sender went away. `garbled`: it is not UTF-8.
 */
export type Refusal = "large" | "crowded" | "slow" | "aborted" | "garbled";

export class BodyRefused extends Error {
  override readonly name = "BodyRefused";
  constructor(
    readonly refusal: Refusal,
    options?: { readonly cause?: unknown },
  ) {
    super(`The body was refused: ${refusal}`, options);
  }
}

export interface IntakeLimits {
  /** Bytes of one body. */
  readonly body: number;
  /** Bytes of all bodies whose sender is not proven yet. */
  readonly together: number;
  /** Milliseconds for one body. */
  readonly patience: number;
}

const MEGABYTE = 1024 * 1024;

/** Stripe's events are below 256 kB and arrive at once. */
export const INTAKE_LIMITS: IntakeLimits = {
  body: MEGABYTE,
  together: 32 * MEGABYTE,
  patience: 10_000,
};

export interface Intake {
  /** Reads a body, or rejects with {@link BodyRefused}. Bytes are counted whatever was declared. */
  read(source: BodySource): Promise<Body>;
  /** Bytes that are held now. */
  readonly held: number;
}

interface Reading {
  bytes: number;
  refused: boolean;
  refuse(refusal: Refusal, cause?: unknown): void;
}

/** Text that stands for these very bytes: what is signed are bytes, so none may be left out or mended. */
const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

export function createIntake(limits: IntakeLimits = INTAKE_LIMITS): Intake {
  /** In the order in which they began. */
  const readings = new Set<Reading>();
  let held = 0;

  /**
   * Counts more bytes. Where they are too many together, those give way that have been under way
   * longest: Stripe's bodies arrive at once, so a slow sender cannot keep them out.
   */
  const count = (reading: Reading, more: number): void => {
    reading.bytes += more;
    held += more;
    if (reading.bytes > limits.body) reading.refuse("large");
    while (held > limits.together && !reading.refused) {
      const [oldest = reading] = readings;
      oldest.refuse("crowded");
    }
  };

  const read = async (source: BodySource): Promise<Body> => {
    let reject: (error: BodyRefused) => void = () => {};
    const refusal = new Promise<never>((_, fail) => {
      reject = fail;
    });
    const forget = () => {
      held -= reading.bytes;
      reading.bytes = 0;
    };
    const reading: Reading = {
      bytes: 0,
      refused: false,
      refuse: (why, cause) => {
        reading.refused = true;
        readings.delete(reading);
        forget();
        source.cancel();
        reject(new BodyRefused(why, { cause }));
      },
    };
    readings.add(reading);
    const timer = setTimeout(() => reading.refuse("slow"), limits.patience);
    const collect = async (): Promise<string> => {
      const assembly = createAssembly();
      for (;;) {
        const piece = await source.next();
        if (piece === undefined) {
          const text = assembly.text();
          if (text === undefined && !reading.refused) reading.refuse("garbled");
          return text ?? "";
        }
        if (!reading.refused) count(reading, piece.length);
        if (reading.refused) return "";
        assembly.add(piece);
      }
    };
    const collected = collect().catch((cause: unknown) => {
      if (!reading.refused) reading.refuse("aborted", cause);
      return "";
    });
    try {
      const text = await Promise.race([refusal, collected]);
      return { text, release: forget };
    } finally {
      clearTimeout(timer);
      readings.delete(reading);
    }
  };

  return {
    read,
    get held() {
      return held;
    },
  };
}

/**
 * Puts pieces together as they come. They are not kept apart: a sender may cut a body into pieces
 * of one byte, and each would take more memory than its byte.
 */
function createAssembly() {
  let bytes: Uint8Array = new Uint8Array();
  let size = 0;
  return {
    add(piece: Uint8Array): void {
      const needed = size + piece.length;
      if (size === 0) bytes = piece;
      else {
        if (needed > bytes.length) bytes = enlarged(bytes.subarray(0, size), needed);
        bytes.set(piece, size);
      }
      size = needed;
    },
    /** Undefined for what is not UTF-8. */
    text: (): string | undefined => {
      try {
        return decoder.decode(bytes.subarray(0, size));
      } catch {
        return undefined;
      }
    },
  };
}

function enlarged(bytes: Uint8Array, needed: number): Uint8Array {
  const larger = new Uint8Array(Math.max(2 * bytes.length, needed));
  larger.set(bytes);
  return larger;
}

/** The body of a Fetch request. It is not touched before the first piece is asked for. */
export function fetchBody(request: Request): BodySource {
  let reader: ReadableStreamDefaultReader<Uint8Array> | undefined;
  return {
    next: async () => {
      reader ??= request.body?.getReader();
      const read = await reader?.read();
      return read?.done === false ? read.value : undefined;
    },
    cancel: () => {
      // Fails if the sender is gone already, which is as good.
      reader?.cancel().catch(() => {});
    },
  };
}
