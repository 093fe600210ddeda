import { httpRouter } from "convex/server";
import { billing } from "./billing";

const http = httpRouter();
billing.addHttpRoutes(http);

export default http;
