/** A person's life at the double, with what is personal wherever Stripe has a place for it. */
import type Stripe from "stripe";
import type { StripeDouble } from "../../packages/backend-billing/src/testing/index.js";

export interface Person {
  readonly entityId: string;
  readonly email: string;
  readonly name: string;
  readonly phone: string;
  readonly street: string;
  readonly taxId: string;
  /** A value of metadata, and a part of texts that the application writes. */
  readonly secret: string;
}

export const ada: Person = {
  entityId: "entity-of-ada",
  email: "ada.lovelace@person.example",
  name: "Ada King-Noel",
  phone: "+441815121852",
  street: "12 Ockham Park",
  taxId: "DE181512185",
  secret: "enchantress-of-numbers",
};

export const babbage: Person = {
  entityId: "entity-of-babbage",
  email: "charles@person.example",
  name: "Charles Babbage",
  phone: "+441791122671",
  street: "1 Dorset Street",
  taxId: "DE179112261",
  secret: "cow-catcher",
};

/** What must not be found of a person. */
export const personal = ({ entityId: _, ...person }: Person): readonly string[] =>
  Object.values(person);

/** The merchant's hand at the double. */
export interface Hand {
  readonly stripe: Stripe;
  readonly double: Pick<StripeDouble, "dashboard">;
}

const pay = (
  { stripe }: Hand,
  customer: string,
  payment_method: string,
  { name, email, secret }: Person,
  amount: number,
): Promise<Stripe.PaymentIntent> =>
  stripe.paymentIntents.create({
    amount,
    currency: "usd",
    customer,
    payment_method,
    confirm: true,
    receipt_email: email,
    description: `For ${name}`,
    metadata: { secret },
    automatic_payment_methods: { enabled: true, allow_redirects: "never" },
  });

/** A subscription, invoices, payments, a refund, a dispute and more; answers the subscription. */
export async function live(
  hand: Hand,
  customer: string,
  price: string,
  person: Person,
): Promise<string> {
  const { stripe, double } = hand;
  const { email, name, phone, street, taxId, secret } = person;
  const address = { line1: street, city: "London", country: "GB" };
  const card = await stripe.paymentMethods.attach("pm_card_visa", { customer });
  await stripe.paymentMethods.update(card.id, {
    billing_details: { email, name, phone, address },
    metadata: { secret },
  });
  await stripe.customers.update(customer, {
    name,
    phone,
    address,
    shipping: { name, phone, address },
    description: `${name} by hand`,
    metadata: { secret, [secret]: "as a key" },
    invoice_settings: { default_payment_method: card.id },
  });
  await stripe.customers.createTaxId(customer, { type: "eu_vat", value: taxId });
  await stripe.invoiceItems.create({
    customer,
    amount: 100,
    currency: "usd",
    description: `Letters to ${name}`,
    metadata: { secret },
  });
  const subscription = await stripe.subscriptions.create({
    customer,
    items: [{ price, metadata: { secret } }],
    description: `Of ${name}`,
    metadata: { secret },
  });
  const refunded = await pay(hand, customer, card.id, person, 700);
  await stripe.refunds.create({ payment_intent: refunded.id, metadata: { secret } });
  const disputed = double.dashboard.dispute((await pay(hand, customer, card.id, person, 800)).id);
  await stripe.disputes.update(disputed.id, {
    evidence: { customer_name: name, customer_email_address: email, billing_address: street },
    metadata: { secret },
  });
  double.dashboard.warnOfFraud((await pay(hand, customer, card.id, person, 900)).id);
  await stripe.setupIntents.create({ customer, description: name, metadata: { secret } });
  const [invoice] = (await stripe.invoices.list({ customer, status: "paid" })).data;
  await stripe.creditNotes.create({
    invoice: invoice?.id ?? "",
    amount: 50,
    refund_amount: 50,
    memo: `For ${name}`,
    metadata: { secret },
  });
  await stripe.quotes.create({
    customer,
    line_items: [{ price, quantity: 1 }],
    header: name,
    metadata: { secret },
  });
  return subscription.id;
}

/** What comes of the person after the erasure, as far as Stripe still has something of them. */
export async function comeLate(hand: Hand, customer: string, person: Person): Promise<void> {
  const { stripe, double } = hand;
  const { email, name, secret } = person;
  const metadata = { secret, late: `${secret} again` };
  const { data: charges } = await stripe.charges.list({ customer, limit: 100 });
  for (const { id, refunded, disputed, payment_intent: intent } of charges) {
    await stripe.charges.update(id, { description: `Late, for ${name}`, metadata });
    if (refunded || disputed || intent === null) continue;
    await stripe.refunds.create({ payment_intent: String(intent), amount: 1, metadata });
    const dispute = double.dashboard.dispute(id);
    await stripe.disputes.update(dispute.id, {
      evidence: { customer_name: name, customer_email_address: email },
    });
    break;
  }
  const { data: invoices } = await stripe.invoices.list({ customer, limit: 100 });
  for (const { id = "" } of invoices) await stripe.invoices.update(id, { metadata });
}
