/** What was asked of the double: counts for ever, and the last requests one by one. */

export interface LoggedRequest {
  /** Milliseconds of the double's time at its arrival. */
  readonly at: number;
  /** Its id, which is in the answer's headers and in the events that the request raised. */
  readonly id: string;
  readonly method: string;
  /** Path and query. */
  readonly url: string;
  /** Method and path pattern, such as `GET /v1/customers/:customer`. */
  readonly signature: string | undefined;
  readonly status: number;
}

/** The requests that were made of the double. */
export interface RequestLog {
  /** How many there were: of one signature, or in all. */
  count(signature?: string): number;
  /** How many got this status. */
  countStatus(status: number): number;
  /** The last ones, oldest first, ten thousand at most. */
  recent(): readonly LoggedRequest[];
  /** Forgets everything, counts included. */
  clear(): void;
}

const KEPT = 10_000;

export function createRequestLog(): RequestLog & { add(request: LoggedRequest): void } {
  const counts = new Map<string, number>();
  const statuses = new Map<number, number>();
  let recent: LoggedRequest[] = [];
  let total = 0;
  return {
    add(request) {
      total++;
      const name = request.signature ?? "";
      counts.set(name, (counts.get(name) ?? 0) + 1);
      statuses.set(request.status, (statuses.get(request.status) ?? 0) + 1);
      recent.push(request);
      if (recent.length >= 2 * KEPT) recent = recent.slice(-KEPT);
    },
    count: (signature) => (signature === undefined ? total : (counts.get(signature) ?? 0)),
    countStatus: (status) => statuses.get(status) ?? 0,
    recent: () => recent.slice(-KEPT),
    clear() {
      counts.clear();
      statuses.clear();
      recent = [];
      total = 0;
    },
  };
}
