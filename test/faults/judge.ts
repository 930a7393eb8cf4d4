// What a user would object to in a run with a failed call.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type RecordingInfo, readInfo } from '../../src/read/recording-info.ts';
import type { FaultRun } from './run-fault.ts';
import type { Scenario } from './scenarios.ts';

const EXIT_FAILED = 125;
const EXIT_NOT_EXECUTABLE = 126;

/** What was in the folder before the run. */
export type Earlier = { readonly data: Buffer; readonly old: Buffer };

/** Traces of JavaScript and native code, and what Node prints as it dies. */
const STACK_TRACE =
  /^\s+at .*(\(|:\d+:\d+)|^\s*\d+: 0x[0-9a-f]+ |node:internal|Native stack trace|Fatal error|[Aa]ssertion|terminate called|core dumped|UnhandledPromise/m;
/** `EMFILE: too many open files, open '/proc/cpuinfo'`: libuv's words, not ours. */
const RAW_ERROR = /\bE[A-Z]{2,}: [a-z].*, [a-z]+/;

/** Problems of a run, nothing where it is as promised; `normal` is the run without a fault. */
export function judge(
  scenario: Scenario,
  run: FaultRun,
  normal: FaultRun,
  earlier: Earlier,
): string[] {
  if (run.exit === null) return ['does not come to an end'];
  const problems: string[] = [];
  const object = (is: boolean, problem: string): void => {
    if (is) problems.push(problem);
  };
  object(STACK_TRACE.test(run.stderr), 'stack trace');
  object(RAW_ERROR.test(run.stderr), 'raw error');
  object(/an open file/.test(run.stderr), 'does not name the file');
  // As in a shell: the command is there and can't be executed.
  const isExecFailure = run.exit === EXIT_NOT_EXECUTABLE && /cannot execute/.test(run.stderr);
  object(run.exit !== 0 && run.exit !== EXIT_FAILED && !isExecFailure, `exit ${run.exit}`);
  const ownLines = run.stderr.split('\n').filter((line) => line.startsWith('perf-ts: '));
  object(run.exit !== 0 && ownLines.length === 0, 'fails without a line');
  problems.push(...judgeCommand(scenario, run), ...judgeFiles(scenario, run, normal, earlier));
  object(run.target !== null && !/[RSD]/.test(run.target), `target is ${run.target}`);
  for (const name of run.left) problems.push(`leaves process ${name}`);
  for (const name of run.temporaries) problems.push(`leaves ${name}`);
  if (scenario.output === null && !scenario.runsCommand && run.exit === 0) {
    const isSame = scenario.target !== undefined || run.stdout.equals(normal.stdout);
    object(!isSame && ownLines.length === 0, 'output differs without a line');
  }
  return problems;
}

/** It runs as a whole or, where perf-ts fails, not at all. */
function judgeCommand(scenario: Scenario, run: FaultRun): string[] {
  if (!scenario.runsCommand) return [];
  const output = scenario.output === 'stdout' ? run.stderr : run.stdout.toString('latin1');
  const begun = /^begun$/m.test(output);
  const ended = /^ended$/m.test(output);
  if (begun && /was not started|cannot execute/.test(run.stderr)) return ['denies that it ran'];
  if (begun && !ended) return ['command is cut short'];
  if (!begun && run.exit === 0) return ['command did not run'];
  return [];
}

/** The earlier recording is where it belongs, and a new one can be read. */
function judgeFiles(
  { output }: Scenario,
  run: FaultRun,
  normal: FaultRun,
  earlier: Earlier,
): string[] {
  const problems: string[] = [];
  const now = run.files.get('perf.data');
  const old = run.files.get('perf.data.old');
  const isUntouched = now?.equals(earlier.data) === true && old?.equals(earlier.old) === true;
  if (output !== 'file') {
    if (output !== 'files' && !isUntouched) problems.push('earlier recording has changed');
    const all = [...run.files.values()];
    if (!all.some((bytes) => bytes.equals(earlier.data)))
      problems.push('earlier recording is gone');
    if (output === 'files' && run.exit === 0) {
      for (const [name, bytes] of run.files) problems.push(...judgeRecording(name, bytes, null));
    }
    if (output === 'stdout' && run.exit === 0) {
      problems.push(...judgeRecording('stream', run.stdout, infoOf(normal.stdout)));
    }
  } else if (run.exit === 0 || !isUntouched) {
    if (!old?.equals(earlier.data)) problems.push('earlier recording is gone');
    if (now === undefined) problems.push('no recording');
    else if (now.equals(earlier.data)) problems.push('no new recording');
    else {
      const expected = run.exit === 0 ? infoOf(normal.files.get('perf.data')!) : null;
      problems.push(...judgeRecording('recording', now, expected));
    }
  }
  for (const name of run.files.keys()) {
    // A file that can't be removed is left, and said to be.
    const isReported = run.stderr.includes(`is left as ${name}: `);
    if (!isReported && !/^perf\.data(\.old|\.\d+(-\d+)?)?$/.test(name))
      problems.push(`leaves ${name}`);
  }
  return problems;
}

function judgeRecording(
  name: string,
  bytes: Buffer,
  expected: RecordingInfo | string | null,
): string[] {
  const info = infoOf(bytes);
  if (typeof info === 'string') return [`${name} is unreadable: ${info}`];
  const problems: string[] = [];
  // A recording that a failed write ended has whole records and no sections behind them.
  const isCutAtEnd = expected === null && info.truncatedAt === bytes.length;
  if ((info.truncatedAt !== null && !isCutAtEnd) || info.skippedBytes > 0)
    problems.push(`${name} is damaged`);
  if (expected === null || typeof expected === 'string') return problems;
  if ((info.records.SAMPLE ?? 0) === 0) problems.push(`${name} without samples`);
  const missing = expected.features.filter((feature) => !info.features.includes(feature));
  // What is left out is said: in a note of the recording, which the terminal shows as well.
  if (missing.length > 0 && info.notes.length <= expected.notes.length) {
    problems.push(`${name} without ${missing.join(', ')} and without a note`);
  }
  // On a whole machine it is chance whether anything ends.
  const byChance = /THROTTLE|LOST|READ|EXIT/;
  const kinds = Object.keys(expected.records).filter((kind) => !byChance.test(kind));
  const absent = kinds.filter((kind) => info.records[kind] === undefined);
  if (absent.length > 0 && info.notes.length <= expected.notes.length)
    problems.push(`${name} without records ${absent.join(', ')}`);
  return problems;
}

/** What a reader makes of it, or why it can't. */
function infoOf(bytes: Buffer): RecordingInfo | string {
  const place = mkdtempSync(join(tmpdir(), 'perf-ts-fault-'));
  try {
    const path = join(place, 'perf.data');
    writeFileSync(path, bytes);
    return readInfo(path);
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
}
