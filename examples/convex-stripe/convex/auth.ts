import type { Auth } from "convex/server";
import { ConvexError } from "convex/values";

/** The entity is always whoever is asking: nobody can buy or cancel for somebody else. */
export async function requireEntity({ auth }: { auth: Auth }): Promise<string> {
  const identity = await auth.getUserIdentity();
  if (identity === null) throw new ConvexError("Sign in first");
  return identity.tokenIdentifier;
}
