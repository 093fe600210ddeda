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
  prices: Price[];
}

export interface Subscription {
  status: string;
  name: string;
  price: Price;
  /** Milliseconds. One of them is null: either it goes on, or it ends. */
  renewsAt: number | null;
  endsAt: number | null;
}

export interface Order {
  id: string;
  name: string;
  paidAt: number | null;
}

export interface Account {
  subscription: Subscription | null;
  orders: Order[];
}

/** Something that is on its way, here, or could not be had. */
export interface Loaded<T> {
  data?: T | undefined;
  error?: string | undefined;
  reload?: () => void;
}
