// One recording read by perf and by perf-ts at the same time, and what each says of it.

import { spawn } from 'node:child_process';
import { CLI, keepingNames } from './cli.ts';
import {
  type FlatTable,
  ourReportArguments,
  parseOurTables,
  parsePerfTables,
  perfReportArguments,
} from './perf-reference.ts';
import {
  parseOurSamples,
  parsePerfSamples,
  perfScriptArguments,
  type SampleLine,
} from './perf-samples.ts';

/**
 * Node 20 may hang as it ends: a thread that compiles waits for the main thread to collect garbage,
 * which waits for the compilation (https://github.com/nodejs/node/issues/54918). About one `report`
 * in fifty did on a busy machine; none does that compiles nothing beside.
 */
const NODE_FLAGS = ['--no-concurrent-recompilation'];

/** What one tool says of a recording. */
export type Reading = { readonly samples: SampleLine[]; readonly tables: FlatTable[] };

export type HowToRead = {
  /** The recording as a stream on standard input; the file's name is `-` then. */
  readonly pipe?: Buffer;
  /** The samples have no times. */
  readonly isTimeless?: boolean;
};

/** Reads samples and flat reports with both tools. Throws where one of them fails. */
export async function readByBoth(
  file: string,
  { pipe, isTimeless }: HowToRead = {},
): Promise<{ theirs: Reading; ours: Reading }> {
  const name = pipe === undefined ? file : '-';
  const perf = (args: readonly string[]) => output('perf', args, pipe);
  const perfTs = (args: readonly string[]) =>
    output(process.execPath, [...NODE_FLAGS, CLI, ...args], pipe);
  const [theirSamples, theirTables, ourSamples, ourTables] = await Promise.all([
    perf(perfScriptArguments(name, !isTimeless)).then(parsePerfSamples),
    perf(perfReportArguments(name, pipe !== undefined)).then(parsePerfTables),
    perfTs(['script', '--json', '--samples', '--no-inline', name]).then(parseOurSamples),
    perfTs(ourReportArguments(name)).then(parseOurTables),
  ]);
  return {
    theirs: { samples: theirSamples, tables: theirTables },
    ours: { samples: ourSamples, tables: ourTables },
  };
}

/** What a program prints; throws with what it complains about if it fails. */
export function output(program: string, args: readonly string[], input?: Buffer): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, {
      stdio: ['pipe', 'pipe', 'pipe'],
      env: keepingNames(),
    });
    const pieces: Buffer[] = [];
    let complaints = '';
    child.stdout.on('data', (piece: Buffer) => pieces.push(piece));
    child.stderr.on('data', (piece: Buffer) => {
      complaints += piece;
    });
    child.on('error', reject);
    child.on('close', (status, signal) => {
      if (status === 0) resolve(Buffer.concat(pieces).toString('utf8'));
      else
        reject(
          new Error(`${program} ${args.join(' ')} ends with ${status ?? signal}: ${complaints}`),
        );
    });
    // A program that reads no input closes it: not an error.
    child.stdin.on('error', () => {});
    child.stdin.end(input);
  });
}
