import type { Range } from '../state/state.ts';

const SECOND_NS = 1_000_000_000n;

/**
 * `--time 282.818002945,283.0`: the range as `perf-ts report` understands it, seconds of the clock
 * that the recording was made with. Both ends are inside there; the end of a range is not.
 */
export function timeOption({ fromNs, toNs }: Range, startTime: string): string {
  const start = BigInt(startTime);
  const at = (ns: number) => {
    const time = start + BigInt(Math.round(ns));
    return `${time / SECOND_NS}.${`${time % SECOND_NS}`.padStart(9, '0')}`;
  };
  return `--time ${at(fromNs)},${at(Math.max(fromNs, toNs - 1))}`;
}
