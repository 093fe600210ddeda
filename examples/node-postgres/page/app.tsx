/** Where the page's data comes from, and where its actions go. How it looks is in ../../ui. */
import { useEffect, useState } from "react";
import { leaveFor, useBusy, useReturn } from "../../ui/hooks.ts";
import { awaitsSeats, Billing, Frame, Landing, planOf } from "../../ui/pages.tsx";
import { Failure, Loading, Page } from "../../ui/parts.tsx";
import { SignIn } from "../../ui/sign-in.tsx";
import type { Account, Entity, Me, Offer, Preview, Product } from "../../ui/types.ts";
import { call, useLoaded } from "./api.ts";

export function App() {
  const me = useLoaded<Me | null>("/me");
  if (me.data === undefined) {
    return <Page>{me.error ? <Failure error={me.error} onRetry={me.reload} /> : <Loading />}</Page>;
  }
  return (
    <Frame
      me={me.data}
      onSignOut={() => call("/sign-out", {}).then(() => location.assign("/"))}
      landing={(go) => <Welcome onStart={() => go("/sign-up")} />}
      door={(isNew, go) => <Door isNew={isNew} onGo={go} onDone={me.reload} />}
      billing={(entity, go) => (
        <Home
          key={entity.id}
          entity={entity}
          onCreated={async ({ id }) => {
            await me.reload();
            go(`/for/${id}`);
          }}
        />
      )}
    />
  );
}

function Door(props: { isNew: boolean; onGo: (path: string) => void; onDone: () => void }) {
  const { isNew, onGo, onDone } = props;
  const { busy, error, run } = useBusy();
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

function Welcome({ onStart }: { onStart: () => void }) {
  return <Landing products={useLoaded<Product[]>("/products")} onStart={onStart} />;
}

function Home({ entity, onCreated }: { entity: Entity; onCreated: (made: Entity) => void }) {
  const from = useReturn(entity.id);
  const products = useLoaded<Product[]>("/products");
  const account = useLoaded<Account>(`/for/${entity.id}`);
  const [offer, setOffer] = useState<Offer>();
  const { busy, error, run } = useBusy();
  const ask = <T,>(what: string, form: object = {}) => call<T>(`/for/${entity.id}/${what}`, form);
  /** Does something for the entity, and shows what there is then: another tab may have been quicker. */
  const act = (name: string, action: () => Promise<unknown>) =>
    run(name, () => action().finally(account.reload));
  const leave = (what: "subscribe" | "pay" | "portal", priceId?: string) =>
    act(priceId ?? what, () => ask<string>(what, { priceId }).then(leaveFor));
  const keep = () => setOffer(undefined);

  // Whoever comes back is known already, unless Stripe is slow just then. What was paid once is theirs
  // by a reaction, a moment later. Seats follow in ten seconds.
  const isComing =
    (from === "checkout" && planOf(account) === null) ||
    (from === "payment" && account.data?.orders.some(({ paidAt }) => paidAt === null));
  const isAwaited = isComing || awaitsSeats(products, account);
  useEffect(() => {
    if (!isAwaited) return;
    const timer = setInterval(account.reload, 2_000);
    return () => clearInterval(timer);
  }, [isAwaited, account.reload]);

  return (
    <Billing
      entity={entity}
      from={from}
      products={products}
      account={account}
      busy={busy}
      error={error}
      onSubscribe={(priceId) => leave("subscribe", priceId)}
      onPay={(priceId) => leave("pay", priceId)}
      onManage={() => leave("portal")}
      offer={offer}
      onPreview={(priceId) =>
        act(priceId, async () =>
          setOffer({ priceId, ...(await ask<Preview>("preview", { priceId })) }),
        )
      }
      onChange={({ priceId, quote }) =>
        act("change", () => ask<string | null>("change", { priceId, quote }).then(leaveFor)).then(
          keep,
        )
      }
      onKeep={keep}
      onCancel={() => act("cancel", () => ask("cancel"))}
      onResume={() => act("resume", () => ask("resume"))}
      onInvite={(emails) => act("invite", () => ask("invite", { emails }))}
      onRemove={(id) => act(id, () => ask("remove", { id }))}
      onCreate={(name) =>
        run("organisation", () => call<Entity>("/organisations", { name }).then(onCreated))
      }
    />
  );
}
