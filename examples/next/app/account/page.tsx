/** What the person has. It is read from the app's own database: nothing here asks Stripe. */
import { redirect } from "next/navigation";
import { catalogue } from "@/catalogue";
import { store } from "@/lib/billing";
import { currentEntity } from "@/lib/entity";
import { day } from "@/lib/format";
import { manage } from "../actions";

export default async function Account() {
  const entityId = await currentEntity();
  if (entityId === undefined) redirect("/");
  const [found, notebooks] = await Promise.all([
    store.subscriptionOf(entityId),
    store.limit(entityId, "notebooks"),
  ]);
  const { plan, status, endsAt, renewsAt } = found;
  return (
    <section className="card">
      <h1>{catalogue.plans[plan].name}</h1>
      <p>You can have {notebooks === 1 ? "one notebook" : `${notebooks} notebooks`}.</p>
      {status === "past_due" && <p role="alert">Your last payment failed. Please mend that.</p>}
      {endsAt !== null && (
        <p>
          It {status === "canceled" ? "ended" : "ends"} on {day(endsAt)}.
        </p>
      )}
      {endsAt === null && renewsAt !== null && <p>It renews on {day(renewsAt)}.</p>}
      {status !== "none" && (
        <form action={manage}>
          <button type="submit">Manage billing</button>
        </form>
      )}
    </section>
  );
}
