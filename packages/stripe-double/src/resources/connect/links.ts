/** Links for connected accounts, which lead to Stripe: the double has no pages for them. */
import { oneOf, required, word } from "../../api/params.js";
import { type Call, route } from "../../http/route.js";
import { connectAccount, connectedAccount, disconnectAccount } from "./accounts.js";

const CONNECT = "https://connect.stripe.com";
const MINUTES = 60;

/** Only a code that names what it is for is taken; each connects an account of its own. */
function token(
  { world }: Call,
  { code }: { readonly code: string | undefined; readonly refresh_token: string | undefined },
): object {
  const mode = world.livemode ? "live" : "test";
  const { id } = connectAccount(world, {
    charges_enabled: true,
    details_submitted: true,
    payouts_enabled: true,
  });
  return {
    access_token: `sk_${mode}_${world.id("oauth").slice(6)}`,
    livemode: world.livemode,
    refresh_token: world.id("rt"),
    scope: code === undefined ? "read_only" : "read_write",
    stripe_publishable_key: `pk_${mode}_${id.slice(5)}`,
    stripe_user_id: id,
    token_type: "bearer",
  };
}

export const connectLinks = [
  route(
    "POST /v1/account_links",
    {
      account: required(word),
      collect: oneOf("currently_due", "eventually_due"),
      refresh_url: word,
      return_url: word,
      type: required(oneOf("account_onboarding", "account_update")),
    },
    ({ world }, { account, type }) => {
      const { id } = connectedAccount(world, account);
      const kind = type === "account_onboarding" ? "e" : "c";
      return {
        object: "account_link",
        created: world.now(),
        expires_at: world.now() + 5 * MINUTES,
        url: `${CONNECT}/setup/${kind}/${id}/${world.id("link").slice(5)}`,
      };
    },
  ),
  route("POST /v1/accounts/:account/login_links", {}, ({ world, path }) => {
    const { id } = connectedAccount(world, path.account);
    const url = `${CONNECT}/express/${id}/${world.id("link").slice(5)}`;
    return { object: "login_link", created: world.now(), url };
  }),
  route(
    "POST /oauth/token",
    {
      client_secret: word,
      code: word,
      grant_type: required(oneOf("authorization_code", "refresh_token")),
      refresh_token: word,
      scope: word,
    },
    token,
  ),
  route(
    "POST /oauth/deauthorize",
    { client_id: required(word), stripe_user_id: required(word) },
    ({ world }, { stripe_user_id }) => {
      disconnectAccount(world, stripe_user_id);
      return { stripe_user_id };
    },
  ),
];
