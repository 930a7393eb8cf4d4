// Recorded programs that answer, send and serve something else than a Node with perf-ts would, or nothing at all.

import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Place } from '../ways.ts';
import type { HostileCase } from './cases.ts';
import {
  compileScript,
  never,
  noCompiler,
  perfTs,
  readRecording,
  type Starter,
  script,
  type Task,
  withTasks,
} from './neighbours.ts';

/** `--duration` of the recordings here, and what the recorder may take beyond it, its own start included. */
const DURATION_SECONDS = 2;
const END_SECONDS = 2;
const START_SECONDS = 2;

const ANSWERS = [
  '{}',
  '"x"',
  'null',
  '{"taken":null}',
  '{"taken":{}}',
  '{"taken":{"version":3,"pid":[]}}',
  '{"failure":{}}',
  'no JSON',
];
const WAYS_OF_ANSWERING = ['trickle', 'silence', 'flood'];

export const ANSWERING: readonly HostileCase[] = [
  ...[...ANSWERS, ...WAYS_OF_ANSWERING].map((how) => ({
    name: `a registered program that answers with ${how}`,
    obstacle: never,
    run: (place: Place) => recordAttached(place, [script(place, 'answers.mjs'), how], []),
  })),
  {
    name: 'a program that blocks in system calls while its inspector is opened',
    obstacle: never,
    run: (place) => recordAttached(place, [script(place, 'blocks.cjs')], ['--attach-js'], 'idle'),
  },
  {
    name: 'a stopped program while its inspector is opened',
    obstacle: never,
    run: (place) =>
      recordAttached(place, [script(place, 'serves.mjs')], ['--attach-js'], 'stopped'),
  },
  ...['names', 'sockets', 'garbage', 'notes', 'maps', 'pieces', 'code'].map((how) => ({
    name: `a recorded program that floods code events with ${how}`,
    obstacle: never,
    run: (place: Place) => recordCommand(place, [script(place, 'events.mjs'), how]),
  })),
  {
    name: 'a recorded program that maps 40 000 files as code',
    obstacle: noCompiler,
    run: (place) =>
      recordCommand(place, [compileScript(place, 'mappings.c'), '40000'], ['--call-graph', 'auto']),
  },
  ...['fifo', 'huge', 'link', 'folder'].map((how) => ({
    name: `a recorded program whose map, dump and notes are each a ${how}`,
    obstacle: never,
    run: (place: Place) => recordOwnFiles(place, how),
  })),
  {
    name: 'a recorded program whose map has 300 MiB of lines',
    obstacle: never,
    run: (place) => recordOwnFiles(place, 'lines'),
  },
];

/** `idle`: the program uses no CPU time, so there may be no samples. */
async function recordAttached(
  place: Place,
  program: readonly string[],
  options: readonly string[],
  state: 'busy' | 'idle' | 'stopped' = 'busy',
): Promise<string[]> {
  return inFolder(place, (folder) =>
    withTasks(async (start) => {
      const target = start([process.execPath, ...program], folder);
      if (!(await target.printed('ready'))) return [`the program did not start: ${target.stderr}`];
      if (state === 'stopped') process.kill(target.pid, 'SIGSTOP');
      const data = join(folder, 'x.data');
      const words = [
        'record',
        '-q',
        '-F',
        '99',
        '--duration',
        `${DURATION_SECONDS}`,
        '-o',
        data,
        ...options,
      ];
      const problems = await recordWithin(
        start,
        perfTs(place, ...words, '-p', `${target.pid}`),
        folder,
      );
      if (target.end !== null) problems.push('the program was ended');
      if (state === 'busy' && !target.stdout.includes('asked'))
        problems.push('the recorder did not ask');
      const { problem } = await readRecording(place, data);
      if (problem !== null && !(state !== 'busy' && problem.includes('no samples')))
        problems.push(problem);
      return problems;
    }),
  );
}

/** Runs a recorder with a duration of its own; what is wrong with its end. */
async function recordWithin(
  start: Starter,
  words: readonly string[],
  folder: string,
): Promise<string[]> {
  const started = performance.now();
  const recorder = start(words, folder);
  const limit = START_SECONDS + DURATION_SECONDS + END_SECONDS;
  if (!(await recorder.endsWithin(limit))) {
    await recorder.endsWithin(60);
    const took = ((recorder.end?.at ?? performance.now()) - started) / 1000;
    return [`the recorder took ${took.toFixed(1)} s for --duration ${DURATION_SECONDS}`];
  }
  const { status, signal } = recorder.end ?? {};
  return status === 0
    ? []
    : [`the recorder ended with ${signal ?? status}: ${recorder.stderr.trim()}`];
}

/** The words of a recorder that prints its CPU time as it ends; its command does, too. */
function measured(place: Place, ...words: readonly string[]): string[] {
  const [node, ...main] = perfTs(place, ...words);
  return [node, '--import', script(place, 'cpu-of-recorder.mjs'), ...main];
}

/** The time that a recorder took behind its command's end: its own, whatever else the machine does. */
function judgeEnd({ stdout }: Task): string[] {
  const [before, after] = ["command's end", 'own end'].map((when) =>
    Number(new RegExp(`^recorder at its ${when}: (\\d+) ms$`, 'm').exec(stdout)?.[1]),
  );
  if (!(after >= before)) return ['the CPU time of the recorder is not known'];
  const seconds = (after - before) / 1000;
  return seconds <= END_SECONDS ? [] : [`the recorder took ${seconds} s of CPU behind its command`];
}

/** The command ends with 7 after 0.3 s of work; the recorder ends as it does, soon, with all samples. */
async function recordCommand(
  place: Place,
  program: readonly string[],
  options: readonly string[] = [],
): Promise<string[]> {
  return inFolder(place, (folder) =>
    withTasks(async (start) => {
      const data = join(folder, 'x.data');
      const command = program[0].endsWith('js') ? [process.execPath, ...program] : program;
      const words = ['record', '-q', '-F', '99', '-o', data, ...options, '--', ...command];
      const recorder = start(measured(place, ...words), folder);
      // The command itself takes the most of it.
      if (!(await recorder.endsWithin(120))) return ['the recorder has no end'];
      const { status, signal } = recorder.end ?? {};
      const problems =
        status === 7
          ? []
          : [`the recorder ended with ${signal ?? status}: ${recorder.stderr.trim()}`];
      if (!recorder.stdout.includes('connected')) problems.push('the program could not connect');
      problems.push(...judgeEnd(recorder));
      const { problem } = await readRecording(place, data);
      return problem === null ? problems : [...problems, problem];
    }),
  );
}

async function recordOwnFiles(place: Place, how: string): Promise<string[]> {
  return inFolder(place, (folder) =>
    withTasks(async (start) => {
      const data = join(folder, 'x.data');
      const words = [
        'record',
        '-q',
        '-F',
        '99',
        '-o',
        data,
        '--',
        process.execPath,
        script(place, 'own-files.mjs'),
        how,
      ];
      const recorder = start(measured(place, ...words), folder);
      try {
        if (!(await recorder.endsWithin(60))) return ['the recorder has no end'];
        const { status, signal } = recorder.end ?? {};
        const problems =
          status === 7
            ? []
            : [`the recorder ended with ${signal ?? status}: ${recorder.stderr.trim()}`];
        problems.push(...judgeEnd(recorder));
        const { problem } = await readRecording(place, data);
        const report = start(perfTs(place, 'report', '-i', data), folder);
        if (!(await report.endsWithin(60))) problems.push('report has no end');
        else if (report.end?.status !== 0) problems.push(`report: ${report.stderr.trim()}`);
        return problem === null ? problems : [...problems, problem];
      } finally {
        for (const path of recorder.stdout.split('\n').filter((line) => line.startsWith('/tmp/'))) {
          rmSync(path, { recursive: true, force: true });
        }
      }
    }),
  );
}

export async function inFolder<T>(place: Place, act: (folder: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(place.scratch, 'hostile-'));
  try {
    return await act(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
