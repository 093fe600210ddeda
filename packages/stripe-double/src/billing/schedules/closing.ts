/** The ends of a schedule that do not come by its phases: its subscription ends, or it never began. */
import type { World } from "../../world/world.js";
import { isOpen, type Schedule } from "./schedule.js";

/** Ends a schedule whose subscription has ended; `aborted` if that was for want of payment. */
export function closeSchedule(
  world: World,
  id: string | null,
  how: "aborted" | "canceled",
): Schedule | undefined {
  const schedule = id === null ? undefined : world.objects.subscription_schedule.get(id);
  if (schedule === undefined || !isOpen(schedule)) return schedule;
  const closed = world.patch("subscription_schedule", schedule.id, {
    status: "canceled",
    canceled_at: world.now(),
    current_phase: null,
  });
  world.raise(`subscription_schedule.${how}`, closed);
  return closed;
}
