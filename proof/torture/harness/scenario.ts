/** What a scenario is: a history at Stripe, and how its news reach the subject. */
import type { Kind } from "./facts.js";
import type { Stage } from "./stage.js";
import type { Ability } from "./subject.js";

export interface Scenario {
  /** Unique in its family, in kebab-case. */
  readonly name: string;
  /** What happens, in one sentence. */
  readonly what: string;
  /** What must be true at the end, in one sentence. */
  readonly must: string;
  /**
   * The kinds that are compared with Stripe at the end, object by object. A subject that does not
   * mirror all of them is not offered the scenario.
   */
  readonly about: readonly Kind[];
  readonly needs?: readonly Ability[];
  /** It states what must hold; the objects are not compared field by field. */
  readonly judged?: "by itself";
  /** Runs the subject in a process of its own, which can be killed. */
  readonly ownProcess?: true;
  /** Takes about a minute, so it is begun before the others. */
  readonly long?: true;
  /** Takes minutes; run only with `--slow`. */
  readonly slow?: true;
  /** Other applications use the account too, so the subject has a name if it takes one. */
  readonly sharesAccount?: true;
  /** The subject sells here, and may cancel at Stripe what was sold. */
  readonly sells?: true;
  /** The account's own API version, if it is not the newest. */
  readonly apiVersion?: string;
  play(stage: Stage): Promise<void>;
}

export interface Family {
  readonly name: string;
  readonly title: string;
  /** Why these happen in real life. */
  readonly why: string;
  readonly scenarios: readonly Scenario[];
}

export type Outcome =
  | { readonly result: "pass" }
  | { readonly result: "fail"; readonly wrong: string }
  | { readonly result: "not offered"; readonly why: string }
  | { readonly result: "not run"; readonly why: string };
