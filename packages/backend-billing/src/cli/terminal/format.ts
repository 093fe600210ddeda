/** Numbers, times and lengths as people read them. Pure. */
import type { SetAside } from "../../core/runtime/reports.js";

export const count = (value: number): string => value.toLocaleString("en-US");

/** `1 page`, `2 pages`. */
export const counted = (value: number, noun: string): string =>
  `${count(value)} ${noun}${value === 1 ? "" : "s"}`;

/** A few names, and how many more there are. */
export function listed(names: readonly string[], most = 6): string {
  const shown = names.slice(0, most).join(", ");
  return names.length > most ? `${shown} and ${names.length - most} more` : shown;
}

/** A length of time: `850 ms`, `12.3 s`, `4 min 5 s`, `3 h 20 min`, `12 days`. */
export function duration(milliseconds: number): string {
  const seconds = milliseconds / 1000;
  if (seconds < 1) return `${Math.round(milliseconds)} ms`;
  if (seconds < 60) return `${seconds.toFixed(1)} s`;
  const whole = Math.round(seconds);
  if (whole < 3600) return `${Math.floor(whole / 60)} min ${whole % 60} s`;
  if (whole < 172_800)
    return `${Math.floor(whole / 3600)} h ${Math.floor((whole % 3600) / 60)} min`;
  return `${Math.floor(whole / 86_400)} days`;
}

/** A guess: it must not look exact. `about 10 s`, `about 2 min`, `about 3 h`. */
export function roughly(seconds: number): string {
  if (seconds < 5) return "a few seconds";
  if (seconds < 55) return `about ${Math.ceil(seconds / 5) * 5} s`;
  if (seconds < 5_400) return `about ${Math.ceil(seconds / 60)} min`;
  return `about ${Math.round(seconds / 3600)} h`;
}

/** `2026-11-15 08:43:40`, in UTC. */
export const moment = (milliseconds: number): string =>
  new Date(milliseconds).toISOString().slice(0, 19).replace("T", " ");

/** A clock that counts up: `00:12`, `1:02:03`. */
export function clock(milliseconds: number): string {
  const seconds = Math.floor(milliseconds / 1000);
  const pad = (value: number) => String(value).padStart(2, "0");
  const hours = Math.floor(seconds / 3600);
  const rest = `${pad(Math.floor((seconds % 3600) / 60))}:${pad(seconds % 60)}`;
  return hours === 0 ? rest : `${hours}:${rest}`;
}

/** One object that cannot be stored. Its id may hold anything, so nothing in it reaches the terminal. */
export const describeSetAside = ({ resource, id, reason }: SetAside): string =>
  `${resource} ${id.replace(/\p{C}/gu, "�")}: ${reason}`;
