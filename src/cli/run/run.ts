import { printable } from '../../base/printable.ts';
import { formatOfFile } from '../../options/export.ts';
import type { AskedOf } from '../../options/option.ts';
import { isStream } from '../../system/files/stream-place.ts';
import { runRecord } from '../record/record.ts';
import { notify } from '../shared/failure.ts';
import { thisRun } from '../shared/run.ts';
import { isTerminal, terminalStream } from '../shared/stdout.ts';
import type { RUN } from './run-options.ts';

/** Rows of the report without a terminal, and lines of one that stand beside its rows. */
const ROWS = 20;
const LINES_BESIDE = 14;
const LEAST_ROWS = 8;

/**
 * `perf-ts run`: records, then reports as `perf-ts report` does, with the user's defaults of it, and names the export.
 * `runLine` runs another line of perf-ts in this process.
 */
export async function runAndReport(
  words: readonly string[],
  asked: AskedOf<typeof RUN>,
  runLine: (line: readonly string[]) => Promise<unknown>,
): Promise<void> {
  const recording = await runRecord(words, { ...asked, isReported: true });
  if (recording === null || recording.isOutputGone || asked.quiet || isStream(recording.path))
    return;
  // The command may have written to it for whoever reads its output.
  if (words.length > 0 && !isTerminal(1)) thisRun().resultsOn = 2;
  const { path } = recording;
  thisRun().usualRows = rowsOfScreen();
  await runLine(['report', path]);
  const { output } = asked;
  if (output !== undefined && formatOfFile(output) !== null) {
    notify(`perf-ts: written: ${printable(output)}`);
  }
}

function rowsOfScreen(): number {
  const lines = terminalStream(thisRun().resultsOn)?.rows;
  return lines === undefined ? ROWS : Math.max(LEAST_ROWS, lines - LINES_BESIDE);
}
