/** Where the watchdog's record is, apart from records.ts: mutations of the application find it too. */
export const WATCHDOG = { kind: "setting", id: "watchdog" } as const;
