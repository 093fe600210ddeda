/**
 * Who may act for which entity: the one function to fill in. It answers the id of the entity that the
 * person who sent the request pays for, such as their own id or that of their organisation, and null
 * for one who is not signed in. Never take the id from the request as it is: check that it is theirs.
 *
 *   const session = await auth.api.getSession({ headers: request.headers });
 *   return session?.user.id ?? null;
 */
export async function entityFor(_request: Request): Promise<string | null> {
  return null;
}
