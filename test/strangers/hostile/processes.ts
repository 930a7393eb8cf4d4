// Programs that fork, storm, leave daemons behind, lose their recorder or the recording's folder.

import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { run } from '../child.ts';
import { type Place, until } from '../ways.ts';
import { inFolder } from './answers.ts';
import type { HostileCase } from './cases.ts';
import { compileAddon, never, noCompiler, perfTs, script, withTasks } from './neighbours.ts';

const FORKS = 20;
/** A child of a fork ends in a few milliseconds; on a shared machine one may wait for a CPU. */
const MAX_RATIO = 5;
const SCHEDULING_MS = 100;

export const PROCESSES: readonly HostileCase[] = [
  { name: 'a program whose addon forks without exec', obstacle: noCompiler, run: forksWithoutExec },
  ...['node', 'sh'].map((how) => ({
    name: `a daemon of ${how} that starts Node after perf-ts has moved`,
    obstacle: never,
    run: (place: Place) => movedAway(place, how),
  })),
  { name: 'a storm of processes', obstacle: never, run: storm },
  { name: 'a storm of workers whose recorder is killed', obstacle: never, run: killedRecorder },
  { name: 'a recording whose folder is removed', obstacle: never, run: removedFolder },
];

async function forksWithoutExec(place: Place): Promise<string[]> {
  return inFolder(place, async (folder) => {
    const addon = compileAddon(place, 'fork-addon.c');
    const words = [process.execPath, script(place, 'forks.cjs'), addon, `${FORKS}`];
    const options = { cwd: folder, env: { PATH: process.env.PATH ?? '', HOME: folder } };
    const plain = timesOf((await run(words, options)).stdout);
    const recorder = perfTs(
      place,
      'record',
      '-q',
      '-F',
      '99',
      '-o',
      join(folder, 'x.data'),
      '--',
      ...words,
    );
    const recorded = timesOf((await run(recorder, { ...options, limitSeconds: 120 })).stdout);
    if (plain.length !== FORKS || recorded.length !== FORKS) return ['the program did not end'];
    const median = (all: number[]): number => all.sort((a, b) => a - b)[all.length >> 1];
    const [before, after] = [median(plain), median(recorded)];
    const isComparable = after <= before * MAX_RATIO + SCHEDULING_MS;
    return isComparable
      ? []
      : [
          `a child ends after ${after.toFixed(0)} ms, without perf-ts after ${before.toFixed(0)} ms`,
        ];
  });
}

function timesOf(text: string): number[] {
  try {
    return JSON.parse(text) as number[];
  } catch {
    return [];
  }
}

/** A package that is used once and then uninstalled, as an app's daemon lives on. */
async function movedAway(place: Place, how: string): Promise<string[]> {
  return inFolder(place, async (folder) => {
    const copy = join(folder, 'package');
    mkdirSync(copy);
    for (const name of ['dist', 'build', 'prebuilds', 'package.json']) {
      const from = join(place.root, name);
      if (existsSync(from)) cpSync(from, join(copy, name), { recursive: true });
    }
    symlinkSync(join(place.root, 'node_modules'), join(copy, 'node_modules'));
    writeFileSync(join(folder, 'app.cjs'), "console.log('app runs'); process.exit(3);");
    const words = [process.execPath, script(place, 'daemon.cjs'), how, folder];
    const recorder = perfTs(
      { ...place, root: copy },
      'record',
      '-q',
      '-F',
      '99',
      '-o',
      'x.data',
      '--',
      ...words,
    );
    const { status, stderr } = await run(recorder, {
      cwd: folder,
      env: { PATH: process.env.PATH ?? '', HOME: folder },
    });
    renameSync(copy, join(folder, 'gone'));
    writeFileSync(join(folder, 'restart'), '');
    const path = join(folder, 'status');
    const hasEnded = await until(() => existsSync(path), 20);
    if (status !== 0) return [`the recorder ended with ${status}: ${stderr}`];
    if (!hasEnded) return ['the app did not end'];
    const text = readFileSync(path, 'utf8').trim();
    return text === '3 app runs'
      ? []
      : [`the app ended with: ${text.split('\n').slice(0, 6).join(' | ')}`];
  });
}

/** As many processes as a build starts, each a shell that ends at once. */
async function storm(place: Place): Promise<string[]> {
  return inFolder(place, async (folder) => {
    const text = `const { spawnSync } = require('child_process');
let bad = 0;
for (let i = 0; i < 20; i++) {
  const { status } = spawnSync('sh', ['-c', 'i=0; while [ $i -lt 100 ]; do (exit 3); i=$((i+1)); done; exit 5']);
  if (status !== 5) bad++;
}
console.log(bad);`;
    const words = [process.execPath, '-e', text];
    const options = {
      cwd: folder,
      env: { PATH: process.env.PATH ?? '', HOME: folder },
      limitSeconds: 60,
    };
    const recorded = await run(
      perfTs(place, 'record', '-q', '-F', '99', '-o', 'x.data', '--', ...words),
      options,
    );
    if (recorded.isHung) return ['the recorder has no end'];
    return recorded.stdout === '0\n' && recorded.status === 0
      ? []
      : [`it ended with ${recorded.status}: ${recorded.stderr}`];
  });
}

/** The recorder is killed while workers start and end: they go on to the last. */
async function killedRecorder(place: Place): Promise<string[]> {
  return inFolder(place, (folder) =>
    withTasks(async (start) => {
      const text = `const { Worker } = require('worker_threads');
let left = 40;
const next = () => {
  const worker = new Worker('for (let i = 0; i < 1e5; i++) Math.sqrt(i)', { eval: true });
  worker.on('exit', () => {
    if (left === 30) console.log('ready');
    if (--left > 0) next();
    else require('fs').writeFileSync('all', 'ended');
  });
};
next();`;
      const words = [
        'record',
        '-q',
        '-F',
        '99',
        '-o',
        'x.data',
        '--',
        process.execPath,
        '-e',
        text,
      ];
      const recorder = start(perfTs(place, ...words), folder);
      if (!(await recorder.printed('ready')))
        return [`the program did not start: ${recorder.stderr}`];
      process.kill(recorder.pid, 'SIGKILL');
      const hasEnded = await until(() => existsSync(join(folder, 'all')), 20);
      return hasEnded ? [] : ['the program did not go on without its recorder'];
    }),
  );
}

/** Who has removed the recording is told by a status. */
async function removedFolder(place: Place): Promise<string[]> {
  return inFolder(place, (folder) =>
    withTasks(async (start) => {
      const output = join(folder, 'output');
      mkdirSync(output);
      chmodSync(output, 0o700);
      const command = [process.execPath, '-e', "console.log('ready'); setTimeout(() => {}, 1500)"];
      const recorder = start(
        perfTs(place, 'record', '-q', '-o', join(output, 'x.data'), '--', ...command),
        folder,
      );
      if (!(await recorder.printed('ready')))
        return [`the program did not start: ${recorder.stderr}`];
      rmSync(output, { recursive: true, force: true });
      if (!(await recorder.endsWithin(20))) return ['the recorder has no end'];
      const problems =
        recorder.end?.status === 0 ? ['a recording that is gone ended with status 0'] : [];
      return recorder.stderr === ''
        ? [...problems, 'a recording that is gone ended without a word']
        : problems;
    }),
  );
}
