import { statOrNull } from '../../system/small-file.ts';

/** A file of JavaScript or TypeScript, by its name. */
export const SCRIPT_FILE = /\.[cm]?[jt]sx?$/;

/** Whether a regular file stands at `path`. */
export function isFile(path: string): boolean {
  return statOrNull(path)?.isFile() === true;
}
