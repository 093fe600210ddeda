/** The pages, put together from their parts. What they show and do is handed to them. */
import type { ReactNode } from "react";
import { Extras, NewOrganisation, SubscriptionCard } from "./account.tsx";
import { ChangeDialog } from "./change.tsx";
import { usePath } from "./hooks.ts";
import { Letters, sendsLeft } from "./letters.tsx";
import { Failure, Hero, Notice, Page, Section } from "./parts.tsx";
import { Plans } from "./plans.tsx";
import { Team } from "./team.tsx";
import type { Account, Entity, Letter, Loaded, Me, Offer, Product, Subscription } from "./types.ts";

type Go = (path: string) => void;

interface FrameProps {
  me: Me | null;
  onSignOut: () => void;
  landing: (go: Go) => ReactNode;
  door: (isNew: boolean, go: Go) => ReactNode;
  billing: (entity: Entity, go: Go) => ReactNode;
}

/** Which page is shown: to visitors the way in, to everybody else what is theirs. */
export function Frame({ me, onSignOut, landing, door, billing }: FrameProps) {
  const [path, go] = usePath();
  const isSigningIn = path === "/sign-in" || path === "/sign-up";
  if (me === null) {
    return (
      <Page onSignIn={isSigningIn ? undefined : () => go("/sign-in")}>
        {isSigningIn ? door(path === "/sign-up", go) : landing(go)}
      </Page>
    );
  }
  const entities = [me.user, ...me.organisations];
  const entity = entities.find(({ id }) => path === `/for/${id}`) ?? me.user;
  return (
    <Page
      entities={entities}
      current={entity}
      onSwitch={({ id }) => go(`/for/${id}`)}
      onSignOut={onSignOut}
    >
      {billing(entity, go)}
    </Page>
  );
}

interface LandingProps {
  products: Product[];
  onStart: () => void;
}

export function Landing({ products, onStart }: LandingProps) {
  return (
    <>
      <Hero onStart={onStart} />
      <Section
        title="Pricing"
        hint="Cancel whenever you like. Cards are kept by Stripe, not by us."
      >
        <Plans products={products} onChoose={onStart} />
      </Section>
    </>
  );
}

interface BillingProps {
  entity: Entity;
  /** What they come back from: `checkout` or `payment`. */
  from: string | null;
  products: Product[];
  account: Loaded<Account>;
  /** What is under way: the key of a price, the id of a member, or such as `portal`, `change` or `send`. */
  busy: string | undefined;
  error: string | undefined;
  onSubscribe: (key: string) => void;
  onPay: (key: string) => void;
  onManage: () => void;
  /** Another plan that they asked about, until they have decided. */
  offer: Offer | undefined;
  onPreview: (key: string) => void;
  onChange: (offer: Offer) => void;
  onKeep: () => void;
  onCancel: () => void;
  onResume: () => void;
  /** Answers whether it was sent. */
  onSend: (letter: Letter) => Promise<boolean>;
  onInvite: (emails: string) => void;
  onRemove: (memberId: string) => void;
  onCreate: (name: string) => void;
}

/** The plan that an entity has; null for none, or one that has ended. */
export function planOf({ data }: Loaded<Account>): Subscription | null | undefined {
  return data?.subscription?.status === "canceled" ? null : data?.subscription;
}

/** The product that an entity's plan is of. */
const productOf = (products: Product[], account: Loaded<Account>) =>
  products.find(({ prices }) => prices.some(({ key }) => key === account.data?.subscription?.key));

/** Whether the members have changed and the plan, which is per seat, has not followed yet. */
export function awaitsSeats(products: Product[], account: Loaded<Account>): boolean {
  const isPerSeat = planOf(account) && productOf(products, account)?.perSeat;
  return (
    isPerSeat === true && planOf(account)?.quantity !== 1 + (account.data?.members.length ?? 0)
  );
}

export function Billing(props: BillingProps) {
  const { entity, from, products, account, busy, error, offer } = props;
  const { subscription, orders, support, sends } = account.data ?? {};
  const plan = planOf(account);
  if (account.error && !account.data) {
    return <Failure error={account.error} onRetry={account.reload} />;
  }
  return (
    <>
      <Section main title="Billing" hint={`for ${entity.name}`}>
        {error && <Notice tone="bad">{error}</Notice>}
        {from === "checkout" && plan?.endsAt === null && !error && (
          <Notice tone="good">Thank you! {plan.name} is yours from now on.</Notice>
        )}
        {from === "checkout" && plan === null && (
          <Notice tone="good">Thank you! Your plan is here in a moment.</Notice>
        )}
        {from === "payment" && orders?.some(({ paidAt }) => paidAt) && (
          <Notice tone="good">Thank you! Your payment has arrived.</Notice>
        )}
        <SubscriptionCard
          loading={!account.data}
          subscription={subscription ?? null}
          perSeat={productOf(products, account)?.perSeat}
          busy={busy}
          onManage={props.onManage}
          onCancel={props.onCancel}
          onResume={props.onResume}
        />
        {support && <p>Questions? Write to crew@paperboat.example: we answer within a day.</p>}
      </Section>
      <Section title="Letters" hint={sends && sendsLeft(sends)}>
        <Letters busy={busy} onSend={props.onSend} />
      </Section>
      <Section title="Plans">
        <Plans
          products={products}
          current={plan}
          busy={busy}
          onChoose={props.onSubscribe}
          onChange={props.onPreview}
        />
        {offer && (
          <ChangeDialog
            offer={offer}
            products={products}
            busy={busy === "change"}
            onConfirm={() => props.onChange(offer)}
            onKeep={props.onKeep}
          />
        )}
      </Section>
      <Section title="Extras" hint="Paid once, whatever your plan.">
        <Extras products={products} orders={orders ?? []} busy={busy} onBuy={props.onPay} />
      </Section>
      {entity.kind === "organisation" && (
        <Section title="Team" hint="Each of you is a seat, the owner too.">
          <Team
            members={account.data?.members}
            room={account.data?.room}
            waiting={awaitsSeats(products, account)}
            busy={busy}
            onInvite={props.onInvite}
            onRemove={props.onRemove}
          />
        </Section>
      )}
      <Section title="Organisations" hint="An organisation has a plan and a bill of its own.">
        <NewOrganisation busy={busy === "organisation"} onCreate={props.onCreate} />
      </Section>
    </>
  );
}
