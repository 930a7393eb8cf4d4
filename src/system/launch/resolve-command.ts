import { existsSync, statSync } from 'node:fs';
import { FailedError, UsageError } from '../../base/errors.ts';
import { EXIT } from '../../base/exit-status.ts';
import { printable } from '../../base/printable.ts';
import { type Text, words } from '../../base/words.ts';
import type { CommandSpec } from '../../native/types.ts';
import { RECORD } from '../../options/record.ts';
import { type Environment, findCallerEnvironment } from '../accounts/caller-environment.ts';
import type { ChosenUser } from '../accounts/run-as.ts';
import { fsPath } from '../files/byte-path.ts';
import { callersPathLine, readRunPlace } from '../run-place.ts';
import { exactEnvironment } from './exact-words.ts';
import { candidatesOf, DEFAULT_PATH, whyNotExecutable } from './find-executable.ts';
import { startState } from './start-state.ts';

/** The options of a command that decide how it is started. */
export type CommandOptions = {
  /** The command's environment; default: this process's. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** `-`: the recording goes to standard output. */
  readonly output?: string;
};

/**
 * Everything the child needs to become the command, found out while errors can still be explained
 * and nothing has been recorded: where its file is, its arguments, its environment, its user.
 *
 * `words` may begin with `NAME=value`, as in a shell. The environment is made of `options.env` (this
 * process's by default), then what the change of user brings, then these words; PATH is taken from
 * the result.
 */
export function resolveCommand(
  words: readonly string[],
  options: CommandOptions,
  user: Pick<ChosenUser, 'change' | 'env'>,
): CommandSpec {
  for (const word of words) rejectNul(word);
  const { assignments, argv } = splitAssignments(words);
  const name = argv[0];
  if (name === undefined) {
    throw new UsageError('nothing to record: no command after the NAME=value words');
  }
  const env = { ...(options.env ?? exactEnvironment()), ...user.env, ...assignments };
  return {
    path: findExecutable(name, env.PATH ?? DEFAULT_PATH),
    argv,
    env: environmentStrings(env),
    ...(user.change !== null && { user: user.change }),
    stdoutToStderr: options.output === '-',
    ...startState(),
  };
}

function splitAssignments(words: readonly string[]): {
  assignments: Record<string, string>;
  argv: readonly string[];
} {
  const assignments: Record<string, string> = {};
  let count = 0;
  for (; count < words.length; count++) {
    const match = /^([A-Za-z_][A-Za-z0-9_]*)=(.*)$/s.exec(words[count]);
    if (!match) break;
    assignments[match[1]] = match[2];
  }
  return { assignments, argv: words.slice(count) };
}

/**
 * Searches as execvp(3) does. A name with a slash is a path. Otherwise the directories of `path` are
 * tried in order, an empty one being the current; one that holds the name but may not execute it is
 * passed over, and remembered for the error if no other does better. A directory that cannot be looked into holds nothing.
 */
function findExecutable(name: string, path: string): string {
  if (name.includes('/')) {
    const obstacle = whyNotExecutable(name);
    if (obstacle === null) return name;
    throw obstacle === 'absent' ? notFound(name) : notExecutable(name, name, obstacle);
  }
  let passedOver: { file: string; obstacle: string } | null = null;
  for (const file of candidatesOf(name, path)) {
    const obstacle = whyNotExecutable(file);
    if (obstacle === null) return file;
    if (obstacle !== 'absent' && isThere(file)) passedOver ??= { file, obstacle };
  }
  if (passedOver !== null) throw notExecutable(name, passedOver.file, passedOver.obstacle);
  throw notFound(name);
}

function notFound(name: string): FailedError {
  const isPath = name.includes('/');
  const isHere = !isPath && name !== '' && whyNotExecutable(`./${name}`) === null;
  const message = isPath ? 'no such file' : 'command not found';
  const hints = isHere
    ? [`the current directory is not searched: ./${printable(name)}`]
    : [...hintsOfWord(name), ...(isPath ? [] : hintsUnderSudo(name))];
  return new FailedError(`${message}: ${printable(name)}`, hints, EXIT.NOT_FOUND);
}

/** Words behind an option: names of a call graph, which -g takes no value for, and times of other tools, of the whole or between samples. */
const CALL_GRAPHS: readonly string[] = ['fp', 'dwarf', 'lbr', 'auto'];
/** Words of a shell by which programs are started, and that are no programs. */
const SHELL_WORDS = 'cd export source . alias set unset eval exec ulimit umask if for while'.split(
  ' ',
);
const NUMBER = /^\d+(?:\.\d+)?(?:[mun]?s|[mh])?$/;

/** Advice on words that are no name of a program: a quoted command line, or the value of an option that takes none. */
function hintsOfWord(name: string): Text[] {
  if (/\S\s+\S/.test(name)) {
    return ["it came as one word: leave the quotes out, or let a shell read it: sh -c '…'"];
  }
  if (CALL_GRAPHS.includes(name)) {
    return [words`stacks are recorded this way by ${RECORD.callGraph.as(name as 'fp')}`];
  }
  if (SHELL_WORDS.includes(name)) {
    return ["it is a word of the shell: sh -c 'cd … && ./app' starts one that knows it"];
  }
  if (/^[a-z]\w*(?:,[a-z]\w*)+$/.test(name)) {
    return [words`calls are named by ${RECORD.syscalls.as(name.split(','))}`];
  }
  if (NUMBER.test(name)) {
    return [
      words`it is no value of the option before it; ${RECORD.durationMs} takes a time, ${RECORD.freq} samples a second`,
    ];
  }
  return [];
}

/** How this process was started, with sudo or without. */
export type SudoState = {
  readonly isRoot: boolean;
  readonly env: Environment;
  /** The environment in which sudo was called; null where it is not known. */
  readonly readCallers: () => Environment | null;
};

function thisState(): SudoState {
  const { env, ppid, geteuid } = process;
  return {
    isRoot: geteuid?.() === 0,
    env,
    readCallers: () => findCallerEnvironment(env, ppid),
  };
}

/**
 * sudo replaces the PATH, so that root does not find what its caller does: a Node of nvm. The caller's
 * PATH is looked through for the message only; nothing of it is run with root's rights.
 */
export function hintsUnderSudo(name: string, state: SudoState = thisState()): string[] {
  const { SUDO_UID } = state.env;
  if (name === '' || !state.isRoot || SUDO_UID === undefined || SUDO_UID === '0') return [];
  const callers = state.readCallers();
  const path = callers?.PATH ?? '';
  const folders = path.split(':').filter((folder) => folder.startsWith('/'));
  const file = folders
    .map((folder) => `${folder}/${name}`)
    .find((candidate) => whyNotExecutable(candidate) === null);
  if (callers !== null && file === undefined) return [];
  const hints = [
    'sudo has replaced your PATH; hand it over: ' +
      callersPathLine({ ...readRunPlace(), path }, name),
  ];
  if (file !== undefined) hints.push(`or name it by its path: ${printable(file)}`);
  return hints;
}

function notExecutable(name: string, file: string, obstacle: string): FailedError {
  const shown = printable(file);
  const hints: string[] = [];
  if (/\.[cm]?[jt]s$/.test(name)) hints.push(`run it with node: perf-ts record … -- node ${shown}`);
  else if (obstacle === 'permission denied' && isOwn(file)) {
    hints.push(`if it is a program: chmod +x ${shown}`);
  }
  return new FailedError(`cannot execute ${shown}: ${obstacle}`, hints, EXIT.NOT_EXECUTABLE);
}

function environmentStrings(env: Readonly<Record<string, string | undefined>>): string[] {
  const strings: string[] = [];
  for (const [name, value] of Object.entries(env)) {
    if (value === undefined) continue;
    rejectNul(name);
    rejectNul(value);
    strings.push(`${name}=${value}`);
  }
  return strings;
}

/** The kernel ends strings at NUL, so the command would get less than it was given. */
function rejectNul(text: string): void {
  if (text.includes('\0')) {
    throw new TypeError(`a command's words and environment can't hold NUL: '${printable(text)}'`);
  }
}

/** Whether this user may change the mode of a file. */
function isOwn(file: string): boolean {
  return isThere(file) && statSync(fsPath(file)).uid === process.geteuid?.();
}

/** False also where a folder on the way lets nobody look. */
function isThere(file: string): boolean {
  return existsSync(fsPath(file));
}
