import { basename } from 'node:path';
import { FailedError, UsageError } from '../../base/errors.ts';
import { formatCount } from '../../base/numbers.ts';
import { printable } from '../../base/printable.ts';
import { judgeFile } from '../../findings/judge-file.ts';
import type { BuildIdChange } from '../../rewrite/options.ts';
import { rewriteRecording } from '../../rewrite/rewrite-recording.ts';
import { plainOutput } from '../../system/files/stream-place.ts';
import { notify, notifyAlways } from '../shared/failure.ts';
import { stepProgress } from '../shared/progress.ts';
import { reportFindings } from '../shared/report-findings.ts';
import { recordSelection, type SelectionFlags } from '../shared/selection-flags.ts';
import { isTerminal } from '../shared/stdout.ts';

type InjectFlags = Omit<SelectionFlags, 'dso' | 'symbol'> & {
  output: string;
  stripKernel?: boolean;
  dropStacks?: boolean;
  anonymize?: boolean;
  salt?: string;
  buildIds?: boolean;
  removeBuildIds?: boolean;
  strict?: boolean;
  verbose?: boolean;
  json?: boolean;
};

/** `perf-ts inject`: the recording again, changed. */
export function runInject(path: string, flags: InjectFlags): void {
  if (plainOutput(flags.output) === '-' && isTerminal(1)) {
    throw new FailedError('a recording on a terminal would be unreadable', [
      'redirect it (> out.data), or name a file with -o',
    ]);
  }
  if (flags.salt !== undefined && flags.anonymize !== true) {
    throw new UsageError('--salt goes with --anonymize');
  }
  if (flags.salt === '') {
    throw new UsageError('--salt: it is empty, and would add nothing to the hashes', [
      'for example: --salt "$(cat /proc/sys/kernel/random/uuid)"',
    ]);
  }
  const onShare = stepProgress(`rewriting ${printable(basename(path))}`, path, {
    atInterrupt: `leaves ${printable(basename(flags.output))} incomplete`,
  });
  const summary = rewriteRecording(path, flags.output, {
    stripKernel: flags.stripKernel === true,
    dropStacks: flags.dropStacks === true,
    anonymize: flags.anonymize === true,
    ...(flags.salt !== undefined && { salt: flags.salt }),
    buildIds: buildIdChange(flags),
    select: recordSelection(flags),
    ...(onShare && { onShare }),
  });
  reportFindings(judgeFile(summary), flags);
  for (const { reason, count } of summary.leftOut) {
    notify(`perf-ts: left out: ${formatCount(count)} ${reason}`);
  }
  if (flags.json) {
    notifyAlways(JSON.stringify({ schema: 'perf-ts/inject@1', ...summary }));
    return;
  }
  const { samples, samplesKept, bytesRead, bytesWritten } = summary;
  notify(
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
