import { chmodSync, chownSync, renameSync, rmSync, statSync } from 'node:fs';
import { rewriteRecording } from '../inject/rewrite-recording.ts';
import type { RecordingFile } from './recording-file.ts';

/**
 * Unwinds the copied stacks of the finished recording `file`, which is at `path` now, and writes it anew
 * without them, in its place. Returns its bytes. If that fails the recording of `bytes` bytes stays as it
 * was, and `say` is told: whoever reads it unwinds then.
 */
export function unwindCopies(
  file: RecordingFile,
  path: string,
  bytes: number,
  say: (notice: string) => void,
): number {
  // Another recording to the same path may end at the same time.
  const unwound = `${path}.unwound-${process.pid}`;
  try {
    const { uid, gid, mode } = statSync(path);
    const { bytesWritten } = rewriteRecording(path, unwound, { dropStacks: true });
    chownSync(unwound, uid, gid);
    chmodSync(unwound, mode & 0o777);
    // The next recording may have begun meanwhile, and have the path.
    const place = file.place();
    if (place === null) throw new Error('another recording has replaced it');
    renameSync(unwound, place);
    return bytesWritten;
  } catch (error) {
    rmSync(unwound, { force: true });
    say(`the copies of stacks stay in ${path}: ${(error as Error).message}`);
    return bytes;
  }
}
