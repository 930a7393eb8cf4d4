import { formatCount, formatShare } from '../../base/numbers.ts';
import { printable } from '../../base/printable.ts';
import {
  formatEstimate,
  formatMetric,
  metricTitle,
  metricUnit,
} from '../../counting/count/format-metric.ts';
import type { RatioEstimate } from '../../profile/analysis/shares/group-ratios.ts';
import { isOfGroup } from '../../profile/analysis/shares/ratios.ts';
import type { Profile } from '../../profile/types.ts';
import type { RecordedRatio } from '../../read/outputs/function-ratios.ts';
import { displayWidth } from '../render/display-width.ts';
import { formatTable } from '../render/table.ts';
import { wantsColour } from '../shared/colour.ts';
import { rowWord } from './report-rows.ts';

type NameOf = (event: number) => string;

/** A row of the table of ratios. */
export type ShownRatios = {
  /** Cells of the columns of names. */
  readonly names: readonly string[];
  /** Its share of what the first ratio divides by. */
  readonly share: number;
  readonly estimates: readonly RatioEstimate[];
};

/**
 * Ratios of events by function, by the share of what the first of them divides by:
 *
 *     cycles  insn per cycle  95% interval  file  function
 *     52.10%            0.52     0.50–0.54  work  chase
 */
export function ratioLines(
  { events }: Pick<Profile, 'events'>,
  ratios: readonly RecordedRatio[],
  titles: readonly string[],
  { rows, rest }: { readonly rows: readonly ShownRatios[]; readonly rest: readonly string[] },
): { above: string[]; table: string[] } {
  const nameOf: NameOf = (event) => printable(events[event].name);
  const columns = ratios.map((ratio, i) => ({
    header: [metricTitle(ratio.name, nameOf(ratio.part)), '95% interval'],
    cells: rows.map(({ estimates }) => ratioCells(ratio, estimates[i])),
  }));
  const tableOf = (shown: typeof columns, colour: boolean): string[] => {
    const header = [nameOf(ratios[0].whole), ...shown.flatMap((each) => each.header), ...titles];
    const cells = rows.map(({ names, share }, row) => [
      formatShare(share),
      ...shown.flatMap((each) => each.cells[row]),
      ...names,
    ]);
    const right = Array.from({ length: 1 + 2 * shown.length }, (_, column) => column);
    return formatTable(header, cells, { right, colour });
  };
  const isWide = tableOf(columns, false).some((line) => displayWidth(line) > WIDEST);
  const tables = isWide ? columns.map((each) => [each]) : [columns];
  return {
    above: [
      `# in all: ${ratios.map((ratio) => ofAll(ratio, nameOf)).join(', ')}`,
      ...unknownLines({ events }, ratios, rows),
    ],
    table: [
      ...tables.flatMap((shown, at) => [...(at > 0 ? [''] : []), ...tableOf(shown, wantsColour())]),
      ...rest,
    ],
  };
}

/** Cells of a terminal's line: ratios that together need more have a table each. */
const WIDEST = 80;

/** `1.23 insn per cycle`, `page-faults 145.1 K/sec`, `cache-misses 4.50 per 1000 insn`. */
function ofAll({ name, part, ofAll: value }: RecordedRatio, nameOf: NameOf): string {
  const shown = formatMetric({ name, value });
  const text = shown === null ? `${metricUnit(name)} unknown` : `${shown.number} ${shown.unit}`;
  return name === 'ipc' ? text : `${nameOf(part)} ${text}`;
}

function ratioCells({ name }: RecordedRatio, estimate: RatioEstimate): string[] {
  const shown = formatEstimate(name, estimate);
  if (shown === null) return ['unknown', ''];
  // Rates have units of their own.
  const unit = name === 'per-second' ? ` ${shown.unit}` : '';
  return [`${shown.number}${unit}`, shown.interval];
}

/** Why ratios of rows are unknown, with what helps. */
function unknownLines(
  { events }: Pick<Profile, 'events'>,
  ratios: readonly RecordedRatio[],
  rows: readonly ShownRatios[],
): string[] {
  const count = (reason: RatioEstimate['reason']): number =>
    rows.filter(({ estimates }) => estimates.some((estimate) => estimate.reason === reason)).length;
  const [few, mixed] = [count('few'), count('mixed')];
  const isGroup = ratios.some((ratio) => isOfGroup({ events }, ratio));
  return [
    ...(mixed === 0
      ? []
      : [
          `# unknown in ${formatCount(mixed)} ${rowWord(mixed)}: others ran between their samples, which a group's counters do not ` +
            'tell apart; record the events without {…}:S, each with samples of its own',
        ]),
    ...(few === 0
      ? []
      : [
          `# unknown in ${formatCount(few)} ${rowWord(few)}: too few ${isGroup ? 'samples in a row' : 'samples'}`,
        ]),
  ];
}
