import { parseCpuList } from '../base/cpu-list.ts';
import { FailedError, UsageError } from '../base/errors.ts';
import type { BuildIdChange, RecordSelection } from '../session/inject/options.ts';
import { rewriteRecording } from '../session/inject/rewrite-recording.ts';
import { warnIfCut } from './cut-warning.ts';
import { say } from './failure.ts';
import { wholeNumber } from './option-values.ts';
import { formatCount } from './render/numbers.ts';

type InjectFlags = {
  output: string;
  stripKernel?: boolean;
  dropStacks?: boolean;
  anonymize?: boolean;
  salt?: string;
  buildIds?: boolean;
  removeBuildIds?: boolean;
  time?: string;
  cpu?: string;
  pid?: string;
  tid?: string;
  comm?: string;
  strict?: boolean;
  verbose?: boolean;
  json?: boolean;
};

/** `perf-ts inject`: the recording again, changed. */
export function runInject(path: string, flags: InjectFlags): void {
  if (flags.output === '-' && process.stdout.isTTY) {
    throw new FailedError('a recording on a terminal would be unreadable', [
      'redirect it (> out.data), or name a file with -o',
    ]);
  }
  if (flags.salt !== undefined && flags.anonymize !== true) {
    throw new UsageError('--salt goes with --anonymize');
  }
  const summary = rewriteRecording(path, flags.output, {
    stripKernel: flags.stripKernel === true,
    dropStacks: flags.dropStacks === true,
    anonymize: flags.anonymize === true,
    ...(flags.salt !== undefined && { salt: flags.salt }),
    buildIds: buildIdChange(flags),
    select: parseSelection(flags),
  });
  warnIfCut(summary, flags.strict === true);
  for (const { reason, count } of summary.leftOut) {
    say(`perf-ts: left out: ${formatCount(count)} ${reason}`);
  }
  if (flags.json) {
    say(JSON.stringify(summary));
    return;
  }
  const { samples, samplesKept, bytesRead, bytesWritten } = summary;
  say(
    `perf-ts: ${formatCount(samplesKept)} of ${formatCount(samples)} samples, ` +
      `${formatCount(bytesRead)} bytes in, ${formatCount(bytesWritten)} bytes out`,
  );
}

function buildIdChange(flags: InjectFlags): BuildIdChange {
  if (flags.buildIds && flags.removeBuildIds) {
    throw new UsageError('--build-ids and --remove-build-ids exclude each other');
  }
  if (flags.removeBuildIds) return 'remove';
  return flags.buildIds ? 'add' : 'keep';
}

function parseSelection(flags: InjectFlags): RecordSelection {
  return {
    ...(flags.time !== undefined && parseTimes(flags.time)),
    ...(flags.cpu !== undefined && { cpus: new Set(cpus(flags.cpu)) }),
    ...(flags.pid !== undefined && { pids: numbers('--pid', flags.pid) }),
    ...(flags.tid !== undefined && { tids: numbers('--tid', flags.tid) }),
    ...(flags.comm !== undefined && { comms: new Set(flags.comm.split(',')) }),
  };
}

function cpus(text: string): readonly number[] {
  try {
    return parseCpuList(text);
  } catch (error) {
    throw new UsageError(`--cpu ${text}: ${(error as Error).message}`);
  }
}

function numbers(option: string, text: string): Set<number> {
  return new Set(text.split(',').map((part) => wholeNumber(option, part)));
}

/** `start,stop` in seconds as `perf script` prints times; either may be left out. */
function parseTimes(text: string): { fromNs?: bigint; toNs?: bigint } {
  const [from = '', to = '', ...rest] = text.split(',');
  if (rest.length > 0 || !text.includes(',') || (from === '' && to === '')) {
    throw new UsageError(`--time ${text}: expected start,stop in seconds`);
  }
  const fromNs = from === '' ? undefined : nanoseconds(text, from);
  const toNs = to === '' ? undefined : nanoseconds(text, to);
  if (fromNs !== undefined && toNs !== undefined && fromNs > toNs) {
    throw new UsageError(`--time ${text}: it ends before it starts`);
  }
  return { ...(fromNs !== undefined && { fromNs }), ...(toNs !== undefined && { toNs }) };
}

function nanoseconds(text: string, seconds: string): bigint {
  const match = /^(\d+)(?:\.(\d{1,9}))?$/.exec(seconds);
  if (match === null)
    throw new UsageError(`--time ${text}: '${seconds}' is not a number of seconds`);
  return BigInt(match[1] as string) * 1_000_000_000n + BigInt((match[2] ?? '').padEnd(9, '0'));
}
