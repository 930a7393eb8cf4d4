// The recordings that all doors are asked about, made by the commands that a user would type.

import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished } from 'vitest';
import { cleanEnvironment, perfTs, startPerfTs } from '../helpers/cli.ts';
import { compileWaits, compileWorkload } from '../helpers/compile.ts';
import { scratchDirectory } from '../helpers/scratch.ts';

const PROGRAMS = fileURLToPath(new URL('programs/', import.meta.url));
const LOADER = fileURLToPath(new URL('../helpers/typescript-loader.mjs', import.meta.url));
const NODE = process.execPath;
const HAS_GO = spawnSync('go', ['version']).status === 0;
const RATE = ['-e', 'cpu-clock', '-F', '997'];

/** A recording, and the function that is asked about. */
export type Recorded = { readonly file: string; readonly func: string };
export type MakeRecording = () => Recorded | Promise<Recorded>;

const program = (name: string): string => join(PROGRAMS, name);

function record(...words: readonly string[]): string {
  const file = join(scratchDirectory(), 'perf.data');
  const { status, stderr } = perfTs(['record', '-q', '-o', file, ...words]);
  expect([status, stderr.includes('perf-ts:') ? stderr : '']).toEqual([0, '']);
  return file;
}

export function forkedNodes(): Recorded {
  const file = record(...RATE, '-g', '--', NODE, program('fork.cjs'));
  return { file, func: 'parse busy.cjs:11' };
}

export const RECORDINGS: Readonly<Record<string, MakeRecording>> = {
  'a Node that perf-ts starts': () => ({
    file: record(...RATE, '-g', '--', NODE, program('busy.cjs')),
    func: 'parse busy.cjs:11',
  }),
  'three forked Nodes': forkedNodes,
  'worker threads of a Node': () => ({
    file: record(...RATE, '-g', '--', NODE, program('worker.cjs')),
    func: 'parse busy.cjs:11',
  }),
  'memory that a Node allocates': () => ({
    file: record('--memory', '--', NODE, program('busy.cjs'), '30'),
    func: 'parse busy.cjs:11',
  }),
  'two events, in records that are compressed': () => ({
    file: record(
      '-z',
      '-e',
      'cpu-clock,page-faults',
      '-g',
      '--',
      compileWorkload(),
      'burn',
      '2',
      '1',
    ),
    func: 'leaf',
  }),
  'stacks that were copied': () => ({
    file: record(...RATE, '--call-graph', 'dwarf', '--', compileWorkload(), 'burn', '2', '1'),
    func: 'leaf',
  }),
  'a cluster': () => ({
    file: record(...RATE, '-g', '--', NODE, program('cluster.cjs')),
    func: 'parse busy.cjs:11',
  }),
  'TypeScript that a loader compiles': () => ({
    file: record(...RATE, '-g', '--', NODE, '--import', LOADER, program('app.ts')),
    func: 'parse test/doors/programs/app.ts:19',
  }),
  'a running Node that is attached to': async () => {
    const { pid, end } = await startServer();
    // It is asked for names while it is recorded, and answers when its event loop turns.
    const file = record(...RATE, '-g', '--attach-js', '-p', `${pid}`, '--duration', '5');
    end();
    return { file, func: 'parse busy.cjs:11' };
  },
  'a program in C': () => ({
    file: record(...RATE, '-g', '--', compileWorkload(), 'burn', '2', '1'),
    func: 'leaf',
  }),
  ...(HAS_GO && {
    'a program in Go': () => {
      const built = join(scratchDirectory(), 'busy');
      execFileSync('go', ['build', '-o', built, program('busy.go')]);
      return { file: record(...RATE, '-g', '--', built), func: 'main.parse' };
    },
  }),
  'a program in C, by sampled page faults': () => ({
    file: record(
      '-e',
      'page-faults',
      '-c',
      '10',
      '-g',
      '--',
      compileWorkload(),
      'pf',
      '20000',
      '1',
    ),
    func: 'main',
  }),
  'waits of threads': () => ({
    file: record('--off-cpu=only', '-g', '--', compileWaits()),
    func: 'do_nanosleep',
  }),
  'all processes of the machine': () => ({
    file: record(...RATE, '-a', '-g', '--', compileWorkload(), 'burn', '2', '1'),
    func: 'leaf',
  }),
  'a recording of which a part is damaged': () => ({
    file: damaged(record(...RATE, '-g', '--', compileWorkload(), 'burn', '2', '1')),
    func: 'leaf',
  }),
  "V8's own profile": () => {
    const folder = scratchDirectory();
    const flags = ['--cpu-prof', '--cpu-prof-name=own.cpuprofile', `--cpu-prof-dir=${folder}`];
    execFileSync(NODE, [...flags, program('busy.cjs'), '30']);
    return { file: join(folder, 'own.cpuprofile'), func: 'parse busy.cjs:11' };
  },
  'a text of perf script': () => {
    const data = record(...RATE, '-g', '--', compileWorkload(), 'burn', '2', '1');
    const { stdout } = perfTs(['script', data]);
    const file = join(scratchDirectory(), 'script.txt');
    writeFileSync(file, stdout);
    return { file, func: 'leaf' };
  },
};

/**
 * The live page of a program that computes, with its recording: `view --live` keeps both until it is interrupted.
 * `bytes` are what the page has read when sampling is over.
 */
export async function followProgram(): Promise<
  Recorded & { readonly bytes: Uint8Array<ArrayBuffer> }
> {
  const TMPDIR = scratchDirectory();
  const target = spawn(compileWorkload(), ['burn', '2', '60'], { stdio: 'ignore' });
  const words = ['view', '--live', ...RATE, '--duration', '1', '-p', `${target.pid}`];
  const view = startPerfTs(words, { env: { ...cleanEnvironment(), TMPDIR } });
  onTestFinished(() => {
    target.kill();
    view.child.kill('SIGKILL');
  });
  const [printed] = (await once(view.child.stdout, 'data')) as [Buffer];
  await expect.poll(view.stderr, { timeout: 30_000 }).toContain('until Ctrl-C');
  const answer = await fetch(`${printed.toString().trim()}profile/0`);
  const bytes = new Uint8Array(await answer.arrayBuffer());
  const names = readdirSync(TMPDIR, { recursive: true, encoding: 'utf8' });
  const kept = names.find((name) => name.endsWith(`-${target.pid}`));
  const file = join(scratchDirectory(), 'perf.data');
  copyFileSync(join(TMPDIR, `${kept}`), file);
  return { file, func: 'leaf', bytes };
}

/** Names and shares in the last table of `top` for a program. */
export function watchProgram(
  name: string,
): readonly { readonly symbol: string; readonly selfShare: number }[] {
  const words = ['top', '--json', ...RATE, '--duration', '60', '--', NODE, program(name)];
  const { stdout } = perfTs(words);
  const last = JSON.parse(stdout.trimEnd().split('\n').at(-1) as string);
  expect(last.isLast).toBe(true);
  return last.events[0].rows;
}

/** A Node that works until `end`. */
async function startServer(): Promise<{ pid: number; end: () => void }> {
  const child = spawn(NODE, [program('serve.cjs')], { stdio: ['ignore', 'pipe', 'inherit'] });
  await once(child.stdout, 'data');
  return { pid: child.pid as number, end: () => child.kill('SIGKILL') };
}

/** Overwrites an eighth of the bytes, behind the middle: records that no reader can follow. */
function damaged(file: string): string {
  const bytes = readFileSync(file);
  const middle = bytes.length >> 1;
  bytes.fill(0xff, middle, middle + (bytes.length >> 3));
  writeFileSync(file, bytes);
  return file;
}
