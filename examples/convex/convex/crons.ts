import { cronJobs } from "convex/server";
import { internal } from "./_generated/api";
import { stripe } from "./stripe";

const crons = cronJobs();
stripe.addCronJobs(crons);
crons.interval("mails that are left", { minutes: 10 }, internal.mail.send, {});

export default crons;
