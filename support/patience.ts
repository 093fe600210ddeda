/**
 * How long a test waits for a condition, in milliseconds. It ends a test that would never end, and is
 * no statement about speed: CI runs while all cores are busy. vitest.config.ts has the limits of
 * tests and hooks, which are longer.
 */
export const PATIENCE = 120_000;
