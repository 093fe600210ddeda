/** Secrets of apps: a payload by its name and scope, shown only when it is asked for. */
import type Stripe from "stripe";
import { missing } from "../../api/errors.js";
import { pageShape } from "../../api/list.js";
import { group, integer, oneOf, required, word } from "../../api/params.js";
import { route } from "../../http/route.js";
import type { Plain } from "../../world/plain.js";
import type { World } from "../../world/world.js";
import { listKind } from "../common.js";

type Secret = Plain<Stripe.Apps.Secret>;

const scope = required(group({ type: required(oneOf("account", "user")), user: word }));
interface Named {
  readonly name: string;
  readonly scope: { readonly type: string; readonly user: string | undefined };
}

const inScope = (secret: Secret, { type, user }: Named["scope"]): boolean =>
  secret.scope.type === type && secret.scope.user === user;

function secretOf(world: World, { name, scope: where }: Named): Secret | undefined {
  return [...world.objects["apps.secret"].values()].find(
    (secret) => secret.name === name && inScope(secret, where),
  );
}

/** Setting a secret again replaces what it was. */
function create(
  world: World,
  named: Named & { readonly payload: string; readonly expires_at: number | undefined },
): Secret {
  const known = secretOf(world, named);
  if (known !== undefined) world.objects["apps.secret"].remove(known.id);
  const { type, user } = named.scope;
  const id = world.id("appsecret");
  world.hidden.set(id, { payload: named.payload });
  return world.objects["apps.secret"].add({
    id,
    object: "apps.secret",
    created: world.now(),
    expires_at: named.expires_at ?? null,
    livemode: world.livemode,
    name: named.name,
    scope: { type, ...(user === undefined ? {} : { user }) },
  });
}

export const secrets = [
  route(
    "POST /v1/apps/secrets",
    { expires_at: integer, name: required(word), payload: required(word), scope },
    ({ world }, params) => create(world, params),
  ),
  route("GET /v1/apps/secrets", { ...pageShape, scope }, (call, { scope: where, ...page }) =>
    listKind(
      call,
      "apps.secret",
      { ...page, created: undefined },
      {
        url: "/v1/apps/secrets",
        matches: (secret) => inScope(secret, where),
      },
    ),
  ),
  route("GET /v1/apps/secrets/find", { name: required(word), scope }, ({ world }, named) => {
    const found = secretOf(world, named);
    if (found === undefined) throw missing("apps.secret", named.name, "name");
    return found;
  }),
  route("POST /v1/apps/secrets/delete", { name: required(word), scope }, ({ world }, named) => {
    const found = secretOf(world, named);
    if (found === undefined) throw missing("apps.secret", named.name, "name");
    world.objects["apps.secret"].remove(found.id);
    return { ...found, deleted: true };
  }),
];
