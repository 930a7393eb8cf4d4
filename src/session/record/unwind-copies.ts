import { chmodSync, chownSync, renameSync, rmSync, statSync } from 'node:fs';
import { rewriteRecording } from '../inject/rewrite-recording.ts';

/**
 * Unwinds the copied stacks of the finished recording at `path` and writes it anew without them, in its
 * place. Returns its bytes. If that fails the recording of `bytes` bytes stays as it was, and `say` is
 * told: whoever reads it unwinds then.
 */
export function unwindCopies(path: string, bytes: number, say: (notice: string) => void): number {
  const unwound = `${path}.unwound`;
  try {
    const { uid, gid, mode } = statSync(path);
    const { bytesWritten } = rewriteRecording(path, unwound, { dropStacks: true });
    chownSync(unwound, uid, gid);
    chmodSync(unwound, mode & 0o777);
    renameSync(unwound, path);
    return bytesWritten;
  } catch (error) {
    rmSync(unwound, { force: true });
    say(`the copies of stacks stay in ${path}: ${(error as Error).message}`);
    return bytes;
  }
}
