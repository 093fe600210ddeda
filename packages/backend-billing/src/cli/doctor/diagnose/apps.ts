/** Whose customers are on the Stripe account, judged. Pure. */
import { listed } from "../../terminal/format.js";
import type { StoredFacts } from "../facts.js";
import type { Find, Finding } from "../finding.js";

export function diagnoseApps(
  find: Find,
  app: string | undefined,
  { app: stored, marks }: StoredFacts,
): Finding[] {
  if (stored !== undefined && stored !== app) {
    const given = app === undefined ? "is none" : `is ${app}`;
    return [find("app_mismatch", { stored, given })]; // the rest was judged by the wrong name
  }
  const { linked, unmarked, theirs, strangers } = marks;
  const example = (kind: string) => strangers.find((each) => each.kind === kind)?.customer;
  const malformed = example("malformed");
  const found =
    malformed === undefined ? [] : [find("customers_malformed", { customer: malformed })];
  if (app === undefined) {
    const apps = strangers.flatMap((each) => each.app ?? []);
    return apps.length === 0 ? found : [find("app_missing", { apps: listed(apps) }), ...found];
  }
  const unnamed = example("unnamed");
  return [
    ...(theirs.length === 0
      ? []
      : [find("customers_of_others", { count: theirs.length, customers: listed(theirs), app })]),
    ...(unmarked === 0 ? [] : [find("customers_unmarked", { linked, count: unmarked })]),
    ...(unnamed === undefined ? [] : [find("customers_unnamed", { customer: unnamed, app })]),
    ...found,
  ];
}
