import { httpRouter } from "convex/server";
import { stripe } from "./stripe";

const http = httpRouter();
stripe.addHttpRoutes(http);

export default http;
