/** What an entity has: its plan, what it bought once, and the way to an organisation. */

import { day, money, rate } from "./format.ts";
import { Button, Loading } from "./parts.tsx";
import type { Order, Product, Subscription } from "./types.ts";

interface SubscriptionCardProps {
  loading: boolean;
  subscription: Subscription | null;
  /** Whether it costs so much for each seat. */
  perSeat: boolean | undefined;
  busy: string | undefined;
  onManage: () => void;
  onCancel: () => void;
  onResume: () => void;
}

/** Stripe's words for a subscription, in ours. */
const STATES: Record<string, [tone: "good" | "bad" | "calm", text: string]> = {
  active: ["good", "Active"],
  trialing: ["good", "Trial"],
  past_due: ["bad", "Payment failed"],
  unpaid: ["bad", "Unpaid"],
  paused: ["calm", "Paused"],
  canceled: ["calm", "Ended"],
};

export function SubscriptionCard(props: SubscriptionCardProps) {
  const { loading, subscription, perSeat, busy, onManage, onCancel, onResume } = props;
  if (loading) return <Loading />;
  if (!subscription) {
    return (
      <div className="card empty">
        <h2>No plan yet</h2>
        <p>Choose one below. You can change or cancel it whenever you like.</p>
      </div>
    );
  }
  const { status, name, price, quantity, renewsAt, endsAt } = subscription;
  const [tone, text] = STATES[status] ?? ["calm", status];
  const isEnding = endsAt !== null && status !== "canceled";
  const act = (name: string, text: string, onClick: () => void) => (
    <Button
      look={name === "cancel" ? "quiet" : "plain"}
      busy={busy === name}
      disabled={busy !== undefined}
      onClick={onClick}
    >
      {text}
    </Button>
  );
  return (
    <div className="card subscription">
      <div>
        <span className={`badge ${isEnding ? "calm" : tone}`}>{isEnding ? "Ending" : text}</span>
        <h2>{name}</h2>
        <p>
          {rate(price, perSeat)}
          {perSeat && ` · ${quantity} ${quantity === 1 ? "seat" : "seats"}`}
          {renewsAt && tone === "good" && ` · renews on ${day(renewsAt)}`}
        </p>
        {endsAt !== null && (
          <p className="ends">
            {isEnding ? "Ends on" : "Ended on"} <time>{day(endsAt)}</time>
          </p>
        )}
        {tone === "bad" && <p className="ends">Your card was refused. Put another one on file.</p>}
      </div>
      <div className="actions">
        {act("portal", "Manage billing", onManage)}
        {isEnding && act("resume", "Keep plan", onResume)}
        {endsAt === null && act("cancel", "Cancel plan", onCancel)}
      </div>
    </div>
  );
}

interface ExtrasProps {
  products: Product[];
  orders: Order[];
  busy: string | undefined;
  onBuy: (key: string) => void;
}

export function Extras({ products, orders, busy, onBuy }: ExtrasProps) {
  const extras = products.flatMap((product) =>
    product.prices
      .filter(({ interval }) => interval === null)
      .map((price) => ({ ...product, price })),
  );
  return (
    <div className="card rows">
      {extras.map(({ name, description, price }) => (
        <div className="row" key={price.key}>
          <div>
            <h3>{name}</h3>
            <p>{description}</p>
          </div>
          <Button
            look="plain"
            busy={busy === price.key}
            disabled={busy !== undefined}
            onClick={() => onBuy(price.key)}
          >
            Buy for {money(price)}
          </Button>
        </div>
      ))}
      {orders.length === 0 && <p>You have not bought any yet.</p>}
      {orders.map(({ id, name, paidAt }) => (
        <div className="row" key={id}>
          <p>{name}</p>
          <span className={`badge ${paidAt ? "good" : "calm"}`}>
            {paidAt ? `Paid on ${day(paidAt)}` : "Not paid yet"}
          </span>
        </div>
      ))}
    </div>
  );
}

interface NewOrganisationProps {
  busy: boolean;
  onCreate: (name: string) => void;
}

export function NewOrganisation({ busy, onCreate }: NewOrganisationProps) {
  return (
    <form className="card joined" action={(form) => onCreate(String(form.get("name")))}>
      <label>
        Name of the organisation
        <input name="name" required autoComplete="organization" />
      </label>
      <Button type="submit" look="plain" busy={busy} disabled={busy}>
        Create
      </Button>
    </form>
  );
}
