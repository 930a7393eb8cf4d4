import { accessSync, constants } from 'node:fs';
import { basename, isAbsolute } from 'node:path';
import { printable } from '../../base/printable.ts';
import { type Text, words } from '../../base/words.ts';
import type { CommandSpec } from '../../native/types.ts';
import { RECORD } from '../../options/record.ts';
import { variable, withVariable } from './command-environment.ts';
import { NODE } from './node-program.ts';
import { blocksOf, readRegular, realPath } from './program-file.ts';
import { leftAloneBy, type NodeFlags, unflagged } from './v8-flags.ts';

/** A program that runs JavaScript and is not Node. */
export type OtherRuntime = 'bun' | 'deno';

const NAMES: readonly (readonly [RegExp, OtherRuntime])[] = [
  [/^bunx?(?:\.exe|-debug)?$/, 'bun'],
  [/^deno$/, 'deno'],
];

/** Texts in the program that takes what is set here. */
const MARKS = { bun: 'BUN_JSC_', deno: 'DENO_V8_FLAGS' } as const;

/**
 * JavaScriptCore's jitdump, `jit-TID-PID-XXXXXX` in TMPDIR or /tmp: Bun has no perf map. Its option for another
 * directory is not used: a Bun that can't write there ends, as one would that starts when the directory
 * has been removed.
 */
const BUN_VARIABLE = 'BUN_JSC_useJITDump';

/**
 * V8's flags as for Node; Deno takes all of them from its environment. The last two keep V8's log from
 * the working directory. The jitdump is not among them: this V8 ends where it can't make the file.
 */
const DENO_VARIABLE = 'DENO_V8_FLAGS';
const DENO_FLAGS = [
  '--perf-basic-prof',
  '--interpreted-frames-native-stack',
  '--logfile=+',
  '--no-logfile-per-isolate',
] as const;

/** Settings of a user who starts them. */
export const JSC_NAMING = `${BUN_VARIABLE}=1`;
export const DENO_NAMING = `${DENO_VARIABLE}=${DENO_FLAGS.slice(0, 2).join(',')}`;

/** No program that `bun build --compile` has made is smaller. */
const LEAST_BUN_BYTES = 40 << 20;

/**
 * Which other runtime the command is: by its name, and by what its file has in it. A script of that
 * name, as npm installs one, starts it. An application of `bun build --compile` has any name.
 */
export function findOtherRuntime({ path }: Pick<CommandSpec, 'path'>): OtherRuntime | null {
  const found = runtimeByName(basename(path)) ?? runtimeByName(basename(realPath(path)));
  if (found !== null) return hasMark(path, MARKS[found]) ? found : null;
  if (NODE.test(basename(path))) return null;
  return hasMark(path, MARKS.bun, LEAST_BUN_BYTES) ? 'bun' : null;
}

/** The runtime that a program of this file name is by its looks. */
export function runtimeByName(name: string): OtherRuntime | null {
  return NAMES.find(([pattern]) => pattern.test(name))?.[1] ?? null;
}

/** Gives Bun or Deno what makes it name its code; leaves alone what the user has set. */
export function addRuntimeVariables(
  command: CommandSpec,
  runtime: OtherRuntime,
  wantsDump: boolean,
): NodeFlags {
  const unchanged = unflagged(command);
  return runtime === 'bun' ? addToBun(unchanged) : addToDeno(unchanged, wantsDump);
}

function addToBun(unchanged: NodeFlags): NodeFlags {
  const { command } = unchanged;
  if (variable(command.env, BUN_VARIABLE) !== '') return unchanged;
  const directory = variable(command.env, 'TMPDIR') || '/tmp';
  try {
    if (!isAbsolute(directory)) throw new Error('it depends on the directory of each process');
    accessSync(directory, constants.W_OK);
  } catch {
    const reason = `Bun would end where it can't write its names to ${printable(directory)}`;
    return { ...unchanged, notes: [`JavaScript will stay without names: ${reason}`] };
  }
  return {
    ...unchanged,
    command: { ...command, env: withVariable(command.env, BUN_VARIABLE, '1') },
    notes: [leftAloneBy(`${BUN_VARIABLE}=1 is set for Bun`)],
    dumpsIn: directory,
  };
}

function addToDeno(unchanged: NodeFlags, wantsDump: boolean): NodeFlags {
  const { command } = unchanged;
  const earlier = variable(command.env, DENO_VARIABLE);
  const given = earlier.split(',').filter((flag) => flag !== '');
  const reason = "Deno's V8 ends where it can't make the file";
  const notes: Text[] = wantsDump
    ? [words`${RECORD.jitdump}: no jitdump, a perf map instead: ${reason}`]
    : [];
  if (given.some((flag) => /^--(?:no[-_])?perf[-_]/.test(flag))) return { ...unchanged, notes };
  const value = [...given, ...DENO_FLAGS.filter((flag) => !given.includes(flag))].join(',');
  notes.unshift(leftAloneBy(`${DENO_VARIABLE} got ${DENO_FLAGS.slice(0, 2).join(',')}`));
  return {
    ...unchanged,
    command: { ...command, env: withVariable(command.env, DENO_VARIABLE, value) },
    notes,
    causesMaps: true,
  };
}

/** Whether an executable of so many bytes has this text, or is a script, which is not looked into. */
function hasMark(path: string, mark: string, leastBytes = 0): boolean {
  const find = (fd: number): boolean => {
    for (const { at, bytes } of blocksOf(fd)) {
      if (at === 0 && bytes.toString('latin1', 0, 2) === '#!') return true;
      if (bytes.includes(mark, 0, 'latin1')) return true;
    }
    return false;
  };
  return readRegular(path, leastBytes, find) ?? false;
}
