import { formatShare } from '../../base/numbers.ts';
import { printable } from '../../base/printable.ts';
import type { ReportedPeriod } from '../types.ts';

/**
 * An event whose samples report periods of an unknown interval. Its weights are the periods as reported;
 * the intervals of its shares span that reading and the other one.
 */
export type RuleDoubt = {
  readonly reported: ReportedPeriod;
  /** Share of the weight that stands at other samples in the other reading, 0…1. */
  readonly moved: number;
};

/** The reason why the interval that a period belongs to is unknown. */
export function unknownRuleText({ driver, contradiction }: ReportedPeriod): string {
  if (contradiction !== undefined) {
    return (
      `unknown which interval a sample reports: its periods contradict the kernel's sources for ` +
      `${printable(driver ?? 'its driver')}; used as reported, record --counts tells`
    );
  }
  return 'unknown which interval a sample reports: used as reported; record --counts tells';
}

/** The reason of an event that has no samples of its own: those of `leader`, the first of its group, read it. */
export function readByLeaderText(leader: string): string {
  return (
    `counted where samples of ${printable(leader)} fell: shares are partly those of neighbouring functions, nobody knows ` +
    'how much, and have no intervals; ratios leave that out'
  );
}

/** One sentence for everyone who reads shares of the event, without a full stop. */
export function ruleDoubtText({ reported, moved }: RuleDoubt): string {
  const why =
    reported.contradiction === undefined
      ? 'the recording does not tell which interval a period counts'
      : `periods contradict the kernel's sources for ${printable(reported.driver ?? 'the driver')} about which interval they count`;
  return (
    `${why}: ${formatShare(moved)} of the weight may belong to neighbouring samples, and the intervals ` +
    'allow for it; record with --counts'
  );
}
