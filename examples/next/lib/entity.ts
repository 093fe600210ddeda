/**
 * Who is asking: an account without a name, known by a cookie that cannot be guessed, so that the
 * example needs no sign-in. A real app asks its own authentication here.
 */
import { randomUUID } from "node:crypto";
import { cookies } from "next/headers";
import { baseUrl } from "./billing";

const COOKIE = "account";

export async function currentEntity(): Promise<string | undefined> {
  return (await cookies()).get(COOKIE)?.value;
}

/** Only in actions and routes: a page cannot set a cookie. */
export async function createEntity(): Promise<string> {
  const entityId = randomUUID();
  const secure = baseUrl.startsWith("https:");
  (await cookies()).set(COOKIE, entityId, { httpOnly: true, sameSite: "lax", secure });
  return entityId;
}
