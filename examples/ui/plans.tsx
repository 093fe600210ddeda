/** What can be subscribed to, by month or by year. */
import { useState } from "react";
import { money } from "./format.ts";
import { Button, Failure, Loading } from "./parts.tsx";
import type { Loaded, Product, Subscription } from "./types.ts";

interface PlansProps extends Loaded<Product[]> {
  /** The plan that somebody has. */
  current?: Subscription | null | undefined;
  /** The id of the price that was chosen, while that is under way. */
  busy?: string | undefined;
  onChoose: (priceId: string) => void;
  /** For those who have a plan. */
  onChange?: (priceId: string) => void;
}

const INTERVALS: Record<string, string> = { month: "Monthly", year: "Yearly" };

export function Plans({ data, error, reload, current, busy, onChoose, onChange }: PlansProps) {
  const [chosen, setChosen] = useState<string>();
  if (!data) {
    if (error) return <Failure error={error} onRetry={reload} />;
    return (
      <div className="plans">
        <Loading />
        <Loading />
      </div>
    );
  }
  const intervals = Object.keys(INTERVALS).filter((each) =>
    data.some(({ prices }) => prices.some(({ interval }) => interval === each)),
  );
  const interval = chosen ?? current?.price.interval ?? intervals[0];
  const plans = data.flatMap((product) =>
    product.prices
      .filter((price) => price.interval === interval)
      .map((price) => ({ ...product, price })),
  );
  plans.sort((a, b) => a.price.amount - b.price.amount);
  const subscribed = current?.price.id;
  return (
    <>
      {intervals.length > 1 && (
        <div className="switch" role="radiogroup" aria-label="Billing period">
          {intervals.map((value) => (
            <label key={value}>
              <input
                type="radio"
                name="interval"
                checked={value === interval}
                onChange={() => setChosen(value)}
              />
              {INTERVALS[value]}
            </label>
          ))}
        </div>
      )}
      {plans.length === 0 && (
        <div className="card empty">
          <h3>Nothing is for sale yet</h3>
          <p>Plans appear here as soon as they exist at Stripe.</p>
        </div>
      )}
      <div className="plans">
        {plans.map(({ id, name, description, features, perSeat, price }) => (
          <article className="card plan" key={id} data-current={price.id === subscribed}>
            <h3>{name}</h3>
            <p className="amount">
              <strong>{money(price)}</strong> per {perSeat && "seat and "}
              {price.interval}
            </p>
            <p>{description}</p>
            <ul>
              {features.map((feature) => (
                <li key={feature}>{feature}</li>
              ))}
            </ul>
            {price.id === subscribed ? (
              <p className="yours">Your plan</p>
            ) : (
              <Button
                look={subscribed ? "plain" : "strong"}
                busy={busy === price.id}
                disabled={busy !== undefined}
                onClick={() => (subscribed ? onChange?.(price.id) : onChoose(price.id))}
              >
                {subscribed ? "Change to" : "Choose"} {name}
              </Button>
            )}
          </article>
        ))}
      </div>
    </>
  );
}
