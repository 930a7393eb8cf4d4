import { formatShare } from '../../base/numbers.ts';
import { printable } from '../../base/printable.ts';
import type { OnReadingProgress, ReadSoFar } from '../../options/reading.ts';
import { fileAndName } from '../../profile/func-label.ts';
import { shortName } from '../../profile/short-name.ts';
import { clip } from '../render/clip.ts';
import type { LineRoom } from '../render/progress-line.ts';
import { formatTable } from '../render/table.ts';
import { atTimes, heaviestSoFar } from '../shared/heaviest-so-far.ts';
import { progressLine, readingProgress } from '../shared/progress.ts';
import { selectionText } from '../shared/selection-flags.ts';
import { drawnTerminal } from '../shared/stdout.ts';
import type { ReportFlags } from './report-rows.ts';

/** Nobody reads more of a table that changes. */
const MOST_ROWS = 20;
/** Lines beside the rows: two heads, and the line that shows how far the reading is. */
const OTHER_LINES = 3;

/**
 * Shows on the terminal how far the reading of a recording has come, and the heaviest functions so far, which the report
 * replaces; how far alone where another table is asked for. Undefined where nothing may be drawn.
 */
export function showReading(path: string, flags: ReportFlags): OnReadingProgress | undefined {
  const show = readingProgress(path, flags.quiet);
  const line = show === undefined ? null : progressLine();
  if (show === undefined || line === null || !isOfFunctions(flags)) return show;
  const look = atTimes();
  return (stage, share, soFar) => {
    show(stage, share);
    if (soFar === undefined || !share) return;
    look(() => {
      const room = line.roomAbove(share);
      const found = room && soFar();
      if (found && found.report.weight > 0) line.showAbove(linesSoFar(found, share, room, flags));
    });
  };
}

/** Whether the report is the usual table, on a terminal. */
function isOfFunctions({ sort, json, tree, fields, weight, children, ...flags }: ReportFlags) {
  const isOther = json || tree || children || fields !== undefined || weight !== undefined;
  const isUsual = !isOther && sort === 'sym' && flags.fieldSeparator === undefined;
  return isUsual && selectionText(flags) === '' && drawnTerminal() !== null;
}

/**
 * The heaviest functions, in lines that the terminal does not wrap:
 *
 *     # preliminary: cpu-clock, of the first 30% of the records
 *      self  total  file    function
 *       41%    51%  app.js  parse
 */
function linesSoFar(
  found: ReadSoFar,
  share: number,
  { columns, rows }: LineRoom,
  { limit = 0, idle = false }: Pick<ReportFlags, 'limit' | 'idle'>,
): string[] {
  const { profile, report } = found;
  const most = Math.max(1, Math.min(MOST_ROWS, rows - OTHER_LINES, limit || MOST_ROWS));
  const event = printable(profile.events[report.event]?.name ?? '');
  const head = `# preliminary: ${event}, of the first ${formatShare(share)} of the records`;
  const table = formatTable(
    ['self', 'total', 'file', 'function'],
    heaviestSoFar(found, most, idle).map(({ selfShare, totalShare, func }) => [
      formatShare(selfShare),
      formatShare(totalShare),
      ...fileAndName(profile, func).map((text) => printable(shortName(text))),
    ]),
    { right: [0, 1], columns },
  );
  return [head, ...table].map((line) => clip(line, columns));
}
