/** Which page is shown, and where its data comes from. How it looks is in `ui`. */
import { useEffect, useState } from "react";
import type { Account, Entity, Me, Product } from "../shared.ts";
import { call, leaveFor, useAction, useLoaded } from "./api.ts";
import { Extras, NewOrganisation, SubscriptionCard } from "./ui/account.tsx";
import { Failure, Hero, Loading, Notice, Page, Section } from "./ui/parts.tsx";
import { Plans } from "./ui/plans.tsx";
import { SignIn } from "./ui/sign-in.tsx";

export function App() {
  const [path, setPath] = useState(location.pathname);
  const me = useLoaded<Me | null>("/me");
  const go = (to: string) => {
    history.pushState(null, "", to);
    setPath(to);
    scrollTo(0, 0);
  };
  useEffect(() => {
    const back = () => setPath(location.pathname);
    addEventListener("popstate", back);
    return () => removeEventListener("popstate", back);
  }, []);

  if (me.data === undefined) {
    return <Page>{me.error ? <Failure error={me.error} onRetry={me.reload} /> : <Loading />}</Page>;
  }
  const isSigningIn = path === "/sign-in" || path === "/sign-up";
  if (me.data === null) {
    return (
      <Page onSignIn={isSigningIn ? undefined : () => go("/sign-in")}>
        {isSigningIn ? (
          <Door isNew={path === "/sign-up"} onGo={go} onDone={me.reload} />
        ) : (
          <Landing onStart={() => go("/sign-up")} />
        )}
      </Page>
    );
  }
  const { entities } = me.data;
  const entity = entities.find(({ id }) => path === `/for/${id}`) ?? entities[0];
  const leave = () => call("/sign-out", {}).then(() => location.assign("/"));
  return (
    <Page
      entities={entities}
      current={entity}
      onSwitch={({ id }) => go(`/for/${id}`)}
      onSignOut={leave}
    >
      <Billing
        key={entity.id}
        entity={entity}
        onCreated={async ({ id }) => {
          await me.reload();
          go(`/for/${id}`);
        }}
      />
    </Page>
  );
}

function Door(props: { isNew: boolean; onGo: (path: string) => void; onDone: () => void }) {
  const { isNew, onGo, onDone } = props;
  const { busy, error, run } = useAction();
  const path = isNew ? "/sign-up" : "/sign-in";
  return (
    <SignIn
      key={path}
      isNew={isNew}
      busy={busy !== undefined}
      error={error}
      onSwitch={() => onGo(isNew ? "/sign-in" : "/sign-up")}
      onSubmit={(form) => run(path, () => call(path, form).then(onDone))}
    />
  );
}

function Landing({ onStart }: { onStart: () => void }) {
  const products = useLoaded<Product[]>("/products");
  return (
    <>
      <Hero onStart={onStart} />
      <Section
        title="Pricing"
        hint="Cancel whenever you like. Cards are kept by Stripe, not by us."
      >
        <Plans {...products} onRetry={products.reload} onChoose={onStart} />
      </Section>
    </>
  );
}

function Billing({ entity, onCreated }: { entity: Entity; onCreated: (made: Entity) => void }) {
  const [from] = useState(() => new URLSearchParams(location.search).get("from"));
  const products = useLoaded<Product[]>("/products");
  const account = useLoaded<Account>(`/for/${entity.id}`);
  const { busy, error, run } = useAction();
  const { subscription, orders } = account.data ?? {};
  const plan = subscription?.status === "canceled" ? null : subscription;
  const isAwaited = from === "checkout" && plan === null;
  const leave = (what: "subscribe" | "pay" | "portal", priceId?: string) =>
    run(priceId ?? what, () =>
      leaveFor(`/for/${entity.id}/${what}`, { priceId }).catch(async (refused) => {
        await account.reload(); // another tab may have been quicker
        throw refused;
      }),
    );

  // The notice is for once: a reload, or a bookmark, does not bring it back.
  useEffect(() => history.replaceState(null, "", `/for/${entity.id}`), [entity.id]);

  // Whoever comes back is known already, unless Stripe is slow just then.
  useEffect(() => {
    if (!isAwaited) return;
    const timer = setInterval(account.reload, 2_000);
    return () => clearInterval(timer);
  }, [isAwaited, account.reload]);

  if (account.error && !account.data) {
    return <Failure error={account.error} onRetry={account.reload} />;
  }
  return (
    <>
      <Section main title="Billing" hint={`for ${entity.name}`}>
        {error && <Notice tone="bad">{error}</Notice>}
        {from === "checkout" && plan && (
          <Notice tone="good">Thank you! {plan.name} is yours from now on.</Notice>
        )}
        {isAwaited && <Notice tone="good">Thank you! Your plan is here in a moment.</Notice>}
        {from === "payment" && orders?.some(({ paidAt }) => paidAt) && (
          <Notice tone="good">Thank you! Your payment has arrived.</Notice>
        )}
        <SubscriptionCard
          loading={!account.data}
          subscription={subscription ?? null}
          busy={busy === "portal"}
          onManage={() => leave("portal")}
        />
      </Section>
      <Section title="Plans">
        <Plans
          {...products}
          current={plan}
          busy={busy}
          onRetry={products.reload}
          onChoose={(priceId) => leave("subscribe", priceId)}
          onChange={() => leave("portal")}
        />
      </Section>
      {(products.data || !products.error) && (
        <Section title="Extras" hint="Paid once, whatever your plan.">
          <Extras
            data={products.data}
            orders={orders ?? []}
            busy={busy}
            onBuy={(priceId) => leave("pay", priceId)}
          />
        </Section>
      )}
      <Section title="Organisations" hint="An organisation has a plan and a bill of its own.">
        <NewOrganisation
          busy={busy === "organisation"}
          onCreate={(name) =>
            run("organisation", () => call<Entity>("/organisations", { name }).then(onCreated))
          }
        />
      </Section>
    </>
  );
}
