import { constants } from 'node:os';
import { getSystemErrorName } from 'node:util';
import { parseCpuList } from '../base/cpu-list.ts';
import { UsageError } from '../base/errors.ts';
import { CLOCK_IDS, type ClockName, type RecordOptions } from '../session/record-options.ts';
import { type CommandExit, type Recording, startRecording } from '../session/recorder.ts';
import { parseRingPages } from '../session/ring-size.ts';
import { describeDryRun } from './dry-run.ts';
import { EXIT_FAILED, say } from './failure.ts';
import { positiveNumber, wholeNumber } from './option-values.ts';
import { formatBytes, formatCount, formatShare } from './render/numbers.ts';

/** The options as commander hands them over. */
type RecordFlags = {
  event?: string[];
  freq?: string;
  count?: string;
  strictFreq?: boolean;
  g?: boolean;
  callGraph?: 'fp' | 'none';
  pid?: string;
  tid?: string;
  allCpus?: boolean;
  cpu?: string;
  user?: string;
  asRoot?: boolean;
  counts?: boolean;
  delay?: string;
  inherit: boolean;
  maxSize?: string;
  mmapPages?: string;
  clockid?: string;
  output?: string;
  duration?: string;
  quiet?: boolean;
  verbose?: boolean;
  dryRun?: boolean;
  json?: boolean;
};

/** `perf-ts record`: records, forwards signals, prints the closing line, sets the exit status. */
export async function runRecord(command: string[], flags: RecordFlags): Promise<void> {
  const quiet = flags.quiet === true;
  const options: RecordOptions = {
    ...readOptions(command, flags),
    onNotice: (notice) => {
      if (!quiet) say(`perf-ts: ${notice}`);
    },
  };
  if (flags.dryRun) {
    for (const line of describeDryRun(options)) say(line);
    return;
  }
  if (flags.verbose) {
    // The recording itself passes the notices on.
    for (const line of describeDryRun({ ...options, onNotice: () => {} })) say(line);
  }
  const running = await startRecording(options);
  const interrupted = forwardSignals(running);
  const recording = await running.finished;
  if (flags.json) process.stderr.write(`${JSON.stringify(summary(recording))}\n`);
  else if (!quiet || recording.endReason === 'write-error') printClosingLine(recording);
  const exit = await running.exited;
  interrupted.dispose();
  process.exitCode = exitStatus(recording, exit);
}

/** Turns the command line into options; throws UsageError naming the option that is wrong. */
export function readOptions(command: string[], flags: RecordFlags): RecordOptions {
  const freq =
    flags.freq === undefined || flags.freq === 'max' ? flags.freq : wholeNumber('-F', flags.freq);
  return {
    ...(command.length > 0 && { command }),
    ...(flags.pid !== undefined && { pids: numberList('-p', flags.pid) }),
    ...(flags.tid !== undefined && { tids: numberList('-t', flags.tid) }),
    ...(flags.allCpus && { systemWide: true }),
    ...(flags.cpu !== undefined && {
      cpus: parseCpuList(flags.cpu),
      systemWide: isSystemWide(flags),
    }),
    ...(flags.event !== undefined && { events: flags.event }),
    ...(freq !== undefined && { freq: freq as number | 'max' }),
    ...(flags.count !== undefined && { count: wholeNumber('-c', flags.count) }),
    ...(flags.strictFreq && { strictFreq: true }),
    callGraph: flags.callGraph ?? (flags.g ? 'fp' : 'none'),
    ...(flags.counts && { counts: true }),
    inherit: flags.inherit,
    ...(flags.output !== undefined && { output: flags.output }),
    ...(flags.maxSize !== undefined && { maxBytes: size('--max-size', flags.maxSize) }),
    ...(flags.duration !== undefined && {
      durationMs: positiveNumber('--duration', flags.duration) * 1000,
    }),
    ...(flags.delay !== undefined && { delayMs: positiveNumber('-D', flags.delay) }),
    ...(flags.mmapPages !== undefined && { ringPages: parseRingPages(flags.mmapPages) }),
    ...(flags.clockid !== undefined && { clock: clockName(flags.clockid) }),
    ...(flags.user !== undefined && { user: flags.user }),
    ...(flags.asRoot && { asRoot: true }),
  };
}

/** `-C` records all that runs on those CPUs unless a process is named. */
function isSystemWide(flags: RecordFlags): boolean {
  return flags.pid === undefined && flags.tid === undefined;
}

function numberList(option: string, text: string): number[] {
  return text.split(',').map((part) => wholeNumber(option, part));
}

function size(option: string, text: string): number {
  const match = /^(\d+)([bBkKmMgG]?)$/.exec(text.trim());
  const unit = { '': 1, B: 1, K: 2 ** 10, M: 2 ** 20, G: 2 ** 30 }[
    (match?.[2] ?? '').toUpperCase()
  ];
  if (!match || unit === undefined || Number(match[1]) === 0) {
    throw new UsageError(`${option} ${text}: expected a size such as 10M`);
  }
  return Number(match[1]) * unit;
}

function clockName(text: string): ClockName {
  const name =
    {
      CLOCK_MONOTONIC: 'monotonic',
      mono: 'monotonic',
      raw: 'monotonic_raw',
      real: 'realtime',
      boot: 'boottime',
    }[text] ?? text.toLowerCase().replace(/^clock_/, '');
  if (name in CLOCK_IDS) return name as ClockName;
  throw new UsageError(`-k ${text}: unknown clock`, [
    `known: ${Object.keys(CLOCK_IDS).join(', ')}`,
  ]);
}

/**
 * The first Ctrl-C ends the recording and writes the file, the second quits. A terminal sends
 * SIGINT and SIGQUIT to the command by itself; everything else is passed on to it.
 */
function forwardSignals(running: { stop(): void; kill(signal: number): boolean }): {
  dispose(): void;
} {
  let signals = 0;
  const fromTerminal = process.stdin.isTTY || process.stderr.isTTY;
  const handlers = (['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'] as const).map((name) => {
    const number = constants.signals[name];
    const handler = (): void => {
      signals++;
      if (signals > 1 && name === 'SIGINT') process.exit(128 + number);
      const terminalSentIt = fromTerminal && (name === 'SIGINT' || name === 'SIGQUIT');
      if (!terminalSentIt) running.kill(number);
      running.stop();
    };
    process.on(name, handler);
    return { name, handler };
  });
  return {
    dispose: () => {
      for (const { name, handler } of handlers) process.off(name, handler);
    },
  };
}

/** The command's own status, 128 + n when it died of signal n; 125 when the file is incomplete. */
function exitStatus(recording: Recording, exit: CommandExit | null): number {
  if (recording.endReason === 'write-error') return EXIT_FAILED;
  if (exit === null) return 0;
  return exit.signal > 0 ? 128 + exit.signal : exit.status;
}

function summary(recording: Recording): object {
  const { totals, path, fileBytes, events, notices, endReason } = recording;
  return {
    path,
    fileBytes,
    samples: totals.samples,
    lost: {
      records: totals.lostRecords,
      samples: totals.lostSamples < 0 ? null : totals.lostSamples,
    },
    throttle: totals.throttles,
    events,
    notices,
    endReason,
  };
}

function printClosingLine(recording: Recording): void {
  const { totals, path, fileBytes, events } = recording;
  const lost = Math.max(totals.lostRecords, totals.lostSamples);
  const share = lost > 0 ? ` (${formatShare(lost / (lost + totals.samples))})` : '';
  const throttled =
    totals.throttles > 0 ? `, throttled ${formatCount(totals.throttles)} times` : '';
  if (recording.endReason === 'write-error') {
    const name = getSystemErrorName(-recording.writeErrno);
    say(
      `perf-ts: recording stopped: writing ${path} failed (${name}) after ` +
        `${formatBytes(fileBytes)}; what was written is readable, the command runs on`,
    );
  }
  if (recording.endReason === 'size-limit') say('perf-ts: recording stopped at --max-size');
  if (totals.skippedBytes > 0) {
    say(
      `perf-ts: ${formatBytes(totals.skippedBytes)} of ring data made no sense and were given up`,
    );
  }
  say(
    `perf-ts: ${formatCount(totals.samples)} samples of ${events.join(', ')}, ` +
      `lost ${formatCount(lost)}${share}${throttled}; ${formatBytes(fileBytes)} in ${path}`,
  );
}
