/** What the backend tells the page, whatever it runs on. */

export interface Entity {
  id: string;
  kind: "user" | "organisation";
  name: string;
}

/** Whoever is signed in, and what else they may act for. */
export interface Me {
  user: Entity;
  organisations: Entity[];
}

export interface Price {
  id: string;
  /** In the currency's smallest unit, as Stripe has it. */
  amount: number;
  currency: string;
  /** Such as `month`; null for a price that is paid once. */
  interval: string | null;
}

export interface Product {
  id: string;
  name: string;
  description: string | null;
  features: string[];
  /** Whether its prices are for each member of a team. */
  perSeat: boolean;
  prices: Price[];
}

export interface Subscription {
  status: string;
  name: string;
  price: Price;
  /** For a price per seat, how many. */
  quantity: number;
  /** Milliseconds. One of them is null: either it goes on, or it ends. */
  renewsAt: number | null;
  endsAt: number | null;
}

/** What another plan would cost. Amounts are in the currency's smallest unit. */
export interface Preview {
  currency: string;
  dueNow: number;
  next: { at: number; amount: number } | null;
  lines: readonly { description: string; amount: number }[];
  /** Makes the change cost what was shown. */
  quote: string;
}

/** A preview, and the price that it is of. */
export interface Offer extends Preview {
  priceId: string;
}

export interface Order {
  id: string;
  name: string;
  paidAt: number | null;
}

/** Somebody who was invited. The owner is not among them. */
export interface Member {
  id: string;
  email: string;
}

export interface Account {
  subscription: Subscription | null;
  orders: Order[];
  members: Member[];
}

/** Something that is on its way, here, or could not be had. */
export interface Loaded<T> {
  data?: T | undefined;
  error?: string | undefined;
  reload?: () => void;
}
