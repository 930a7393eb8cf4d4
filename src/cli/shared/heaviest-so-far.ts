import { isIdleKernel } from '../../code/native-frames/kernel-entry.ts';
import type { ReadSoFar } from '../../options/reading.ts';
import { funcLabel } from '../../profile/func-label.ts';

type FunctionRow = ReadSoFar['report']['bySymbol'][number];

/** The functions that did most by themselves in what was read so far, heaviest first; with `idle` those of idle CPUs, too. */
export function heaviestSoFar(
  { profile, report }: ReadSoFar,
  most: number,
  idle = false,
): FunctionRow[] {
  const { funcs, dsos } = profile;
  const isIdle = ({ func }: FunctionRow): boolean =>
    isIdleKernel(funcLabel(profile, func), dsos[funcs.dso[func]]?.name ?? '');
  return report.bySymbol.filter((row) => row.self > 0 && (idle || !isIdle(row))).slice(0, most);
}

/** Pause between two looks at what was read so far, as a multiple of the time that the last one took. */
const PAUSE_FACTOR = 20;

/** Returns a function that runs a look where it is time for one; the first one is after `firstMs`. */
export function atTimes(firstMs = 0): (look: () => void) => void {
  let nextMs = performance.now() + firstMs;
  return (look) => {
    const startMs = performance.now();
    if (startMs < nextMs) return;
    look();
    const endMs = performance.now();
    nextMs = endMs + PAUSE_FACTOR * (endMs - startMs);
  };
}
