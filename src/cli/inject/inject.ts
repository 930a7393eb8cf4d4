import { basename } from 'node:path';
import { FailedError } from '../../base/errors.ts';
import { formatCount } from '../../base/numbers.ts';
import { printable } from '../../base/printable.ts';
import { judgeFile } from '../../findings/judge-file.ts';
import { type INJECT, REWRITE } from '../../options/inject.ts';
import type { AskedOf } from '../../options/option.ts';
import { forLibrary } from '../../options/read-flags.ts';
import { RECORD_SELECTION } from '../../options/reading.ts';
import { rewriteRecording } from '../../rewrite/rewrite-recording.ts';
import { plainOutput } from '../../system/files/stream-place.ts';
import { notify, notifyAlways } from '../shared/failure.ts';
import { stepProgress } from '../shared/progress.ts';
import { reportFindings } from '../shared/report-findings.ts';
import { isTerminal } from '../shared/stdout.ts';

/** `perf-ts inject`: the recording again, changed. */
export function runInject(path: string, flags: AskedOf<typeof INJECT>): void {
  if (plainOutput(flags.output) === '-' && isTerminal(1)) {
    throw new FailedError('a recording on a terminal would be unreadable', [
      'redirect it (> out.data), or name a file with -o',
    ]);
  }
  const onShare = stepProgress(`rewriting ${printable(basename(path))}`, path, {
    atInterrupt: `leaves ${printable(basename(flags.output))} incomplete`,
  });
  const summary = rewriteRecording(path, flags.output, {
    ...forLibrary(REWRITE, flags),
    select: forLibrary(RECORD_SELECTION, flags),
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
