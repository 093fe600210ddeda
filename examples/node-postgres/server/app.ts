/** The routes. Whatever is done for an entity hangs below one that only its owner gets past. */
import { serveStatic } from "@hono/node-server/serve-static";
import { BillingError } from "backend-billing";
import { Hono } from "hono";
import { csrf } from "hono/csrf";
import { HTTPException } from "hono/http-exception";
import {
  createOrganisation,
  emailsIn,
  field,
  formOf,
  letterIn,
  ownersOnly,
  refuse,
  signIn,
  signOut,
  signUp,
  whoAsks,
} from "./auth.ts";
import { stripe } from "./billing.ts";
import { send } from "./letters.ts";
import { account, cancel, change, pay, portal, preview, resume, subscribe } from "./shop.ts";
import { invite, remove } from "./team.ts";

const entities = new Hono()
  .use(ownersOnly)
  .get("/", async (c) => c.json(await account(c.var.entity)))
  .post("/subscribe", async (c) =>
    c.json(await subscribe(c.var.entity, field(await formOf(c), "key"))),
  )
  .post("/preview", async (c) => c.json(await preview(c.var.entity, field(await formOf(c), "key"))))
  .post("/change", async (c) => {
    const form = await formOf(c);
    return c.json(await change(c.var.entity, field(form, "key"), field(form, "quote")));
  })
  .post("/cancel", async (c) => c.json(await cancel(c.var.entity)))
  .post("/resume", async (c) => c.json(await resume(c.var.entity)))
  .post("/pay", async (c) => c.json(await pay(c.var.entity, field(await formOf(c), "key"))))
  .post("/send", async (c) => c.json(await send(c.var.entity, letterIn(await formOf(c)))))
  .post("/invite", async (c) => c.json(await invite(c.var.entity, emailsIn(await formOf(c)))))
  .post("/remove", async (c) => c.json(await remove(c.var.entity, field(await formOf(c), "id"))))
  .post("/portal", async (c) => c.json(await portal(c.var.entity)));

const api = new Hono()
  .use(csrf())
  .get("/me", async (c) => c.json(await whoAsks(c)))
  .post("/sign-up", async (c) => c.json(await signUp(c)))
  .post("/sign-in", async (c) => c.json(await signIn(c)))
  .post("/sign-out", async (c) => c.json(await signOut(c)))
  .post("/organisations", async (c) => {
    const me = (await whoAsks(c)) ?? refuse(401, "Sign in first.");
    return c.json(await createOrganisation(me.user, field(await formOf(c), "name")));
  })
  .route("/for/:entityId", entities)
  .all("*", () => refuse(404, "There is nothing here."));

export const app = new Hono();
stripe.addHttpRoutes(app); // POST /stripe/webhook and GET /stripe/return/*
app.route("/api", api);
app.use(serveStatic({ root: "dist" }));
app.get("*", serveStatic({ path: "dist/index.html" }));

app.onError((error, c) => {
  if (error instanceof HTTPException) return c.json({ error: error.message }, error.status);
  if (error instanceof BillingError && error.expose) {
    return c.json({ error: error.message, code: error.code }, error.status);
  }
  console.error(error);
  return c.json({ error: "Something went wrong on our side. Try again in a moment." }, 500);
});
