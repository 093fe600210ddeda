/** Asks whether to change to another plan, with what that costs. */
import { useEffect, useRef } from "react";
import { day, money, rate } from "./format.ts";
import { Button } from "./parts.tsx";
import type { Offer, Product } from "./types.ts";

interface ChangeDialogProps {
  offer: Offer;
  products: Product[];
  busy: boolean;
  onConfirm: () => void;
  onKeep: () => void;
}

export function ChangeDialog({ offer, products, busy, onConfirm, onKeep }: ChangeDialogProps) {
  const { key, currency, dueNow, next, lines } = offer;
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  const product = products.find(({ prices }) => prices.some((each) => each.key === key));
  const price = product?.prices.find((each) => each.key === key);
  const inMoney = (amount: number) => money({ amount, currency });
  return (
    <dialog ref={dialog} className="card change" aria-labelledby="change" onClose={onKeep}>
      <h2 id="change">Change to {product?.name ?? "this plan"}?</h2>
      <dl>
        {lines.map(({ description, amount }) => (
          <div key={description}>
            <dt>{description}</dt>
            <dd>{inMoney(amount)}</dd>
          </div>
        ))}
        <div className="due">
          <dt>Due now</dt>
          <dd>{inMoney(dueNow)}</dd>
        </div>
      </dl>
      {dueNow === 0 && lines.some(({ amount }) => amount < 0) && (
        <p>What is left of your old plan is taken off your next bills.</p>
      )}
      <p>
        {next ? `Your next bill is ${inMoney(next.amount)}, on ${day(next.at)}. ` : ""}
        {product && price && `${product.name} costs ${rate(price, product.perSeat)}.`}
      </p>
      <div className="actions">
        <Button busy={busy} disabled={busy} onClick={onConfirm}>
          {dueNow > 0 ? `Pay ${inMoney(dueNow)} and change` : "Change plan"}
        </Button>
        <Button look="quiet" disabled={busy} onClick={onKeep}>
          Keep my plan
        </Button>
      </div>
    </dialog>
  );
}
