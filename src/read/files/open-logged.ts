import { debugLog } from '../../system/debug-log.ts';
import { openRegularBelow } from '../../system/files/open-below.ts';
import { type OpenFile, openRegular } from '../../system/files/open-regular.ts';

const debug = debugLog('symbols');

/** `openRegular`, with its outcome in the debug log of `symbols`. */
export function openLogged(path: string, flags = 0): OpenFile | string {
  return logged(path, openRegular(path, flags));
}

/** `openRegularBelow`, with its outcome in the debug log of `symbols`. */
export function openBelowLogged(root: string, path: string, flags = 0): OpenFile | string {
  return logged(`${root}${path}`, openRegularBelow(root, path, flags));
}

/** The outcome of opening `path`, after a line of the debug log of `symbols`. */
export function logged(path: string, file: OpenFile | string): OpenFile | string {
  debug?.(`  ${path}: ${typeof file === 'string' ? file : 'opened'}`);
  return file;
}

/** A file that was opened and is not used, with the reason in the debug log of `symbols`. */
export function closeUnused(file: OpenFile, path: string, reason: string): void {
  debug?.(`  ${path}: not used: ${reason}`);
  file.source.close?.();
}
