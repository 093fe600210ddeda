/** Where the page's data comes from, and where its actions go. How it looks is in ../../ui. */
import { billingErrorOf } from "backend-billing";
import { useAction, useMutation, useQuery } from "convex/react";
import { ConvexError } from "convex/values";
import { useState } from "react";
import { refusal } from "../../ui/format.ts";
import { leaveFor, useBusy, useReturn } from "../../ui/hooks.ts";
import { Billing, Frame, Landing } from "../../ui/pages.tsx";
import { Loading, Page } from "../../ui/parts.tsx";
import { productsIn } from "../../ui/products.ts";
import { SignIn } from "../../ui/sign-in.tsx";
import type { Entity, Offer } from "../../ui/types.ts";
import { api } from "../convex/_generated/api";
import type { Id } from "../convex/_generated/dataModel";
import { catalogue } from "../convex/catalogue";

const products = productsIn(catalogue);

export function App() {
  const [token, setToken] = useState(() => localStorage.getItem("token"));
  const found = useQuery(api.auth.me, token ? { token } : "skip");
  const signOut = useMutation(api.auth.signOut);
  const me = token ? found : null;
  if (me === undefined) {
    return (
      <Page>
        <Loading />
      </Page>
    );
  }
  const keep = (made: string) => {
    localStorage.setItem("token", made);
    setToken(made);
  };
  // The page stays as it is until it is loaded anew: what is typed in between would be lost.
  const leave = () => {
    localStorage.removeItem("token");
    return signOut({ token: token ?? "" }).finally(() => location.assign("/"));
  };
  return (
    <Frame
      me={me}
      onSignOut={leave}
      landing={(go) => <Landing products={products} onStart={() => go("/sign-up")} />}
      door={(isNew, go) => <Door isNew={isNew} onGo={go} onDone={keep} />}
      billing={(entity, go) => (
        <Home
          key={entity.id}
          token={token ?? ""}
          entity={entity}
          onCreated={(id) => go(`/for/${id}`)}
        />
      )}
    />
  );
}

interface DoorProps {
  isNew: boolean;
  onGo: (path: string) => void;
  onDone: (token: string) => void;
}

function Door({ isNew, onGo, onDone }: DoorProps) {
  const { busy, error, run } = useBusy();
  const signUp = useAction(api.auth.signUp);
  const signIn = useAction(api.auth.signIn);
  return (
    <SignIn
      key={String(isNew)}
      isNew={isNew}
      busy={busy !== undefined}
      error={error}
      onSwitch={() => onGo(isNew ? "/sign-in" : "/sign-up")}
      onSubmit={({ name = "", email, password }) => {
        const form = { email: String(email), password: String(password) };
        const token = () => (isNew ? signUp({ ...form, name: String(name) }) : signIn(form));
        run("door", () => token().then(onDone).catch(explain));
      }}
    />
  );
}

interface HomeProps {
  token: string;
  entity: Entity;
  onCreated: (id: string) => void;
}

function Home({ token, entity, onCreated }: HomeProps) {
  const asking = { token, entityId: entity.id };
  const from = useReturn(entity.id);
  // It is live: whatever changes at Stripe or in another tab is on the page by itself.
  const account = useQuery(api.plans.account, asking);
  const subscribe = useAction(api.shop.subscribe);
  const pay = useAction(api.shop.pay);
  const portal = useAction(api.shop.portal);
  const preview = useAction(api.shop.preview);
  const change = useAction(api.shop.change);
  const cancel = useAction(api.shop.cancel);
  const resume = useAction(api.shop.resume);
  const send = useMutation(api.letters.send);
  const invite = useMutation(api.team.invite);
  const remove = useMutation(api.team.remove);
  const createOrganisation = useMutation(api.auth.createOrganisation);
  const [offer, setOffer] = useState<Offer>();
  const { busy, error, run } = useBusy();
  const act = (name: string, action: () => Promise<unknown>) =>
    run(name, () => action().catch(explain));
  const leave = (name: string, link: () => Promise<string | null>) =>
    act(name, () => link().then(leaveFor));
  const keep = () => setOffer(undefined);

  return (
    <Billing
      entity={entity}
      from={from}
      products={products}
      account={{ data: account }}
      busy={busy}
      error={error}
      onSubscribe={(key) => leave(key, () => subscribe({ ...asking, key }))}
      onPay={(key) => leave(key, () => pay({ ...asking, key }))}
      onManage={() => leave("portal", () => portal(asking))}
      offer={offer}
      onPreview={(key) =>
        act(key, async () => setOffer({ key, ...(await preview({ ...asking, key })) }))
      }
      onChange={({ key, quote }) =>
        leave("change", () => change({ ...asking, key, quote })).then(keep)
      }
      onKeep={keep}
      onCancel={() => act("cancel", () => cancel(asking))}
      onResume={() => act("resume", () => resume(asking))}
      onSend={(letter) => act("send", () => send({ ...asking, ...letter }))}
      onInvite={(emails) => act("invite", () => invite({ ...asking, emails }))}
      onRemove={(id) => act(id, () => remove({ ...asking, memberId: id as Id<"members"> }))}
      onCreate={(name) =>
        run("organisation", () =>
          createOrganisation({ token, name }).then(onCreated).catch(explain),
        )
      }
    />
  );
}

/** What our functions refuse is said in their words; everything else is not for people. */
function explain(error: unknown): never {
  const refused = billingErrorOf(error);
  if (refused) throw new Error(refusal(refused.code, refused.message));
  const isOurs = error instanceof ConvexError && typeof error.data === "string";
  throw new Error(isOurs ? error.data : "Something went wrong on our side. Try again in a moment.");
}
