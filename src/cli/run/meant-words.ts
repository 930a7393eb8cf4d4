import { closeSync, openSync, readSync } from 'node:fs';
import type { Command } from 'commander';
import { findOnPath, whyNotExecutable } from '../../system/launch/find-executable.ts';
import { insteadOfCommand } from '../habits/perf-commands.ts';
import { isFile, SCRIPT_FILE } from '../shared/script-file.ts';

/** The beginning of a recording, in the byte order of its machine. */
const MAGICS: readonly string[] = ['PERFILE2', '2ELIFREP'];
/** Options of `perf-ts` itself; `-v` is perf's for its version. */
const OWN_OPTIONS: readonly string[] = ['-h', '--help', '-V', '--version', '-v'];

/** Things that a word may name which is no command. */
export type Named = 'recording' | 'program' | null;

/**
 * The words of a command line with the command that they mean in front, where none is named: `run` for a script, a
 * program, or an option of `run`; `view` for a file to look at, and for `open`. Words of perf keep their advice.
 * Other words stay, to be answered with the nearest command.
 */
export function meantWords(
  words: readonly string[],
  commands: readonly Command[],
  name: (word: string) => Named = nameFile,
): readonly string[] {
  const [first] = words;
  if (first === undefined || first === 'help') return words;
  if (commands.some((command) => command.name() === first)) return words;
  if (first === 'open') return ['view', ...words.slice(1)];
  if (first.startsWith('-')) {
    const run = commands.find((command) => command.name() === 'run');
    return run !== undefined && isOptionOf(run, first) ? ['run', ...words] : words;
  }
  const [program] = words.filter((word) => !/^[A-Za-z_]\w*=/.test(word));
  if (program === undefined || insteadOfCommand(program) !== null) return words;
  const named = name(program);
  if (named === null) return words;
  return named === 'program' ? ['run', '--', ...words] : ['view', ...words];
}

function isOptionOf({ options }: Command, word: string): boolean {
  if (word === '--') return true;
  if (OWN_OPTIONS.includes(word)) return false;
  const name = word.startsWith('--') ? word.replace(/=.*$/s, '') : word.slice(0, 2);
  return options.some(({ short, long }) => short === name || long === name);
}

/** A file by its name and its first bytes; a word without a slash also by the PATH. */
export function nameFile(word: string): Named {
  if (!isFile(word)) {
    return !word.includes('/') && findOnPath(word) !== null ? 'program' : null;
  }
  if (isRecording(word)) return 'recording';
  return SCRIPT_FILE.test(word) || whyNotExecutable(word) === null ? 'program' : 'recording';
}

/** Whether a file begins as a recording does: on some file systems all files are executable. */
function isRecording(path: string): boolean {
  let fd: number;
  try {
    fd = openSync(path, 'r');
  } catch {
    return false;
  }
  try {
    const head = Buffer.alloc(8);
    readSync(fd, head, 0, head.length, 0);
    return MAGICS.includes(head.toString('latin1'));
  } finally {
    closeSync(fd);
  }
}
