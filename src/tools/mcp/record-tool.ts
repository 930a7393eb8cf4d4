import { existsSync } from 'node:fs';
import { relative, resolve } from 'node:path';
import { FailedError, UsageError } from '../../base/errors.ts';
import { answerText } from './answer-text.ts';
import type { Tool } from './protocol.ts';

const DEFAULT_SECONDS = 10;
const MOST_SECONDS = 60;
const MOST_WORDS = 64;

/** Runs `perf-ts` with these arguments, for so long at most; returns what it said. Rejects where it fails. */
export type RunRecorder = (args: readonly string[], seconds: number) => Promise<string>;

/**
 * The tool that records, for who allows it: one command as words, without a shell, or one process; a minute at
 * most; into a new file below the working folder.
 */
export function recordTool(run: RunRecorder): Tool {
  return {
    name: 'record',
    description:
      'Records a command (words, no shell) or a running process, with stacks, into a new file below the working folder. A command that runs longer than the time is ended.',
    inputSchema: {
      type: 'object',
      properties: {
        file: { type: 'string', description: 'new file, as run.data' },
        command: { type: 'array', items: { type: 'string' } },
        pid: { type: 'integer', minimum: 1 },
        seconds: { type: 'number', maximum: MOST_SECONDS, description: 'default 10' },
      },
      required: ['file'],
    },
    answer: async (input) => {
      const file = newFile(input.file);
      const seconds = secondsOf(input.seconds);
      const args = ['record', '-q', '-g', '--duration', String(seconds), '-o', file];
      const reported = await run([...args, ...targetOf(input)], seconds);
      // The status is that of a command that could not be started, say.
      if (!existsSync(file)) throw new FailedError(`nothing was recorded. ${reported}`);
      return answerText(
        [`Recorded into \`${relative('.', file)}\`.`, '', reported],
        'open of this file.',
      );
    },
  };
}

function newFile(given: unknown): string {
  if (typeof given !== 'string' || given === '')
    throw new UsageError('the argument file is missing');
  const path = resolve(given);
  const below = relative('.', path);
  if (below.startsWith('..') || below.startsWith('/') || !/^[\w./-]+\.data$/.test(below)) {
    throw new UsageError('file: a name that ends in .data, below the working folder of the server');
  }
  if (existsSync(path)) throw new UsageError('file: it exists, and is not written over');
  return path;
}

function secondsOf(given: unknown): number {
  if (given === undefined) return DEFAULT_SECONDS;
  if (typeof given === 'number' && given > 0 && given <= MOST_SECONDS) return given;
  throw new UsageError(`seconds: a number up to ${MOST_SECONDS}`);
}

function targetOf({ command, pid }: Readonly<Record<string, unknown>>): string[] {
  if ((command === undefined) === (pid === undefined)) {
    throw new UsageError('either command or pid');
  }
  if (command === undefined) {
    if (Number.isInteger(pid) && Number(pid) > 0) return ['-p', String(pid)];
    throw new UsageError('pid: the number of a process');
  }
  const isWords =
    Array.isArray(command) &&
    command.length > 0 &&
    command.length <= MOST_WORDS &&
    command.every((word): word is string => typeof word === 'string' && !word.includes('\0'));
  if (!isWords || command[0] === '')
    throw new UsageError('command: the program and its arguments, a word each');
  return ['--', ...command];
}
