import { rmSync } from 'node:fs';
import { readAppendix } from '../../src/formats/perf-data/appendix.ts';
import { PERF_MAP_ATTACHMENT } from '../../src/read/jit/attachment-names.ts';
import { withRecording } from '../../src/read/open-recording.ts';

/**
 * Removes the perf maps in /tmp that the recording at `file` has a copy of. A program that writes one of its own
 * accord leaves it there, for perf, and perf-ts leaves it alone.
 */
export function removeProgramMaps(file: string): void {
  const names = withRecording(file, (data) => readAppendix(data).map(({ name }) => name));
  for (const name of names) {
    if (!name.startsWith(PERF_MAP_ATTACHMENT)) continue;
    rmSync(`/tmp/perf-${name.slice(PERF_MAP_ATTACHMENT.length)}.map`, { force: true });
  }
}
