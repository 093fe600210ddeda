/** What can be subscribed to, by month or by year. */
import { useState } from "react";
import { money } from "./format.ts";
import { Button } from "./parts.tsx";
import type { Product, Subscription } from "./types.ts";

interface PlansProps {
  products: Product[];
  /** The plan that somebody has. */
  current?: Subscription | null | undefined;
  /** The key of the price that was chosen, while that is under way. */
  busy?: string | undefined;
  onChoose: (key: string) => void;
  /** For those who have a plan. */
  onChange?: (key: string) => void;
}

const INTERVALS: Record<string, string> = { month: "Monthly", year: "Yearly" };

export function Plans({ products, current, busy, onChoose, onChange }: PlansProps) {
  const [chosen, setChosen] = useState<string>();
  const intervals = Object.keys(INTERVALS).filter((each) =>
    products.some(({ prices }) => prices.some(({ interval }) => interval === each)),
  );
  const interval = chosen ?? current?.price.interval ?? intervals[0];
  const plans = products.flatMap((product) =>
    product.prices
      .filter((price) => price.interval === interval)
      .map((price) => ({ ...product, price })),
  );
  plans.sort((a, b) => a.price.amount - b.price.amount);
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
      <div className="plans">
        {plans.map(({ id, name, description, features, perSeat, price }) => (
          <article className="card plan" key={id} data-current={price.key === current?.key}>
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
            {price.key === current?.key ? (
              <p className="yours">Your plan</p>
            ) : (
              <Button
                look={current ? "plain" : "strong"}
                busy={busy === price.key}
                disabled={busy !== undefined}
                onClick={() => (current ? onChange?.(price.key) : onChoose(price.key))}
              >
                {current ? "Change to" : "Choose"} {name}
              </Button>
            )}
          </article>
        ))}
      </div>
    </>
  );
}
