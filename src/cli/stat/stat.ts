import { FailedError, failedBy } from '../../base/errors.ts';
import { EXIT } from '../../base/exit-status.ts';
import {
  type RunningStat,
  type StatReport,
  type StatResult,
  startStat,
} from '../../counting/stat/stat.ts';
import type { AskedOf } from '../../options/option.ts';
import { forLibrary } from '../../options/read-flags.ts';
import { MOST_DETAIL, STAT, type StatOptions } from '../../options/stat.ts';
import { insteadOfStat } from '../habits/perf-commands.ts';
import { inLocale } from '../render/ascii.ts';
import { type FieldColumns, formatFieldHeader, formatFields } from '../render/stat-fields.ts';
import { intervalDocument, statDocument } from '../render/stat-json.ts';
import { formatStat, formatStatInterval } from '../render/stat-text.ts';
import { wrapRemark } from '../render/wrap.ts';
import { wantsColour } from '../shared/colour.ts';
import { commandStatus } from '../shared/command-status.ts';
import { EndingSignals } from '../shared/ending-signals.ts';
import { notify } from '../shared/failure.ts';
import { closeOutput, openOutput } from '../shared/open-output.ts';
import { reportClosing } from '../shared/progress.ts';
import { withRunner } from '../shared/script-runner.ts';
import { SideCommand } from '../shared/side-command.ts';
import { drawnTerminal, writeAll } from '../shared/stdout.ts';

/** `perf-ts stat`: counts, prints, exits with the command's status. */
export async function runStat(words: string[], asked: AskedCount): Promise<void> {
  const command = withRunner(words);
  try {
    await countAndPrint(command, asked);
  } catch (error) {
    const instead = insteadOfStat(command);
    const isAbsent = error instanceof FailedError && error.exitStatus === EXIT.NOT_FOUND;
    if (instead === null || !isAbsent) throw error;
    throw new FailedError(error.message, [instead], EXIT.NOT_FOUND);
  }
}

async function countAndPrint(command: readonly string[], asked: AskedCount): Promise<void> {
  // As in perf the command says how long, and is not counted.
  const isBound = command.length > 0 && (asked.pids ?? asked.tids) !== undefined;
  const options = countAsked(isBound ? [] : command, asked);
  const { intervals } = asked;
  const output = StatOutput.open(
    asked,
    options.aggregation !== undefined || options.cgroups !== undefined,
  );
  // Ctrl-C ends a count without a command; a command gets it, and is counted to its end.
  const signals = new EndingSignals({
    first: command.length > 0 && !isBound ? 'forward' : 'stop',
    again: 'stop',
  });
  const side = isBound ? new SideCommand(command, options) : null;
  try {
    let reported = 0;
    const running: RunningStat = startStat(
      {
        ...options,
        onNotice: (_inKeys, notice, isDetail) => {
          if (!asked.quiet && (isDetail !== true || asked.verbose)) notify(`perf-ts: ${notice}`);
        },
      },
      (report) => {
        output.writeInterval(report, reported === 0);
        reported++;
        if (reported === intervals) running.stop();
      },
    );
    signals.begin(running);
    side?.start();
    void side?.ended.finally(() => running.stop()).catch(() => {});
    const result = await running.finished;
    side?.end();
    output.writeResult(result);
    const exit = side === null ? await running.exited : await side.ended;
    process.exitCode = exitStatus(result, side?.isEndedByUs ? null : exit);
    if (!asked.quiet) reportClosing(result.rows.length);
  } finally {
    side?.close();
    output.close();
  }
}

/** The command's own, 128 + n when it died of signal n; 125 where no event was on a counter. */
function exitStatus(
  { rows }: StatResult,
  exit: { readonly status: number; readonly signal: number } | null,
): number {
  const wasEnabled = rows.some(({ enabledNs }) => enabledNs > 0);
  if (wasEnabled && rows.every(({ value }) => value === null)) return EXIT.FAILED;
  if (exit === null) return EXIT.OK;
  return commandStatus(exit);
}

/** The place that the counts go to, and their form. */
class StatOutput {
  readonly #asked: AskedCount;
  readonly #hasUnits: boolean;
  readonly #fd: number;
  readonly #isOwn: boolean;

  private constructor(asked: AskedCount, hasUnits: boolean, fd: number) {
    this.#asked = asked;
    this.#hasUnits = hasUnits;
    this.#fd = fd;
    this.#isOwn = asked.output !== undefined && asked.output !== '-';
  }

  /** Opens the file of `-o`; without one the counts go to standard error. */
  static open(asked: AskedCount, hasUnits: boolean): StatOutput {
    const { output } = asked;
    const fd = output === undefined ? 2 : output === '-' ? 1 : openOutput(output);
    return new StatOutput(asked, hasUnits, fd);
  }

  writeInterval(report: StatReport, isFirst: boolean): void {
    const { json, fieldSeparator } = this.#asked;
    if (json) {
      this.#write([JSON.stringify(intervalDocument(report))]);
    } else if (fieldSeparator !== undefined) {
      const columns = this.#columns(true, false);
      const header = isFirst ? [formatFieldHeader(columns)] : [];
      this.#write([...header, ...formatFields(report, columns)]);
    } else {
      this.#writeText(formatStatInterval(report, isFirst, { colour: this.#colour() }));
    }
  }

  writeResult(result: StatResult): void {
    const { json, fieldSeparator, intervalMs, table } = this.#asked;
    if (json) {
      const indent = intervalMs === undefined ? 2 : undefined;
      this.#write([JSON.stringify(statDocument(result), null, indent)]);
    } else if (fieldSeparator === undefined) {
      this.#writeText(formatStat(result, { colour: this.#colour(), runs: table === true }));
    } else if (intervalMs === undefined) {
      // Otherwise the stretches were the whole, as in perf.
      const columns = this.#columns(false, result.runs > 1);
      this.#write([formatFieldHeader(columns), ...formatFields(result, columns)]);
    }
  }

  close(): void {
    if (this.#isOwn) closeOutput(this.#fd, this.#asked.output ?? '');
  }

  #columns(hasTime: boolean, hasSpread: boolean): FieldColumns {
    const separator = this.#asked.fieldSeparator ?? ',';
    return {
      separator: separator === '\\t' ? '\t' : separator,
      hasTime,
      hasUnits: this.#hasUnits,
      hasSpread,
    };
  }

  #colour(): boolean {
    return !this.#isOwn && wantsColour(this.#fd);
  }

  #writeText(lines: readonly string[]): void {
    const terminal = this.#fd === 2 ? drawnTerminal(this.#fd) : null;
    const columns = terminal?.columns ?? Number.POSITIVE_INFINITY;
    this.#write(lines.flatMap((line) => wrapRemark(inLocale(line), columns)));
  }

  #write(lines: readonly string[]): void {
    const bytes = Buffer.from(lines.map((line) => `${line}\n`).join(''));
    try {
      writeAll(this.#fd, bytes);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      throw failedBy(code, `cannot write the counts (${code})`);
    }
  }
}

/** The options that a command line of `stat` gives, by their keys. */
type AskedCount = AskedOf<typeof STAT>;

/** The count that is asked for, of `command`. */
function countAsked(command: readonly string[], asked: AskedCount): StatOptions {
  const { detail = 0, ...rest } = forLibrary(STAT, asked);
  return {
    ...rest,
    ...(detail > 0 && { detail: Math.min(detail, MOST_DETAIL) }),
    ...(command.length > 0 && { command }),
  };
}
