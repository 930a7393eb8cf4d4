import { dirname, join, resolve } from 'node:path';
import { UsageError } from '../../base/errors.ts';
import { printable } from '../../base/printable.ts';
import { findOnPath, whyNotExecutable } from '../../system/launch/find-executable.ts';
import { identifyNode } from '../../system/runtimes/node-program.ts';
import { isFile, SCRIPT_FILE } from './script-file.ts';

const TYPESCRIPT = /\.(?:[cm]?ts|tsx|jsx)$/;
/** Needs more than types left out. */
const NEEDS_COMPILER = /\.[jt]sx$/;
/** The releases from which on Node runs TypeScript without a flag. */
const STRIPS_TYPES: readonly (readonly [major: number, minor: number])[] = [
  [22, 18],
  [23, 6],
];

/** The programs of this machine: their places, and what they are. */
export type Programs = {
  /** The path of a program in the PATH; null where there is none. */
  readonly onPath: (name: string) => string | null;
  /** The path of tsx of the script's own packages; null where they have none. */
  readonly ownTsx: (script: string) => string | null;
  /** `v22.18.0` of a Node; null where it does not tell. */
  readonly versionOf: (node: string) => string | null;
};

/** Words whose first is a script, with the program that runs it in front; others as they are. Throws `UsageError`. */
export function withRunner(words: readonly string[], programs = HERE): readonly string[] {
  const at = words.findIndex((word) => !/^[A-Za-z_]\w*=/.test(word));
  const script = words[at];
  if (script === undefined || !SCRIPT_FILE.test(script) || !isFile(script)) return words;
  const runner = TYPESCRIPT.test(script) ? runnerOfTypes(script, programs) : 'node';
  return [...words.slice(0, at), runner, ...words.slice(at)];
}

function runnerOfTypes(script: string, { onPath, ownTsx, versionOf }: Programs): string {
  const tsx = ownTsx(script) ?? (onPath('tsx') === null ? null : 'tsx');
  if (tsx !== null) return tsx;
  const node = onPath('node');
  if (node !== null && !NEEDS_COMPILER.test(script) && stripsTypes(versionOf(node))) return 'node';
  throw new UsageError(
    `${printable(script)}: no tsx is installed, and node alone does not run it`,
    [`with another runner: perf-ts npx tsx ${printable(script)}`],
  );
}

function stripsTypes(version: string | null): boolean {
  const [, major, minor] = /^v(\d+)\.(\d+)\./.exec(version ?? '')?.map(Number) ?? [];
  if (major === undefined || minor === undefined) return false;
  const last = STRIPS_TYPES[STRIPS_TYPES.length - 1][0];
  return major > last || STRIPS_TYPES.some(([of, least]) => major === of && minor >= least);
}

function findOwnTsx(script: string): string | null {
  for (let folder = dirname(resolve(script)); ; folder = dirname(folder)) {
    const tsx = join(folder, 'node_modules/.bin/tsx');
    if (whyNotExecutable(tsx) === null) return tsx;
    if (folder === dirname(folder)) return null;
  }
}

const HERE: Programs = {
  onPath: findOnPath,
  ownTsx: findOwnTsx,
  versionOf: (node) => {
    const program = identifyNode(node);
    return program.kind === 'node' ? program.version : null;
  },
};
