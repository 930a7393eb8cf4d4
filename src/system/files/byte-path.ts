import type { PathLike } from 'node:fs';
import { bytesOfText, isEscaped } from '../../base/byte-text.ts';

/** A path as Node's file functions take it, also if it is not UTF-8 (see base/byte-text). */
export function fsPath(path: string): PathLike {
  return isEscaped(path) ? Buffer.from(bytesOfText(path)) : path;
}
