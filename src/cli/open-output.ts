import { fchownSync, openSync } from 'node:fs';
import { FailedError } from '../base/errors.ts';
import { chooseUser } from '../session/launch/run-as.ts';
import { writeErrorReason } from '../session/record/output-file.ts';

/**
 * Opens `path` for writing, empty. Under sudo a file that is made belongs to who called it; one that
 * stood there keeps its owner: a link could lead to any file. Throws `FailedError`.
 */
export function openOutput(path: string, mode = 0o666): number {
  try {
    const made = openNew(path, mode);
    if (made === null) return openSync(path, 'w');
    const { owner } = chooseUser({});
    if (owner !== null) fchownSync(made, owner.uid, owner.gid);
    return made;
  } catch (error) {
    throw new FailedError(`cannot write ${path}: ${writeErrorReason(error)}`, [
      'name a place you may write to with -o',
    ]);
  }
}

/** O_EXCL follows no link. Null: something stands at `path`. */
function openNew(path: string, mode: number): number | null {
  try {
    return openSync(path, 'wx', mode);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return null;
    throw error;
  }
}
