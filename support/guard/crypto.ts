/** Signatures and hashes are made beside the event loop: virtual time stands still meanwhile. */
export function waitingForCrypto(real: <T>(work: () => Promise<T>) => Promise<T>): () => void {
  const { subtle } = crypto;
  const names = ["importKey", "sign", "verify", "digest"] as const;
  for (const name of names) {
    const call = subtle[name].bind(subtle) as (...args: unknown[]) => Promise<unknown>;
    const value = (...args: unknown[]) => real(() => call(...args));
    Object.defineProperty(subtle, name, { value, configurable: true });
  }
  return () => {
    for (const name of names) Reflect.deleteProperty(subtle, name);
  };
}
