/**
 * Who is asking: an account without a name, known by a cookie that cannot be guessed, so that the
 * example needs no sign-in. A real app asks its own authentication here.
 */
import { randomUUID } from "node:crypto";
import type { Cookies } from "@sveltejs/kit";

const COOKIE = "account";

export const currentEntity = (cookies: Cookies): string | undefined => cookies.get(COOKIE);

/** Only in form actions, so that who merely looks has no account. */
export function createEntity(cookies: Cookies): string {
  const entityId = randomUUID();
  cookies.set(COOKIE, entityId, { path: "/" }); // HttpOnly, SameSite=Lax and Secure by themselves
  return entityId;
}
