/**
 * Which names a double answers to. A page on the internet can have its own name resolve to loopback
 * and then read what listens there (DNS rebinding); its requests carry that name as their `Host`.
 */

/** Whether a `Host` header names this machine's loopback, with or without a port. */
export function isLoopbackHost(host: string | undefined): boolean {
  const name = /^(\[[^\]]*\]|[^:]*)(?::\d+)?$/.exec(host ?? "")?.[1]?.toLowerCase() ?? "";
  return (
    name === "localhost" ||
    name.endsWith(".localhost") ||
    name === "[::1]" ||
    /^127(\.\d{1,3}){3}$/.test(name)
  );
}
