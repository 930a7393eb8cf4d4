import { printable } from '../../base/printable.ts';

/** Path of a recording as the last word of a command that reads it, with a space before: empty where it is the default. */
export function recordingWord(path: string): string {
  return path === 'perf.data' ? '' : ` ${printable(path)}`;
}
