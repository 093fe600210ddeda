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
  /** In the currency's smallest unit, as Stripe has it. */
  amount: number;
  currency: string;
  /** Such as `month`; null for a price that is paid once. */
  interval: string | null;
}

/** A price that is for sale. */
export interface SoldPrice extends Price {
  /** By which it is bought, such as `starter:monthly`. */
  key: string;
}

export interface Product {
  id: string;
  name: string;
  description: string | undefined;
  features: string[];
  /** Whether its prices are for each member of a team. */
  perSeat: boolean;
  prices: SoldPrice[];
}

export interface Subscription {
  status: string;
  name: string;
  price: Price;
  /** That of its price; null for one that is sold no more. */
  key: string | null;
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

/** A preview, and the key of the price that it is of. */
export interface Offer extends Preview {
  key: string;
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

/** What is left of the sends that a plan includes and that were bought. */
export interface Sends {
  remaining: number;
  /** Milliseconds: when the plan's share is given again; null for a plan without one. */
  resetsAt: number | null;
}

/** A letter to so many readers. The page makes its id, by which it is sent once. */
export interface Letter {
  id: string;
  readers: number;
}

export interface Account {
  subscription: Subscription | null;
  orders: Order[];
  members: Member[];
  /** How many members the plan has room for. */
  room: number;
  /** Whether the plan has answers within a day. */
  support: boolean;
  sends: Sends;
}

/** Something that is on its way, here, or could not be had. */
export interface Loaded<T> {
  data?: T | undefined;
  error?: string | undefined;
  reload?: () => void;
}
