/** Where the page's data comes from, and where its actions go. How it looks is in ../../ui. */
import { useEffect, useState } from "react";
import { leaveFor, useBusy, useReturn } from "../../ui/hooks.ts";
import { awaitsSeats, Billing, Frame, Landing, planOf } from "../../ui/pages.tsx";
import { Failure, Loading, Page } from "../../ui/parts.tsx";
import { productsIn } from "../../ui/products.ts";
import { SignIn } from "../../ui/sign-in.tsx";
import type { Account, Entity, Me, Offer, Preview } from "../../ui/types.ts";
import { catalogue } from "../catalogue.ts";
import { call, useLoaded } from "./api.ts";

const products = productsIn(catalogue);

export function App() {
  const me = useLoaded<Me | null>("/me");
  if (me.data === undefined) {
    return <Page>{me.error ? <Failure error={me.error} onRetry={me.reload} /> : <Loading />}</Page>;
  }
  return (
    <Frame
      me={me.data}
      onSignOut={() => call("/sign-out", {}).then(() => location.assign("/"))}
      landing={(go) => <Landing products={products} onStart={() => go("/sign-up")} />}
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

function Home({ entity, onCreated }: { entity: Entity; onCreated: (made: Entity) => void }) {
  const from = useReturn(entity.id);
  const account = useLoaded<Account>(`/for/${entity.id}`);
  const [offer, setOffer] = useState<Offer>();
  const { busy, error, run } = useBusy();
  const ask = <T,>(what: string, form: object = {}) => call<T>(`/for/${entity.id}/${what}`, form);
  /** Does something for the entity, and shows what there is then: another tab may have been quicker. */
  const act = (name: string, action: () => Promise<unknown>) =>
    run(name, () => action().finally(account.reload));
  const leave = (what: "subscribe" | "pay" | "portal", key?: string) =>
    act(key ?? what, () => ask<string>(what, { key }).then(leaveFor));
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
      onSubscribe={(key) => leave("subscribe", key)}
      onPay={(key) => leave("pay", key)}
      onManage={() => leave("portal")}
      offer={offer}
      onPreview={(key) =>
        act(key, async () => setOffer({ key, ...(await ask<Preview>("preview", { key })) }))
      }
      onChange={({ key, quote }) =>
        act("change", () => ask<string | null>("change", { key, quote }).then(leaveFor)).then(keep)
      }
      onKeep={keep}
      onCancel={() => act("cancel", () => ask("cancel"))}
      onResume={() => act("resume", () => ask("resume"))}
      onSend={(letter) => act("send", () => ask("send", letter))}
      onInvite={(emails) => act("invite", () => ask("invite", { emails }))}
      onRemove={(id) => act(id, () => ask("remove", { id }))}
      onCreate={(name) =>
        run("organisation", () => call<Entity>("/organisations", { name }).then(onCreated))
      }
    />
  );
}
