/** The routes. Whatever is done for an entity hangs below one that only its owner gets past. */
import { serveStatic } from "@hono/node-server/serve-static";
import { Hono } from "hono";
import { csrf } from "hono/csrf";
import { HTTPException } from "hono/http-exception";
import {
  createOrganisation,
  field,
  formOf,
  ownersOnly,
  refuse,
  signIn,
  signOut,
  signUp,
  whoAsks,
} from "./auth.ts";
import { stripe } from "./billing.ts";
import { account, pay, portal, products, subscribe } from "./shop.ts";

const entities = new Hono()
  .use(ownersOnly)
  .get("/", async (c) => c.json(await account(c.var.entity)))
  .post("/subscribe", async (c) =>
    c.json(await subscribe(c.var.entity, field(await formOf(c), "priceId"))),
  )
  .post("/pay", async (c) => c.json(await pay(c.var.entity, field(await formOf(c), "priceId"))))
  .post("/portal", async (c) => c.json(await portal(c.var.entity)));

const api = new Hono()
  .use(csrf())
  .get("/me", async (c) => c.json(await whoAsks(c)))
  .get("/products", async (c) => c.json(await products()))
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
  console.error(error);
  return c.json({ error: "Something went wrong on our side. Try again in a moment." }, 500);
});
