/** The application's count of an entity's seats, as a quantity; and the request that has it made. */
import { argsOf } from "../../runtime/arguments.js";
import { commit } from "../../runtime/commit/commit.js";
import { seatsRequest } from "../../runtime/commit/seats.js";
import { BillingError } from "../../runtime/errors.js";
import type { CountSeats, Runtime } from "../../runtime/runtime.js";

/** What `seatsChanged` takes. */
export interface SeatsChangedArgs {
  readonly entityId: string;
}

/** Has the seats of an entity counted soon. It needs the store alone. */
export async function seatsChanged(runtime: Runtime, args: SeatsChangedArgs): Promise<void> {
  const { entityId } = argsOf("seatsChanged", args);
  checkCounts(runtime);
  const requests = [seatsRequest(entityId, runtime.now() + runtime.timing.seatsDelay)];
  await commit(runtime, { source: "call", units: [{ requests }] });
}

/** Refuses to go on where the application has not said how seats are counted. */
export function checkCounts({ seats }: Pick<Runtime, "seats">): void {
  if (seats !== undefined) return;
  throw new BillingError(
    "invalid_config",
    "`seats` is missing, so there is nothing to count an entity's seats by. Pass it to the creator.",
  );
}

/** The seats of an entity as a quantity: at least one, because a subscription sells something. */
export async function countSeats(seats: CountSeats, entityId: string): Promise<number> {
  return quantityOf(await seats(entityId));
}

/** The seats of an entity as a quantity; undefined where the application counts none. */
export async function seatsOf(
  { seats }: Pick<Runtime, "seats">,
  entityId: string,
): Promise<number | undefined> {
  return seats === undefined ? undefined : countSeats(seats, entityId);
}

/** A count as a quantity; what is no count is refused. */
export function quantityOf(count: unknown): number {
  if (Number.isSafeInteger(count) && Number(count) >= 0) return Math.max(1, Number(count));
  throw new BillingError(
    "invalid_config",
    `\`seats\` must answer a whole number from 0, and it answered ${typeof count === "number" ? count : `something of the type ${typeof count}`}.`,
  );
}
