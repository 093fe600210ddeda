/** The pricing page: the plans of the catalogue, which of them is yours, and what you may do next. */
import { type ReactNode, useEffect, useRef, useState } from "react";
import {
  type Card,
  type Chosen,
  cardsFor,
  currentInterval,
  day,
  intervals,
  intervalText,
  money,
  type Offer,
  PricingError,
  type Step,
  standing,
  termsText,
  titleOf,
} from "./pricing-plans.js";
import { styles } from "./pricing-styles.js";
import { usePricing } from "./use-pricing.js";

interface PricingPageProps {
  /** What happens when someone chooses a plan who is not signed in. */
  onSignIn?: () => void;
}

type Asked = { key: string; offer: Offer } | "cancel";

export function PricingPage({ onSignIn }: PricingPageProps) {
  const pricing = usePricing();
  const [chosen, setChosen] = useState<string>();
  const [busy, setBusy] = useState<string>();
  const [error, setError] = useState<string>();
  const [asked, setAsked] = useState<Asked>();
  if (pricing.state === undefined) {
    return (
      <main className="pricing" aria-busy={pricing.problem === undefined}>
        <style>{styles}</style>
        <h1>Plans</h1>
        {pricing.problem ? <p role="alert">{pricing.problem}</p> : <p>Loading the plans…</p>}
      </main>
    );
  }
  const { state } = pricing;
  const all = intervals(state);
  const interval = chosen ?? currentInterval(state) ?? all[0];

  /** Does one thing at a time, and says what went wrong. */
  const run = async (name: string, work: () => Promise<void>) => {
    if (state === null && onSignIn) return onSignIn();
    setBusy(name);
    setError(undefined);
    await work().catch((failed: unknown) => setError(wordsFor(failed)));
    setBusy(undefined);
  };
  const follow = (key: string, answer: Chosen) => {
    if ("url" in answer) window.location.assign(answer.url);
    else if ("offer" in answer) setAsked({ key, offer: answer.offer });
  };
  const take = (name: string, step: Step) => {
    if (step.do === "pay") return window.location.assign(step.url);
    if (step.do === "cancel") return setAsked("cancel");
    return run(name, async () => {
      if ("key" in step) follow(step.key, await pricing.choose(step.key));
      else if (step.do === "resume") await pricing.resume();
      else if (step.do === "manage") window.location.assign(await pricing.portal());
    });
  };
  const confirm = (what: Asked) => {
    setAsked(undefined);
    return run("confirm", async () => {
      if (what === "cancel") await pricing.cancel();
      else follow(what.key, await pricing.choose(what.key, what.offer.quote));
    });
  };
  const hasPlan = state !== null && state.status !== "none";
  const cards = cardsFor(state, interval);
  // Where there is a default plan, its card has the button.
  const canCancel =
    (state?.status === "active" || state?.status === "trialing") &&
    state.endsAt === null &&
    cards.every(({ step }) => step.do !== "cancel");
  return (
    <main className="pricing" aria-busy={busy !== undefined}>
      <style>{styles}</style>
      <h1>Plans</h1>
      {state && <p role="status">{standing(state)}</p>}
      {error && <p role="alert">{error}</p>}
      {all.length > 1 && (
        <fieldset className="pricing-switch">
          <legend>Billed</legend>
          {all.map((each) => (
            <button
              key={each}
              type="button"
              aria-pressed={each === interval}
              onClick={() => setChosen(each)}
            >
              {intervalText(each)}
            </button>
          ))}
        </fieldset>
      )}
      <ul className="pricing-plans">
        {cards.map((card) => (
          <Plan
            key={card.name}
            card={card}
            isBusy={busy !== undefined}
            onTake={() => take(card.name, card.step)}
          />
        ))}
      </ul>
      {hasPlan && (
        <p className="pricing-actions">
          <button
            type="button"
            disabled={busy !== undefined}
            onClick={() => take("portal", { do: "manage" })}
          >
            Manage billing
          </button>
          {canCancel && (
            <button type="button" disabled={busy !== undefined} onClick={() => setAsked("cancel")}>
              Cancel plan
            </button>
          )}
        </p>
      )}
      {asked && (
        <Confirm
          title={asked === "cancel" ? "Cancel your plan?" : `Switch to ${titleOf(asked.key)}?`}
          yes={asked === "cancel" ? "Cancel plan" : payText(asked.offer)}
          onYes={() => confirm(asked)}
          onNo={() => setAsked(undefined)}
        >
          {asked === "cancel" ? (
            <p>You keep it until the end of what you have paid for.</p>
          ) : (
            <Costs offer={asked.offer} />
          )}
        </Confirm>
      )}
    </main>
  );
}

interface PlanProps {
  card: Card;
  isBusy: boolean;
  onTake: () => void;
}

function Plan({ card, isBusy, onTake }: PlanProps) {
  const { title, price, features, isCurrent, step } = card;
  const label = labelOf(card);
  return (
    <li className="pricing-plan" data-current={isCurrent}>
      <h2>
        {title} {isCurrent && <small>Your plan</small>}
      </h2>
      <p>
        <strong>{price ? money(price.amount, price.currency) : "Free"}</strong>{" "}
        {price && termsText(price)}
      </p>
      {step.do === "try" && <p>{card.trialDays} days free, then you pay.</p>}
      <ul>
        {features.map((feature) => (
          <li key={feature}>{feature}</li>
        ))}
      </ul>
      {label && (
        <button type="button" data-step={step.do} disabled={isBusy} onClick={onTake}>
          {label}
        </button>
      )}
      {step.do === "wait" && <p>From {day(step.until)}</p>}
    </li>
  );
}

/** What the button of a plan says; undefined if there is none. */
function labelOf({ title, step }: Card): string | undefined {
  switch (step.do) {
    case "start":
      return `Start ${title}`;
    case "try":
      return `Start ${title} trial`;
    case "switch":
      return `Switch to ${title}`;
    case "cancel":
      return `Move to ${title}`;
    case "resume":
      return `Keep ${title}`;
    case "pay":
      return "Pay the open invoice";
    case "manage":
      return "Manage billing";
    default:
      return undefined;
  }
}

interface ConfirmProps {
  title: string;
  yes: string;
  onYes: () => void;
  onNo: () => void;
  children: ReactNode;
}

function Confirm({ title, yes, onYes, onNo, children }: ConfirmProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog ref={dialog} className="pricing-confirm" aria-labelledby="confirm" onClose={onNo}>
      <h2 id="confirm">{title}</h2>
      {children}
      <p className="pricing-actions">
        <button type="button" className="pricing-strong" onClick={onYes}>
          {yes}
        </button>
        <button type="button" onClick={onNo}>
          Go back
        </button>
      </p>
    </dialog>
  );
}

function Costs({ offer: { currency, dueNow, next, lines } }: { offer: Offer }) {
  return (
    <>
      <dl>
        {lines.map(({ description, amount }) => (
          <div key={description}>
            <dt>{description}</dt>
            <dd>{money(amount, currency)}</dd>
          </div>
        ))}
        <div className="pricing-due">
          <dt>Due now</dt>
          <dd>{money(dueNow, currency)}</dd>
        </div>
      </dl>
      {next && (
        <p>
          Your next bill is {money(next.amount, currency)}, on {day(next.at)}.
        </p>
      )}
    </>
  );
}

const payText = ({ dueNow, currency }: Offer): string =>
  dueNow > 0 ? `Pay ${money(dueNow, currency)} and switch` : "Switch";

const refusals: { readonly [code: string]: string } = {
  quote_expired: "Your plan or its price has changed since you looked. Choose again.",
  payment_failed: "Your card was refused. Nothing has changed; you can change your card below.",
};

function wordsFor(error: unknown): string {
  if (!(error instanceof PricingError)) return "Something went wrong. Try again in a moment.";
  return refusals[error.code] ?? error.message;
}
