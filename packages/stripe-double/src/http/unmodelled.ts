/** What was asked of the double that Stripe has and the double does not model, for its report. */

/** One thing that is not modelled, and how often it was asked for. */
export interface UnmodelledRequest {
  /** Method and path, such as `POST /v1/subscriptions/:subscription` or `GET /v1/topups/:id`. */
  readonly request: string;
  /** The parameter, such as `items[0][tax_rates]`; undefined where the whole request is meant. */
  readonly parameter: string | undefined;
  /** What the double does not do, in words. */
  readonly message: string;
  readonly times: number;
}

export interface Unmodelled {
  /** Whether requests go on without what is not modelled, instead of being answered with 501. */
  readonly records: boolean;
  note(asked: Omit<UnmodelledRequest, "times">): void;
  /** In the order in which they were first asked for. */
  all(): readonly UnmodelledRequest[];
}

export function createUnmodelled(records: boolean): Unmodelled {
  const noted = new Map<string, UnmodelledRequest>();
  return {
    records,
    note(asked) {
      const key = `${asked.request} ${asked.parameter ?? asked.message}`;
      noted.set(key, { ...asked, times: (noted.get(key)?.times ?? 0) + 1 });
    },
    all: () => [...noted.values()],
  };
}
