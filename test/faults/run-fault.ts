// One run of perf-ts with one call failed, in a folder of its own.

import { spawn } from 'node:child_process';
import {
  closeSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
} from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { compileC } from '../helpers/compile.ts';
import { MOUNT_OWN_TMP, RUN_FROM_TMP } from '../helpers/mount-namespace.ts';
import { errorNumber, type Fault } from './cases.ts';
import type { Scenario } from './scenarios.ts';

const here = dirname(fileURLToPath(import.meta.url));
const root = resolve(here, '../..');
const CLI = join(root, 'dist/bin/main.js');
/** Longer than any run takes that comes to an end. */
const LONGEST_MS = 60_000;

export type FaultRun = {
  readonly scenario: string;
  readonly fault: Fault | null;
  /** Whether such a call was made at all. */
  readonly wasHit: boolean;
  /** 128 + n after signal n; null: it did not come to an end. */
  readonly exit: number | null;
  readonly stderr: string;
  readonly stdout: Buffer;
  /** Files in the working directory, by name. */
  readonly files: ReadonlyMap<string, Buffer>;
  /** Names of files left in the folder for temporary files. */
  readonly temporaries: readonly string[];
  /** Names of processes left. */
  readonly left: readonly string[];
  /** State of the process that was attached to; null without one. */
  readonly target: string | null;
  readonly log: string;
};

export function compileInject(): string {
  return compileC(join(root, 'test/faults/inject.c'), ['-O1']);
}

/**
 * Runs the scenario with the fault, or (null) without one. `earlier` is a recording that the folder has
 * as `perf.data` and, with other bytes at its end, as `perf.data.old`.
 */
export async function runFault(
  scenario: Scenario,
  fault: Fault | null,
  earlier: { readonly data: string; readonly old: string },
): Promise<FaultRun> {
  const inject = compileInject();
  const build = join(root, 'test/build');
  const place = mkdtempSync(join(build, 'fault-'));
  const work = join(place, 'work');
  const temporary = join(place, 'tmp');
  mkdirSync(work);
  mkdirSync(temporary);
  mkdirSync(join(place, 'home'));
  cpSync(earlier.data, join(work, 'perf.data'));
  cpSync(earlier.old, join(work, 'perf.data.old'));
  const log = join(place, 'log');
  const fail =
    fault === null
      ? []
      : ['-k', fault.key, '-n', `${fault.turn}`, '-e', `${errorNumber(fault.error)}`].concat(
          fault.andLater ? ['-a'] : [],
        );
  const attach = scenario.target === undefined ? [] : ['-t', scenario.target];
  const begin = ['-b', 'dist/bin/'];
  const words = [inject, ...begin, '-o', log, ...fail, ...attach, '--', process.execPath, CLI];
  try {
    const ended = await run([...alone(temporary), ...words, ...scenario.words], work, place);
    const logText = readFileSync(log, 'utf8');
    return {
      scenario: scenario.name,
      fault,
      wasHit: /^!/m.test(logText),
      ...ended,
      files: new Map(readdirSync(work).map((name) => [name, readFileSync(join(work, name))])),
      temporaries: readdirSync(temporary).filter((name) => !RUN_FROM_TMP.includes(name)),
      left: [...logText.matchAll(/^=left (.*)$/gm)].map((match) => match[1]),
      target: /^=target (.)$/m.exec(logText)?.[1] ?? null,
      log: logText,
    };
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
}

/**
 * As root: with processes and a /tmp of its own, so that a run makes the same calls whatever else the
 * machine does, and nothing outlives it.
 */
function alone(temporary: string): readonly string[] {
  if (process.getuid?.() !== 0) return [];
  const script = `own=$1 && shift && ${MOUNT_OWN_TMP} && exec "$@"`;
  return [
    'unshare',
    '-mpf',
    '--kill-child',
    '--mount-proc',
    '/bin/sh',
    '-c',
    script,
    'sh',
    temporary,
  ];
}

function run(
  words: readonly string[],
  cwd: string,
  place: string,
): Promise<Pick<FaultRun, 'exit' | 'stdout' | 'stderr'>> {
  // Files, not pipes: what is left behind must not hold the run open.
  const [out, err] = ['out', 'err'].map((name) => openSync(join(place, name), 'w')) as [
    number,
    number,
  ];
  const environment = {
    PATH: '/usr/bin:/bin',
    HOME: join(place, 'home'),
    TMPDIR: '/tmp',
    LANG: 'C.UTF-8',
  };
  const child = spawn(words[0], words.slice(1), {
    cwd,
    env: environment,
    stdio: ['ignore', out, err],
  });
  closeSync(out);
  closeSync(err);
  return new Promise((settle, refuse) => {
    let isLate = false;
    const timer = setTimeout(() => {
      isLate = true;
      child.kill('SIGKILL');
    }, LONGEST_MS);
    child.on('error', refuse);
    child.on('exit', (status) => {
      clearTimeout(timer);
      settle({
        exit: isLate ? null : status,
        stdout: readFileSync(join(place, 'out')),
        stderr: readFileSync(join(place, 'err'), 'utf8'),
      });
    });
  });
}
