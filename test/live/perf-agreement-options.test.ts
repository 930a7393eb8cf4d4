// Recordings made with each option of `perf record` and of `perf-ts record` that changes what is in
// the file, read by both tools: the same samples in the same order, and the same reports.

import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { closeSync, openSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { type HowToRead, type Reading, readByBoth } from '../helpers/both-tools.ts';
import { CLI, cleanEnvironment, findPerf, scratchDirectory } from '../helpers/cli.ts';
import { compileWorkload } from '../helpers/compile.ts';
import { describeLive } from '../helpers/live.ts';
import {
  differences,
  mergeLines,
  movedSamples,
  shareDifferences,
} from '../helpers/perf-reference.ts';
import { sampleText, summarize, withCountedPeriods } from '../helpers/perf-samples.ts';
import { hasForeignRoots, until } from '../helpers/tasks.ts';

const TOP = 20;
/**
 * A sample now and then lies where the two are known to differ: in the middle of an exec (perf keeps
 * the mappings of the old program), or behind a call that ends a function. What differs by rule
 * differs in more.
 */
const MOST_MOVED = 2;
const CLOCK = ['-e', 'cpu-clock', '-F', '2000'];
const scratch = scratchDirectory();

type Case = HowToRead & {
  readonly flags: readonly string[];
  readonly command?: Command;
  readonly isStream?: boolean;
  /** What the tools say differently, and why. */
  readonly differs?: 'counted periods' | 'unnamed kernel';
};

/**
 * - mixed: a shell, a child that makes page faults, and one with threads that give way.
 * - faults: one thread that makes page faults; for events that children do not inherit.
 * - attach: nothing; a process that runs already is recorded.
 */
type Command = 'mixed' | 'faults' | 'attach' | 'lasting';

const EVENTS = ['-e', 'cpu-clock,page-faults,context-switches', '-F', '2000'];
const READ_GROUP = ['-e', '{cpu-clock,page-faults}:S', '-F', '4000'];

const BY_PERF: Readonly<Record<string, Case>> = {
  'a frequency': { flags: CLOCK },
  'a fixed period': { flags: ['-e', 'cpu-clock', '-c', '700000'] },
  'all CPUs': { flags: [...CLOCK, '-a', '--switch-events'] },
  'one CPU': { flags: [...CLOCK, '-C', '0'] },
  'call chains': { flags: [...CLOCK, '-g'] },
  'copied stacks': { flags: ['-e', 'cpu-clock', '-F', '500', '--call-graph', 'dwarf,4096'] },
  compressed: { flags: [...CLOCK, '-g', '-z'] },
  'a stream': { flags: [...CLOCK, '-g'], isStream: true },
  'a compressed stream': { flags: [...CLOCK, '-g', '-z'], isStream: true },
  switches: { flags: [...CLOCK, '--switch-events'] },
  'a group read with its leader': {
    flags: READ_GROUP,
    command: 'faults',
    differs: 'counted periods',
  },
  'a group': { flags: ['-e', '{cpu-clock,page-faults}', '-c', '100000'] },
  'several events': { flags: EVENTS },
  'a tracepoint': { flags: ['-e', 'sched:sched_switch'] },
  'tracepoints with call chains': {
    flags: ['-e', 'raw_syscalls:sys_enter,sched:sched_process_exec', '-g'],
  },
  namespaces: { flags: [...CLOCK, '--namespaces', '--all-cgroups'] },
  overwritten: { flags: [...CLOCK, '--overwrite', '-m', '4'] },
  'one ring per thread': {
    flags: [...CLOCK, '--per-thread'],
    command: 'faults',
    isTimeless: true,
  },
  'a running process': { flags: CLOCK, command: 'attach' },
  'user code': { flags: [...CLOCK, '--all-user', '-g'], command: 'lasting' },
  'all build IDs': { flags: [...CLOCK, '--buildid-all'] },
  'build IDs in mappings': { flags: [...CLOCK, '--buildid-mmap'] },
  'a directory of files': { flags: [...CLOCK, '--threads'] },
  'weights and registers': { flags: [...CLOCK, '-W', '--intr-regs', '--user-regs=ax,sp,ip'] },
  'addresses of data': {
    flags: ['-e', 'page-faults', '-c', '7', '--data', '--phys-data', '--data-page-size'],
  },
  'final counts of threads': { flags: [...CLOCK, '-s'] },
  'no children': { flags: [...CLOCK, '-i'], command: 'faults' },
  'another clock': { flags: [...CLOCK, '-k', 'CLOCK_BOOTTIME'] },
  'small rings': { flags: ['-e', 'cpu-clock', '-F', '20000', '-g', '-m', '1'] },
  'side-band last': { flags: [...CLOCK, '--tail-synthesize'], differs: 'unnamed kernel' },
  'a delay': { flags: [...CLOCK, '-D', '20'], command: 'lasting' },
};

/** Of all CPUs without build IDs, which would get into the recordings of perf beside it. */
const BY_US: Readonly<Record<string, Case>> = {
  'a frequency': { flags: CLOCK },
  'a fixed period': { flags: ['-e', 'cpu-clock', '-c', '700000'] },
  'all CPUs': { flags: [...CLOCK, '-a', '-B'] },
  'call chains': { flags: [...CLOCK, '-g'] },
  'a stream': { flags: [...CLOCK, '-g'], isStream: true },
  'a group read with its leader': {
    flags: [...READ_GROUP, '-i'],
    command: 'faults',
    differs: 'counted periods',
  },
  'a group': { flags: ['-e', '{cpu-clock,page-faults}', '-c', '100000'] },
  'a tracepoint': { flags: ['-e', 'sched:sched_switch', '-c', '1'] },
  'tracepoints with call chains': {
    flags: ['-e', 'raw_syscalls:sys_enter,sched:sched_process_exec', '-c', '1', '-g'],
  },
  'a running process': { flags: [...CLOCK, '--duration', '0.1'], command: 'attach' },
  'user code': { flags: ['-e', 'cpu-clock:u', '-F', '2000', '-g'], command: 'lasting' },
  counts: { flags: [...CLOCK, '--counts', '-i'], command: 'faults', differs: 'counted periods' },
  'no children': { flags: [...CLOCK, '-i'], command: 'faults' },
  'another clock': { flags: [...CLOCK, '-k', 'boottime'] },
  'small rings': { flags: ['-e', 'cpu-clock', '-F', '20000', '-g', '-m', '1'] },
  'a delay': { flags: [...CLOCK, '-D', '20'], command: 'lasting' },
  switches: { flags: [...CLOCK, '--switch-events'] },
  'switches of all CPUs': { flags: [...CLOCK, '-a', '-B', '--switch-events'] },
  namespaces: { flags: [...CLOCK, '--namespaces', '--all-cgroups'] },
  'weights and registers': { flags: [...CLOCK, '-W', '--intr-regs', '--user-regs=ax,sp,ip'] },
  'addresses of data': {
    flags: ['-e', 'page-faults', '-c', '7', '--data', '--phys-data', '--data-page-size'],
  },
  overwritten: { flags: [...CLOCK, '--overwrite', '-m', '4', '-F', '10000'] },
  'one ring per thread': { flags: [...CLOCK, '--per-thread'], command: 'faults' },
  'a control group': { flags: [...CLOCK, '-a', '-B', '-G', '/'] },
  'no build IDs': { flags: [...CLOCK, '-B', '--all-user'], command: 'lasting' },
};

function commandOf(command: Command, program: string): string[] {
  const workload = compileWorkload();
  if (command === 'faults') return [workload, 'pf', '40000'];
  // However late the recorder comes to count: faults take CPU time of their own, which waits as it does.
  if (command === 'lasting') {
    return ['sh', '-c', `'${workload}' threads 3 0.3; '${workload}' pf 200000`];
  }
  if (command === 'mixed')
    return ['sh', '-c', `'${workload}' pf 3000; '${workload}' threads 3 0.05`];
  // With a process, the command of perf is for how long; perf-ts has an option for that.
  return program === 'perf' ? ['sleep', '0.1'] : [];
}

const running: ChildProcess[] = [];
afterEach(() => {
  for (const child of running.splice(0)) child.kill('SIGKILL');
});

/** A process of three threads that compute until the test is over. */
async function target(): Promise<string> {
  const child = spawn(compileWorkload(), ['burn', '2', '300'], { stdio: 'ignore' });
  running.push(child);
  await until(() => readdirSync(`/proc/${child.pid}/task`).length === 3);
  return String(child.pid);
}

/** Records one case. Returns the file. */
async function record(words: readonly string[], name: string, options: Case): Promise<string> {
  const file = join(scratch, `${name}.data`);
  const { command = 'mixed' } = options;
  const attached = command === 'attach' ? ['-p', await target()] : [];
  const flags = [...options.flags, ...attached, '-o', options.isStream ? '-' : file];
  const out = options.isStream ? openSync(file, 'w') : null;
  const [program = '', ...before] = words;
  const recorded = commandOf(command, program);
  const run = spawnSync(program, [...before, 'record', '-q', ...flags, '--', ...recorded], {
    stdio: ['ignore', out ?? 'ignore', 'pipe'],
    encoding: 'utf8',
    env: cleanEnvironment(),
  });
  if (out !== null) closeSync(out);
  expect(run.status, run.stderr).toBe(0);
  return file;
}

async function expectAgreement(file: string, options: Case): Promise<void> {
  const pipe = options.isStream ? readFileSync(file) : undefined;
  const both = await readByBoth(file, { ...options, ...(pipe && { pipe }) });
  const { theirs, ours } = explained(both, options.differs);
  expect(summarize(ours.samples)).toEqual(summarize(theirs.samples));
  expect(ours.samples.map(sampleText)).toEqual(theirs.samples.map(sampleText));
  expect(ours.samples.length).toBeGreaterThan(0);

  const sums = ({ tables }: Reading) =>
    tables.map(({ event, samples, period }) => ({ event, samples, period }));
  expect(sums(ours)).toEqual(sums(theirs));
  for (const [index, table] of ours.tables.entries()) {
    const their = theirs.tables[index];
    const moved = movedSamples(their, table);
    if (moved > 0 && moved <= MOST_MOVED) continue;
    expect(differences(their, table)).toEqual([]);
    expect(shareDifferences(their, table, TOP)).toEqual([]);
  }
}

type Both = { readonly theirs: Reading; readonly ours: Reading };

/**
 * Both readings without what is known to differ, all else left in.
 *
 * - counted periods: where samples read their counters, perf takes for a period what was counted
 *   since the sample before. `report --weight period` does so, too; the JSON of `script` has the
 *   period that the kernel reported and the counts besides, and a record once, where perf has it once
 *   for each member of the group. They must be the same counts. Only recordings without inheritance are compared: perf before 6.12
 *   takes the counts of all threads for those of one, and its differences are nonsense then.
 * - unnamed kernel: `--tail-synthesize` puts the mapping of the kernel behind the samples, and perf
 *   has no names for what was in kernel code before it. The kernel was there all the time.
 */
function explained(both: Both, differs: Case['differs']): Both {
  const { theirs, ours } = both;
  if (differs === 'counted periods') {
    const leader = ours.tables[0].event;
    const leaderOnly = theirs.samples.filter(({ event }) => event === leader);
    // perf leaves a member out where it counted nothing since the sample before.
    const ofTables = theirs.tables.reduce((sum, { samples }) => sum + samples, 0);
    expect(theirs.samples.length).toBe(ofTables);
    return {
      theirs: { samples: leaderOnly, tables: theirs.tables },
      ours: { samples: withCountedPeriods(ours.samples), tables: ours.tables },
    };
  }
  if (differs === 'unnamed kernel') {
    const kernelAsOne = ({ samples, tables }: Reading): Reading => ({
      samples,
      tables: tables.map((table) => mergeLines(table, /^\[(kernel\.kallsyms|unknown)\] /)),
    });
    expect(ours.tables[0].lines.has('[unknown] [unknown]')).toBe(false);
    return { theirs: kernelAsOne(theirs), ours: kernelAsOne(ours) };
  }
  return both;
}

/** Files of processes in other roots are other files, for perf and for us. */
const seesOthers = !hasForeignRoots();

const casesOf = (cases: Readonly<Record<string, Case>>) =>
  Object.entries(cases).map(([name, options]) => ({ name, options }));

describeLive('perf and perf-ts agree about what perf records with', () => {
  test.skipIf(!findPerf()).for(casesOf(BY_PERF))('$name', async ({ name, options }, { skip }) => {
    const isOfOthers = options.flags.some((flag) => flag === '-a' || flag === '-C');
    skip(isOfOthers && !seesOthers, 'processes with other roots run here');
    await expectAgreement(await record(['perf'], `perf ${name}`, options), options);
  });
});

describeLive('perf and perf-ts agree about what perf-ts records with', () => {
  test.skipIf(!findPerf()).for(casesOf(BY_US))('$name', async ({ name, options }, { skip }) => {
    const isOfOthers = options.flags.includes('-a');
    skip(isOfOthers && !seesOthers, 'processes with other roots run here');
    const words = [process.execPath, CLI];
    await expectAgreement(await record(words, `perf-ts ${name}`, options), options);
  });
});
