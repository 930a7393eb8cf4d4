import { getSystemErrorName } from 'node:util';
import { FailedError, UsageError } from '../../base/errors.ts';
import { EXIT } from '../../base/exit-status.ts';
import { lostSamplesOfAll, lostSamplesText } from '../../base/lost-samples.ts';
import { formatBytes, formatCount, formatShare } from '../../base/numbers.ts';
import { printable } from '../../base/printable.ts';
import { type Finding, findingText } from '../../findings/finding.ts';
import { judgeRun } from '../../findings/judge-run.ts';
import { formatOfFile } from '../../options/export.ts';
import type { AskedOf } from '../../options/option.ts';
import type { RecordSettings } from '../../options/record.ts';
import type { VIEW } from '../../options/view.ts';
import { OFF_CPU_EVENT } from '../../profile/wait-event.ts';
import type { Course, Driven } from '../../record/load/drive.ts';
import { reportRunningCommand } from '../../record/record.ts';
import { appendixSoFar, beginRecording } from '../../record/recorder.ts';
import type { CommandExit, Recording, RunningRecording } from '../../record/recording.ts';
import { isStream } from '../../system/files/stream-place.ts';
import { startNotices } from '../../system/launch/start-state.ts';
import { processesOfUser } from '../../system/processes/processes-of-user.ts';
import { commandStatus } from '../shared/command-status.ts';
import { EndingSignals } from '../shared/ending-signals.ts';
import { notify } from '../shared/failure.ts';
import { mayKeep } from '../shared/kept-caches.ts';
import { reportClosing } from '../shared/progress.ts';
import { recordingWord } from '../shared/recording-word.ts';
import { thisRun } from '../shared/run.ts';
import { isFile, SCRIPT_FILE } from '../shared/script-file.ts';
import { withRunner } from '../shared/script-runner.ts';
import { SideCommand } from '../shared/side-command.ts';
import { terminalStream, writeError } from '../shared/stdout.ts';
import type { LiveView } from '../view/live-page.ts';
import { askAttach } from './ask-attach.ts';
import { type AskedRecording, recordingAsked } from './asked-recording.ts';
import { optionsForCourse, readCourse } from './course-flags.ts';
import { describeDryRun } from './dry-run.ts';
import { followRecording, whenAlone } from './record-status.ts';

/** Throws `UsageError` for `-o app.js`: a program of the user's would make way for the recording. */
function checkIsNoScript(output: string | undefined): void {
  if (output === undefined || !SCRIPT_FILE.test(output) || !isFile(output)) return;
  throw new UsageError(
    `-o ${printable(output)}: that is a program, which a recording would replace`,
    [`to record it: perf-ts ${printable(output)}`],
  );
}

/** `perf-ts record`: records, forwards signals, prints the closing line, sets the exit status. */
export async function runRecord(
  words: readonly string[],
  asked: AskedRecording,
  reading?: AskedOf<typeof VIEW>,
): Promise<Recording | null> {
  const command = withRunner(words);
  const { quiet = false, toleratedLoss } = asked;
  // perf's commonest attach: the command says how long, and is not recorded.
  const isBound = command.length > 0 && (asked.pids ?? asked.tids ?? asked.uid) !== undefined;
  const made = formatOfFile(asked.output);
  checkIsNoScript(asked.output);
  const { output: _exported, ...toDefault } = asked;
  const chosen = recordingAsked(isBound ? [] : command, made === null ? asked : toDefault);
  const attachJs = asked.attachJs ?? (asked.dryRun || quiet ? false : await askAttach(chosen));
  const options: RecordSettings = {
    ...chosen,
    attachJs,
    cache: mayKeep('kernel'),
    onNotice: (_inKeys, notice, isDetail) => {
      if (!quiet && (isDetail !== true || asked.verbose || asked.dryRun))
        notify(`perf-ts: ${notice}`);
    },
  };
  if (command.length > 0) for (const notice of startNotices()) options.onNotice?.(notice, notice);
  if (asked.dryRun) {
    for (const line of describeDryRun(options)) notify(line);
    return null;
  }
  if (asked.verbose) {
    // The recording itself passes the notices on.
    for (const line of describeDryRun({ ...options, onNotice: () => {} })) notify(line);
  }
  if (asked.archive && isStream(options.output)) {
    throw new UsageError(`--archive needs a file, and -o ${options.output} writes a stream`);
  }
  const course = readCourse(asked, options);
  if (isBound && course !== null) {
    throw new UsageError(
      'a command beside -p bounds the recording, and so do --ready, --load and --until-idle',
      ['leave the command out'],
    );
  }
  const side = isBound ? new SideCommand(command, options) : null;
  const followed = course === null ? options : optionsForCourse(options, course);
  const bounds = { course, side };
  const { recording, exit, driven } = await (asked.view
    ? recordWithView(followed, asked, reading, bounds)
    : recordAndReport(followed, asked, null, bounds)
  ).finally(() => side?.close());
  // The command was ended by us: what counts is the load.
  const status = exitStatus(recording, driven?.isDone ? driven.load : exit);
  const excesses = toleratedLoss === undefined ? [] : lossesBeyond(recording, toleratedLoss);
  for (const excess of excesses) notify(`perf-ts: --fail-on-loss: ${excess}`);
  if (made !== null && asked.output !== undefined && !recording.isOutputGone) {
    const { exportAs } = await import('../export/export-as.ts');
    await exportAs(recording.path, {
      format: made,
      output: asked.output,
      names: 'full',
      ...(quiet && { quiet }),
    });
  }
  process.exitCode = status === EXIT.OK && excesses.length > 0 ? EXIT.LOSS : status;
  return recording;
}

/** The bounds that end a recording before its target does. */
type Bounds = {
  /** Course that `--ready`, `--load` and `--until-idle` ask for. */
  readonly course: Course | null;
  /** A command that runs beside the target. */
  readonly side: SideCommand | null;
};

type Outcome = {
  readonly recording: Recording;
  readonly exit: CommandExit | null;
  /** Null without a course. */
  readonly driven: Driven | null;
};

/** The page of the recording meanwhile. What its server can't do fails before anything is started. */
async function recordWithView(
  options: RecordSettings,
  asked: AskedRecording,
  reading: AskedOf<typeof VIEW> | undefined,
  bounds: Bounds,
): Promise<Outcome> {
  const { checkLiveView, openLiveView } = await import('../view/live-page.ts');
  checkLiveView(asked);
  const view = await openLiveView(options.output ?? 'perf.data', asked, reading);
  try {
    return await recordAndReport({ ...options, readMeanwhile: true }, asked, view, bounds);
  } finally {
    await view.close();
  }
}

/** Loaded with its first use: it brings HTTP and TLS. */
async function drive(running: RunningRecording, course: Course): Promise<Driven> {
  const { driveRecording } = await import('../../record/load/drive.ts');
  return driveRecording(running, course);
}

/** Until the file is complete and the command has ended; with a page, until Ctrl-C or another signal. */
async function recordAndReport(
  options: RecordSettings,
  asked: AskedRecording,
  view: LiveView | null,
  { course, side }: Bounds,
): Promise<Outcome> {
  const { quiet = false } = asked;
  // From the first moment: by itself this signal ends a process.
  process.on('SIGUSR2', () => {});
  const signals = new EndingSignals({ first: 'stop', again: 'quit-once-complete' });
  const running = await begin(options, asked, signals.abortSignal);
  signals.begin(running);
  side?.start();
  void side?.ended.finally(() => running.stop()).catch(() => {});
  // As in perf: rings are written to the file, or it is changed.
  const snapshot = (): void => running.snapshot();
  process.on('SIGUSR2', snapshot);
  await view?.show(() => appendixSoFar(running));
  const driving = course === null ? null : drive(running, course);
  // Its failure is thrown below, once the file is complete and the command has ended.
  driving?.catch(() => {});
  const isOnly = side === null && (course?.load ?? null) === null;
  const isAlone = isOnly ? whenAlone(options) : 'never';
  const { output = 'perf.data' } = options;
  const status =
    quiet || asked.json ? null : followRecording({ running, signals, output, isAlone });
  const recording = await running.finished.finally(() => status?.complete());
  if (!isFailed(recording) && !isStream(recording.path)) thisRun().recorded = recording.path;
  side?.end();
  const beside = recording.counted === null ? null : await import('./record-stat.ts');
  const counted = beside?.countedBeside(recording);
  if (asked.json) writeError(`${JSON.stringify({ ...recordSummary(recording), counted })}\n`);
  else if (!quiet || isFailed(recording)) printClosingLine(recording, asked);
  if (!asked.json && !quiet) for (const line of beside?.besideLines(recording) ?? []) notify(line);
  process.off('SIGUSR2', snapshot);
  signals.complete();
  const isOver = recording.endReason === 'target-exited' || side !== null || signals.sent !== 0;
  if (!quiet && !asked.json && !isOver) await reportRunningCommand(running, options);
  const exit = side === null ? await running.exited : await statusOfSide(side);
  const driven = await driving;
  status?.end();
  if (!quiet) reportClosing(recording.events.length);
  // Both may take long, and a signal ends them alone.
  const isFollowed = asked.isReported === true || formatOfFile(asked.output) !== null;
  const isShown = isFollowed || view !== null || isStream(asked.output);
  if (!isShown && !quiet && !asked.json && !recording.isOutputGone) printNext(recording.path);
  if (asked.archive || view !== null || (isFollowed && signals.sent === 0)) await signals.release();
  if (asked.archive && !recording.isOutputGone) await archive(recording.path, quiet);
  const { removeDeadRecordings } = await import('../../tools/leftovers/remove-leftovers.ts');
  for (const { path } of await removeDeadRecordings()) {
    if (asked.verbose) notify(`perf-ts: removed ${path}, left by what was killed`);
  }
  // Who sends another signal than Ctrl-C, a supervisor say, means all of it.
  if (signals.endedBy === null) {
    await view?.serveFinished(recording.isOutputGone ? null : recording.path);
  }
  return { recording, exit, driven };
}

/** Times that processes of a user are listed anew because one of them ended before it was attached to. */
const MOST_LISTINGS = 20;

async function begin(options: RecordSettings, { uid }: AskedRecording, giveUp: AbortSignal) {
  for (let listing = 1; ; listing++) {
    try {
      return await beginRecording(options, undefined, giveUp);
    } catch (error) {
      const hasEnded = error instanceof FailedError && error.code === 'ESRCH';
      if (uid === undefined || !hasEnded || listing === MOST_LISTINGS) throw error;
      options = { ...options, pids: processesOfUser(uid) };
    }
  }
}

/** The exit of a command that bounded the recording; null where the recording ended before it. */
async function statusOfSide(side: SideCommand): Promise<CommandExit | null> {
  const exit = await side.ended;
  return side.isEndedByUs ? null : exit;
}

/** Stores what names the samples, now that the command has ended and its files still are there. */
async function archive(path: string, quiet: boolean): Promise<void> {
  const { runArchive } = await import('../archive/archive.ts');
  runArchive(path, { quiet });
}

/** The command's own status, 128 + n when it died of signal n; 125 when the file is incomplete. */
function exitStatus(recording: Recording, exit: CommandExit | null): number {
  if (isFailed(recording)) return EXIT.FAILED;
  if (exit === null) return EXIT.OK;
  return commandStatus(exit);
}

/** Whether not all of what was recorded is in its file. */
function isFailed({ endReason, isOutputGone, lostFiles }: Recording): boolean {
  return endReason === 'write-error' || isOutputGone || lostFiles > 0;
}

/** Samples that did not arrive, and their share of all. */
function lossOf({ totals, events }: Recording): { lost: number; taken: number; share: number } {
  const lost = lostSamplesOfAll(totals, events.length);
  const taken = lost + totals.samples;
  return { lost, taken, share: lost > 0 ? lost / taken : 0 };
}

/** Findings from what the sampler counted against its own recording. */
function findingsOfRun(recording: Recording): Finding[] {
  const { totals, rings, frequencyHz: targetHz } = recording;
  const { lost } = lossOf(recording);
  // Only what compresses may have had no room, and where nothing was lost the rings held it meanwhile.
  const compression = lost > 0 && { compression: compressionOf(recording) };
  const { hasStacks, isUserOnly, onCpuMs, sampledMs, idleCpus } = recording;
  const isWaitKnown = onCpuMs !== null && !recording.events.includes(OFF_CPU_EVENT);
  const onCpuShare = isWaitKnown && sampledMs > 0 ? onCpuMs / sampledMs : null;
  const counts = { ...totals, ...compression, lost, rings, targetHz };
  return judgeRun({ ...counts, hasStacks, isUserOnly, onCpuShare, idleCpus });
}

/**
 * Sentences on what was lost beyond the share of samples that is tolerated. Of side-band records
 * none is: one lost mapping may misname any number of samples, so its share says nothing.
 */
function lossesBeyond(recording: Recording, tolerated: number): string[] {
  const { lost, taken, share } = lossOf(recording);
  const { lostSideband } = recording.totals;
  return [
    ...(share > tolerated
      ? [`${lostSamplesText(lost, taken)}, tolerated are ${formatShare(tolerated)}`]
      : []),
    ...(lostSideband > 0
      ? [
          `${formatCount(lostSideband)} side-band records (forks, execs, mappings) were lost, ` +
            'and of these none is tolerated',
        ]
      : []),
  ];
}

/** The summary of `--json`, without the counters of `--stat`. */
export function recordSummary(recording: Recording) {
  const { totals, path, fileBytes, events, notices, endReason } = recording;
  return {
    schema: 'perf-ts/record@1' as const,
    path,
    fileBytes,
    outputGone: recording.isOutputGone,
    lostFiles: recording.lostFiles,
    recordedBytes: recording.recordedBytes,
    compression: recording.compressionLevel === null ? null : compressionOf(recording),
    samples: totals.samples,
    lost: {
      records: totals.lostRecords,
      samples: totals.lostSamples,
      sideband: totals.lostSideband,
    },
    throttle: totals.throttles,
    events,
    notices,
    findings: findingsOfRun(recording),
    endReason,
  };
}

function compressionOf({ compressionLevel: level, totals }: Recording) {
  const { bytes, writtenBytes, heldRounds } = totals;
  return { level, bytes, writtenBytes, heldRounds };
}

/** Advice for a person at a terminal; logs and scripts have no use for it. */
function printNext(path: string): void {
  if (terminalStream(2) === null) return;
  const file = recordingWord(path);
  notify(`  next: perf-ts report${file}   where the time went`);
  notify(`        perf-ts view${file}     the same as a flame graph`);
}

function printClosingLine(recording: Recording, asked: AskedRecording): void {
  const { totals, path, fileBytes, events } = recording;
  if (recording.isOutputGone) {
    notify(
      `perf-ts: this recording is lost: ${printable(path)} was removed or replaced while it was written ` +
        `(${formatCount(totals.samples)} samples)`,
    );
    return;
  }
  const { lost, share } = lossOf(recording);
  const lostShare = lost > 0 ? ` (${formatShare(share)})` : '';
  if (recording.endReason === 'write-error') {
    const name = getSystemErrorName(-recording.writeErrno);
    notify(
      `perf-ts: recording stopped: writing ${path} failed (${name}) after ` +
        `${formatBytes(fileBytes)}; what was written is readable, the command runs on`,
    );
  }
  if (recording.endReason === 'size-limit') notify('perf-ts: recording stopped at --max-size');
  for (const finding of findingsOfRun(recording)) {
    // Who chose events and stacks need not hear of them.
    const isChosen = (asked.callGraph ?? asked.events) !== undefined;
    if (finding.code !== 'stacks-none' || !isChosen) notify(`perf-ts: ${findingText(finding)}`);
  }
  // A software event of a group is opened for each kind of core.
  const names = shortList([...new Set(events)]);
  notify(
    `perf-ts: ${formatCount(totals.samples)} samples of ${names}, ` +
      `${lost > 0 ? `lost ${formatCount(lost)}${lostShare}` : 'none lost'}; ${whereWritten(path, fileBytes)}${compressedFrom(recording)}`,
  );
}

/** Names of events that a line has room for. */
const LISTED_EVENTS = 8;

/** `cycles, page-faults`; of many the first, and how many there are more. */
function shortList(names: readonly string[]): string {
  if (names.length <= LISTED_EVENTS) return names.join(', ');
  const more = names.length - LISTED_EVENTS + 1;
  return `${names.slice(0, LISTED_EVENTS - 1).join(', ')} and ${formatCount(more)} more events`;
}

/** Empty where the file has no compressed records, as once stack dumps were unwound. */
function compressedFrom(recording: Recording): string {
  const { totals, compressionLevel, fileBytes, recordedBytes } = recording;
  if (compressionLevel === null || fileBytes !== recordedBytes) return '';
  const { bytes, writtenBytes } = totals;
  return ` (${formatBytes(bytes)} of records compressed to ${formatBytes(writtenBytes)})`;
}

/** The size of a piped recording is unknown. */
function whereWritten(path: string, bytes: number): string {
  if (path === '-') return 'written to standard output';
  return bytes === 0 ? `written to ${path}` : `${formatBytes(bytes)} in ${path}`;
}
