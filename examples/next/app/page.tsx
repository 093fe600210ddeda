/** The plans, from the catalogue, and which of them the person has, from the app's own database. */
import { catalogue } from "@/catalogue";
import { store } from "@/lib/billing";
import { currentEntity } from "@/lib/entity";
import { money } from "@/lib/format";
import { choose } from "./actions";

export default async function Plans() {
  const entityId = await currentEntity();
  const current = entityId === undefined ? undefined : await store.planOf(entityId);
  return (
    <>
      <hgroup>
        <h1>Room for everything you write</h1>
        <p>Begin for free, and take a larger shelf when you need one.</p>
      </hgroup>
      <ul className="plans">
        {Object.entries(catalogue.plans).map(([id, plan]) => (
          <li className="card" key={id} data-current={id === current}>
            <h2>{plan.name}</h2>
            <p>
              {plan.features.notebooks} {plan.features.notebooks === 1 ? "notebook" : "notebooks"}
              {"history" in plan.features && ", and every version of every page"}
            </p>
            {id === current && <p className="badge">Your plan</p>}
            {"prices" in plan && id !== current && (
              <form action={choose}>
                {Object.entries(plan.prices).map(([name, price]) => (
                  <button key={name} type="submit" name="key" value={`${id}:${name}`}>
                    {plan.name} for {money(price)} a {price.interval}
                  </button>
                ))}
              </form>
            )}
          </li>
        ))}
      </ul>
    </>
  );
}
