/** Clocks that `perf_event_attr.clockid` takes, by perf's names; the default is the first. */
export const CLOCK_IDS = {
  monotonic: 1,
  monotonic_raw: 4,
  realtime: 0,
  boottime: 7,
  tai: 11,
} as const;

/** Clocks for record times, by perf's names. */
export type ClockName = keyof typeof CLOCK_IDS;

/** The name of a clock by its id; `clock 3` for one that perf has no name for. */
export function clockName(clockid: number): string {
  const known = Object.entries(CLOCK_IDS).find(([, id]) => id === clockid);
  return known?.[0] ?? `clock ${clockid}`;
}
