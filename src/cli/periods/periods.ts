import { FailedError } from '../../base/errors.ts';
import { printable } from '../../base/printable.ts';
import { finish } from '../../base/slices.ts';
import type { ImportFormat } from '../../formats/import/imported-profile.ts';
import { numberOrAll } from '../../options/kinds.ts';
import type { AskedOf } from '../../options/option.ts';
import { fitted } from '../../options/option-error.ts';
import { PERIODS, USUAL_PAIRS, USUAL_STREAMS } from '../../options/periods.ts';
import type { PeriodsReport } from '../../period/report/report.ts';
import {
  isRestricting,
  type SampleSelection,
  selectSamples,
} from '../../profile/analysis/select/filter.ts';
import type { Profile } from '../../profile/types.ts';
import { keepStreams } from '../../questions/periods.ts';
import { comparedProfile } from '../../read/outputs/compared-profile.ts';
import { findingsOf } from '../../read/outputs/findings-of.ts';
import { pairsTable } from '../render/pairs-table.ts';
import { formatPeriods } from '../render/periods-text.ts';
import { describeTerminal } from '../render/terminal.ts';
import { recordingLines } from '../report/recording-lines.ts';
import { wantsColour } from '../shared/colour.ts';
import { loadForCommand } from '../shared/load.ts';
import { recordingBehind } from '../shared/reading-options.ts';
import { thisRun } from '../shared/run.ts';
import { selectFrom } from '../shared/selection-flags.ts';
import { drawnTerminal, printJson, terminalStream, writeText } from '../shared/stdout.ts';

export type PeriodsFlags = AskedOf<typeof PERIODS>;

/**
 * The value of `--pairs` can be left out, and is taken for one only where it is a number or `all`: in
 * `periods --pairs perf.data` the word is the file.
 */
export function fileBehindPairs<Flags extends { readonly pairs?: string }>(
  file: string | undefined,
  flags: Flags,
): { file: string | undefined; flags: Flags } {
  const { pairs } = flags;
  const isNumber = pairs === undefined || pairs === 'all' || !Number.isNaN(Number(pairs));
  if (isNumber || file !== undefined) return { file, flags };
  return {
    file: recordingBehind('--pairs', 'a number or all', pairs),
    flags: { ...flags, pairs: USUAL_PAIRS },
  };
}

/** `perf-ts periods`: how the kernel's adaptive period behaved, and what was lost. */
export async function runPeriods(path: string, flags: PeriodsFlags): Promise<void> {
  const { streams = USUAL_STREAMS } = flags;
  const { pairs: option } = PERIODS;
  const pairs =
    flags.pairs === undefined
      ? undefined
      : fitted(option, numberOrAll, flags.pairs, () => numberOrAll.read(`${flags.pairs}`));
  const isPairsText = pairs !== undefined && !flags.json;
  const opened = await loadForCommand(path, flags, {
    symbols: !isPairsText,
    unwind: !isPairsText,
    frames: 'all',
  });
  if (opened.facts.imported !== null) throw noPeriods(path, opened.facts.imported);
  const select = selectFrom(opened, flags);
  const isSelected = isRestricting(select);
  const whole = opened.periods({
    streams: isSelected ? 'all' : streams,
    ...(pairs !== undefined && { pairs }),
    ...(!isPairsText && { compared: comparedProfile(opened) }),
  });
  const report = isSelected ? selectStreams(whole, opened.profile, select, streams) : whole;
  if (flags.json) {
    printJson({ ...report, findings: findingsOf(opened) });
    return;
  }
  const terminal = describeTerminal(terminalStream() ?? {});
  const lines = isPairsText
    ? // One stream of each event is a table to read; --json has those that --streams asks for.
      report.events.flatMap((event) =>
        event.streams.slice(0, 1).flatMap((s) => pairsTable(event, s)),
      )
    : formatPeriods(report, {
        colour: wantsColour(),
        terminal,
        findings: findingsOf(opened),
        eventRows: opened.reportedEvents(),
        isWhole: flags.streams !== undefined || isSelected || thisRun().isVerbose,
        drawsRate: drawnTerminal() !== null,
      });
  const head = isPairsText ? [] : recordingLines(opened, null, false);
  writeText(`${[...head, ...lines].join('\n')}\n`);
}

/** A text has the period of each sample at best, and not how the kernel was asked for it. */
const IMPORTED: Readonly<Record<ImportFormat, string>> = {
  folded: 'folded stacks',
  'perf-script': 'text of perf script',
  cpuprofile: 'a .cpuprofile',
  heapprofile: 'a .heapprofile',
  speedscope: 'a speedscope file',
  pprof: 'a pprof file',
  firefox: 'a profile of profiler.firefox.com',
};

function noPeriods(path: string, format: ImportFormat): FailedError {
  return new FailedError(
    `${printable(path)} is ${IMPORTED[format]}: it doesn't say how events were sampled, nor by whom`,
    ['give periods the recording itself: perf-ts periods perf.data'],
  );
}

/**
 * Only the streams that have a sample which `select` admits, the largest `limit` of each event. A
 * stream's figures are those of all its samples, since the kernel's period depends on all of them;
 * those of the event are of all its streams.
 *
 * `report` must have all streams.
 */
function selectStreams(
  report: PeriodsReport,
  profile: Profile,
  select: SampleSelection,
  limit: number | 'all',
): PeriodsReport {
  const { samples, streams, threads } = profile;
  const ids = new Set<string>();
  const tids = new Set<number>();
  const cpus = new Set<number>();
  for (const row of finish(selectSamples(profile, select))) {
    const stream = streams[samples.stream[row]];
    if (stream !== undefined) ids.add(stream.streamId);
    tids.add(threads[samples.thread[row]].tid);
    cpus.add(samples.cpu[row]);
  }
  const events = report.events.map((event) => {
    const selected = event.streams.filter((stream) =>
      // A recording without stream ids has a stream for each thread or CPU.
      ids.size > 0
        ? ids.has(stream.streamId ?? '')
        : stream.tids.some((tid) => tids.has(tid)) &&
          (stream.cpus.length === 0 || stream.cpus.some((cpu) => cpus.has(cpu))),
    );
    return keepStreams(event, limit === 'all' ? Number.POSITIVE_INFINITY : limit, selected);
  });
  return { ...report, events };
}
