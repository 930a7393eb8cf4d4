import { formatEstimate, metricTitle } from '../../counting/count/format-metric.ts';
import type { RatioEstimate } from '../../profile/analysis/shares/group-ratios.ts';
import type { Profile } from '../../profile/types.ts';
import type { RecordedRatio } from '../../read/outputs/function-ratios.ts';
import { quotedName } from './answer-text.ts';

/** Titles of the columns of ratios. */
export function ratioTitles(
  { events }: Pick<Profile, 'events'>,
  ratios: readonly RecordedRatio[],
): string[] {
  return ratios.map(({ name, part }) => quotedName(metricTitle(name, events[part].name)));
}

/** `0.52 (0.50–0.54)` for each ratio of a row; `unknown` where there is no number. */
export function ratioCells(
  ratios: readonly RecordedRatio[],
  estimateOf: (ratio: number) => RatioEstimate,
): string[] {
  return ratios.map(({ name }, i) => {
    const shown = formatEstimate(name, estimateOf(i));
    if (shown === null) return 'unknown';
    const unit = name === 'per-second' ? ` ${shown.unit}` : '';
    return `${shown.number}${unit} (${shown.interval})`;
  });
}
