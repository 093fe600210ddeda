/** What a sample says about the whole, with the confidence with which it says it. Pure. */
import type { Confidence } from "../../runtime/reports.js";

const LEVEL = 0.95;

/** The logarithm of the chance to see exactly `k` of `n`, when each has the chance `p`. */
function logChance(n: number, k: number, p: number, logChoose: number): number {
  return logChoose + k * Math.log(p) + (n - k) * Math.log1p(-p);
}

/** The chance to see at most `k` of `n`. */
function atMostChance(n: number, k: number, p: number): number {
  let logChoose = 0;
  let sum = 0;
  for (let seen = 0; seen <= k; seen++) {
    if (seen > 0) logChoose += Math.log((n - seen + 1) / seen);
    sum += Math.exp(logChance(n, seen, p, logChoose));
  }
  return sum;
}

/** The largest part that could differ and still show so few in the sample (Clopper and Pearson). */
export function upperBound(n: number, k: number, level = LEVEL): number {
  if (n === 0 || k >= n) return 1;
  let [low, high] = [k / n, 1];
  for (let step = 0; step < 60; step++) {
    const middle = (low + high) / 2;
    if (atMostChance(n, k, middle) > 1 - level) low = middle;
    else high = middle;
  }
  return high;
}

export function confidence(sampled: number, of: number, differing: number): Confidence {
  const whole = sampled >= of;
  const atMost = whole ? (of === 0 ? 0 : differing / of) : upperBound(sampled, differing);
  const found = differing === 0 ? "no drift" : `${differing} rows that differ`;
  const statement = whole
    ? `${found} in all ${of} rows`
    : `${found} in ${sampled} rows sampled of ${of}: with ${LEVEL * 100}% confidence fewer than ${percent(atMost)} differ`;
  return { sampled, of, differing, level: LEVEL, atMost, statement };
}

function percent(part: number): string {
  const value = part * 100;
  return `${value >= 10 ? Math.ceil(value) : Math.ceil(value * 100) / 100}%`;
}
