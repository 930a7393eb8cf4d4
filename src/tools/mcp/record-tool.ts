import { existsSync, realpathSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { FailedError, UsageError } from '../../base/errors.ts';
import { answerText, quotedName } from './answer-text.ts';
import type { Tool } from './protocol.ts';

const DEFAULT_SECONDS = 10;
const MOST_SECONDS = 60;
const MOST_WORDS = 64;

/** The end of a recorder, and what was printed meanwhile, by it and by what it has recorded: a line each. */
export type RecorderEnd = {
  readonly how: string;
  readonly hasFailed: boolean;
  readonly printed: readonly string[];
};

/** Runs `perf-ts` with these arguments, for so long at most. */
export type RunRecorder = (args: readonly string[], seconds: number) => Promise<RecorderEnd>;

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
        command: { type: 'array', items: { type: 'string' }, minItems: 1, maxItems: MOST_WORDS },
        pid: { type: 'integer', minimum: 1 },
        seconds: {
          type: 'number',
          exclusiveMinimum: 0,
          maximum: MOST_SECONDS,
          description: 'default 10',
        },
      },
      required: ['file'],
    },
    annotations: { readOnlyHint: false },
    answer: async (input) => {
      const file = newFile(String(input.file));
      const seconds = (input.seconds as number | undefined) ?? DEFAULT_SECONDS;
      const args = ['record', '-q', '-g', '--duration', String(seconds), '-o', file];
      const { how, hasFailed, printed } = await run([...args, ...targetOf(input)], seconds);
      // The output of a recorded program is no sentence of ours.
      const reported = [how, ...printed.map(quotedName)];
      // The status is that of a command that could not be started, say.
      if (hasFailed || !existsSync(file)) {
        throw new FailedError(['nothing was recorded.', ...reported].join(' '));
      }
      return answerText(
        [`Recorded into \`${relative('.', file)}\`.`, '', ...reported],
        'open of this file.',
      );
    },
  };
}

function newFile(given: string): string {
  const path = resolve(given);
  const below = relative(realpathSync('.'), join(realPlace(dirname(path)), basename(path)));
  if (below.startsWith('..') || below.startsWith('/') || !/^[\w./-]+\.data$/.test(below)) {
    throw new UsageError('file: a name that ends in .data, below the working folder of the server');
  }
  if (existsSync(path)) throw new UsageError('file: it exists, and is not written over');
  return path;
}

/** The folder that links lead to; as it is spelled where there is none. */
function realPlace(folder: string): string {
  try {
    return realpathSync(folder);
  } catch {
    return folder;
  }
}

function targetOf({ command, pid }: Readonly<Record<string, unknown>>): string[] {
  if ((command === undefined) === (pid === undefined)) {
    throw new UsageError('either command or pid');
  }
  if (command === undefined) return ['-p', String(pid)];
  const words = command as readonly string[];
  if (words.some((word) => word.includes('\0'))) {
    throw new UsageError('command: the program and its arguments, a word each');
  }
  return ['--', ...words];
}
