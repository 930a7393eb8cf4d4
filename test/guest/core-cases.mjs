// Cases that have to pass on every kernel. A case records programs whose work is known, and checks what
// the commands print of it. It returns what it found in a few words, and the sentences with which
// perf-ts reported that this kernel lacks something.

import { readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism, hostname, release } from 'node:os';
import { join } from 'node:path';
import { check, checkEqual, checkWithin } from './perf-ts-runs.mjs';
import { serveRecording } from './view-case.mjs';

const FAULTS = 3000;
const MAX_CODE_FAULTS = 2;
const CALLS = 500;
const FORKS = 5;
const WAITS = 20;
const NOBODY = 65534;
/** Number of the system call. */
const GETPPID = { x64: 110, arm64: 173 };

export const CORE_CASES = [
  { name: 'doctor', run: examineMachine },
  { name: 'clock', run: recordClock },
  { name: 'cycles', run: recordCycles },
  { name: 'page-faults', run: recordPageFaults },
  { name: 'script', run: printSamples },
  { name: 'view', run: serveRecording },
  { name: 'periods', run: followPeriod },
  { name: 'counts', run: readCounts },
  { name: 'losses', run: countLosses },
  { name: 'stat', run: countEvents },
  { name: 'off-cpu', run: recordWaits },
  { name: 'tracepoints', run: recordTracepoints },
  { name: 'kernel-code', run: nameKernelCode },
  { name: 'stack-dumps', run: unwindStacks },
  { name: 'all-cpus', run: recordMachine },
  { name: 'overwrite', run: keepLastSamples },
  { name: 'node', run: recordNode },
  { name: 'top', run: watchCommand },
  { name: 'inject', run: shareRecording },
  { name: 'user', run: recordAsUser },
  { name: 'newer-fields', run: askForNewerFields },
];

/** The doctor finds nothing in the way, and names what came with later kernels. */
function examineMachine({ perfTs, isSince }) {
  const { ready, checks } = JSON.parse(perfTs.run(['doctor', '--json']).stdout);
  check(ready === true, 'a machine that is ready to record', checks);
  const stateOf = (name) => checks.find((one) => one.name === name)?.state;
  const failed = checks.filter(({ state }) => state === 'fail').map(({ name }) => name);
  checkEqual(failed.join(), '', 'failed checks');
  // Debian's 5.10 has some of what later versions brought.
  const since = { 'lost-counts': [6, 0], 'counts-with-inherit': [6, 12], 'build-ids': [5, 12] };
  for (const [name, version] of Object.entries(since)) {
    if (isSince(...version)) checkEqual(stateOf(name), 'ok', name);
    else check(['ok', 'warn'].includes(stateOf(name)), `${name} ok or warn`, stateOf(name));
  }
  const missing = checks.filter(({ found }) => /brought it/.test(found)).map(({ found }) => found);
  const warned = checks.filter(({ state }) => state === 'warn').map(({ name }) => name);
  return { found: `ready; warnings: ${warned.join(', ') || 'none'}`, missing };
}

/** A timer at a rate: the busy function is on top, and the weights are the running time. */
function recordClock({ perfTs, workload }) {
  const options = ['-e', 'cpu-clock', '-F', '499', '-g'];
  const summary = perfTs.record('clock', options, [workload, 'burn', '1', '1']);
  checkEqual(summary.lost.samples, 0, 'lost samples');
  const { events, completeness, lostSideband } = perfTs.read('report', 'clock');
  const [{ event, samples, total, rows }] = events;
  checkEqual(event, 'cpu-clock', 'event');
  checkEqual(samples, summary.samples, 'samples in the report');
  // A timer of a guest that has to wait for its CPU is late, and the kernel leaves some out.
  checkWithin(samples, 50, 600, 'samples');
  checkEqual(rows[0].name, 'leaf', 'function on top');
  checkWithin(rows[0].selfShare, 0.6, 1, 'share of leaf');
  checkWithin(completeness.share, 0.8, 1, 'share of complete stacks');
  checkEqual(lostSideband, 0, 'lost side-band');
  const info = perfTs.read('info', 'clock');
  checkEqual(info.kernel, release(), 'kernel in the header');
  checkEqual(info.hostname, hostname(), 'host in the header');
  const { counted, freqHz, mode } = info.events[0];
  checkEqual(`${mode} ${freqHz}`, 'frequency 499', 'mode');
  const [{ ledger }] = perfTs.read('periods', 'clock').events;
  checkEqual(ledger.unaccounted, 0, 'unaccounted time');
  checkEqual(ledger.eventsCounted, counted, 'counted time');
  checkWithin(
    (total + ledger.undividedEvents) / counted,
    0.999,
    1.001,
    'share of weights and rest',
  );
  const share = (100 * rows[0].selfShare).toFixed(1);
  return { found: `${samples} samples, leaf ${share}%` };
}

/** The default event: cycles by an adaptive period, or a timer and a notice where there is no PMU. */
function recordCycles({ perfTs, workload }) {
  const { notices, lost } = perfTs.record('cycles', ['-F', '999'], [workload, 'burn', '1', '1']);
  checkEqual(lost.samples, 0, 'lost samples');
  const [event] = perfTs.read('periods', 'cycles').events;
  checkEqual(event.ledger.unaccounted, 0, 'unaccounted events');
  const [{ rows }] = perfTs.read('report', 'cycles').events;
  checkEqual(rows[0].name, 'leaf', 'function on top');
  const substitute = notices.some((text) => /no hardware counters .* cpu-clock/.test(text));
  checkEqual(event.event, substitute ? 'cpu-clock' : 'cycles:P', 'event');
  if (substitute) return { found: `no PMU: ${event.samples} samples of cpu-clock instead` };
  checkEqual(event.mode, 'frequency', 'mode');
  checkEqual(event.reportedPeriod.rule, 'elapsed', 'rule of the reported period');
  const period = Math.round(event.streams[0].steady.period.median);
  return { found: `${event.samples} samples of cycles, period ${period} settled` };
}

/** One sample for each event: as many as the program makes, by function and in sum. */
function recordPageFaults({ perfTs, workload, isSince }) {
  const command = [workload, 'pf', String(FAULTS), '0'];
  const summary = perfTs.record('faults', ['-e', 'page-faults', '-c', '1', '-g'], command);
  const [{ samples, total, lost, rows }] = perfTs.read('report', 'faults').events;
  checkEqual(summary.lost.samples + lost, 0, 'lost samples');
  checkEqual(rows[0].name, 'page_faults', 'function on top');
  checkWithin(rows[0].self, FAULTS, FAULTS + MAX_CODE_FAULTS, 'events of page_faults');
  checkEqual(total, samples, 'sum of the weights');
  const [{ counted }] = perfTs.read('info', 'faults').events;
  checkEqual(counted, total, "the counter's final value");
  const hasBuildId = mappedWithBuildId(perfTs, 'faults', workload);
  checkEqual(hasBuildId, isSince(5, 12), 'build ID of the program');
  const missing = lacks(summary.notices);
  checkEqual(missing.length, isSince(5, 12) ? 0 : 1, 'notices of missing build IDs');
  if (!hasBuildId) {
    const withIds = perfTs.file('identified');
    perfTs.run(['inject', '--build-ids', '-i', perfTs.file('faults'), '-o', withIds]);
    const listed = perfTs.read('info', 'identified').header.buildIds;
    check(
      listed.some(({ filename }) => filename === workload),
      `inject to add the build ID of ${workload}`,
      listed,
    );
  }
  return { found: `${samples} samples, page_faults ${rows[0].self}`, missing };
}

/** Whether the kernel wrote the build ID of a file into the record of its mapping. */
function mappedWithBuildId(perfTs, name, file) {
  const { stdout } = perfTs.run(['script', '-i', perfTs.file(name), '--show-mmap-events']);
  const line = stdout.split('\n').find((text) => text.includes('MMAP2') && text.endsWith(file));
  return /<[0-9a-f]{40}>/.test(line ?? '');
}

/** The text of samples: a line for each, with its function and callers. */
function printSamples({ perfTs }) {
  const fields = ['-F', 'comm,event,ip,sym'];
  const { stdout } = perfTs.run(['script', '-i', perfTs.file('faults'), ...fields]);
  const stacks = stdout.split('\n\n').filter((text) => text.trim() !== '');
  const ours = stacks.filter((stack) => /^\s*[0-9a-f]+ page_faults\b/m.test(stack));
  // The function's own code may not be in memory yet.
  checkWithin(ours.length, FAULTS, FAULTS + MAX_CODE_FAULTS, 'samples in page_faults');
  check(/^workload +page-faults:/.test(stacks[0]), 'comm and event', stacks[0]);
  check(/^\s*[0-9a-f]+ main\b/m.test(ours[0]), 'its caller main', ours[0]);
  return { found: `${stacks.length} stacks, ${ours.length} in page_faults` };
}

/** An adaptive period: the ledger accounts for every event, and the rule of the period is known. */
function followPeriod({ perfTs, workload }) {
  const command = [workload, 'pf', '60000', '0'];
  perfTs.record('periods', ['-e', 'page-faults', '-F', '2000'], command);
  const [event] = perfTs.read('periods', 'periods').events;
  checkEqual(event.mode, 'frequency', 'mode');
  checkEqual(event.reportedPeriod.rule, 'next', 'rule of the reported period');
  checkEqual(event.ledger.unaccounted, 0, 'unaccounted events');
  checkWithin(event.eventsCounted, 60_000, 60_300, 'counted events');
  checkWithin(event.samples, 50, 20_000, 'samples');
  const [{ total }] = perfTs.read('report', 'periods').events;
  const { tailEvents, unsampledEvents } = event.ledger;
  checkWithin(total + tailEvents + unsampledEvents, 59_990, 60_300, 'weights and tail');
  const mean = Math.round(event.eventsCounted / event.samples);
  return { found: `${event.samples} samples, mean period ${mean}, 0 unaccounted` };
}

/** The counter with each sample: of one thread on all kernels, of inherited events since 6.12. */
function readCounts({ perfTs, workload, isSince }) {
  const options = ['-e', 'page-faults', '-F', '2000', '--counts'];
  const command = [workload, 'pf', '20000', '0'];
  perfTs.record('counts', [...options, '--no-inherit'], command);
  const [single] = perfTs.read('periods', 'counts').events;
  checkEqual(single.reportedPeriod.from, 'counts', 'source of the rule');
  checkEqual(single.ledger.unaccounted, 0, 'unaccounted events');
  const { notices } = perfTs.record('inherited', options, command);
  const [inherited] = perfTs.read('periods', 'inherited').events;
  const isCounted = inherited.reportedPeriod.from === 'counts';
  checkEqual(isCounted, isSince(6, 12), 'counts of inherited events');
  const missing = notices.filter((text) => /Linux 6\.12/.test(text));
  checkEqual(missing.length, isSince(6, 12) ? 0 : 1, 'notices of Linux 6.12');
  return { found: `one thread: counted; inherited: ${isCounted ? 'counted' : 'refused'}`, missing };
}

/** A ring of one page that is emptied too late: what is lost is counted, or at least reported. */
function countLosses({ perfTs, workload }) {
  const options = ['-e', 'page-faults', '-c', '1', '-m', '1', '-g'];
  const environment = { ...process.env, PERF_TS_DRAIN_HOLD_MS: '300' };
  const command = [workload, 'pf', '20000', '0'];
  const { samples, lost } = perfTs.record('losses', options, command, { env: environment });
  check(lost.samples > 0, 'lost samples', lost);
  const { counted, readFormat } = perfTs.read('info', 'losses').events[0];
  checkWithin(counted, 20_000, 20_300, 'counted events');
  const known = samples + lost.samples;
  if (readFormat.includes('LOST')) checkEqual(known, counted, 'samples and lost samples');
  else checkWithin(known, counted * 0.1, counted, 'samples and lost samples');
  const [{ lost: inReport }] = perfTs.read('report', 'losses').events;
  check(inReport > 0, 'lost samples in the report', inReport);
  return { found: `${samples} samples + ${lost.samples} lost of ${counted}` };
}

/** Counts without samples: exact, and the same for the same program. */
function countEvents({ perfTs, workload }) {
  const args = ['stat', '--json', '-o', '-', '-e', 'task-clock,page-faults,context-switches'];
  const faultsOf = (count) => {
    const { stdout } = perfTs.run([...args, '--', workload, 'pf', String(count), '0']);
    const { events } = JSON.parse(stdout);
    check(events[0].count > 0, 'a task-clock above 0', events[0]);
    return events[1].count;
  };
  const difference = faultsOf(2000) - faultsOf(1000);
  checkWithin(difference, 998, 1002, 'page faults that are more');
  return { found: `1000 page faults more are ${difference} more` };
}

/** Waits are as long as the waiting thread measured, and have the kernel's function as their place. */
function recordWaits({ perfTs, waits }) {
  const { reported, notices } = perfTs.record('waits', ['--off-cpu=only'], [waits, String(WAITS)]);
  const own = Object.fromEntries(
    [...reported.matchAll(/(\w+) (\d+)\b/g)].map(([, key, value]) => [key, Number(value)]),
  );
  const [event] = perfTs.read('report', 'waits', '-c', 'waiter', '--limit', '0').events;
  checkEqual(event.event, 'off-cpu', 'event');
  checkEqual(event.lost, 0, 'lost samples');
  const blocked = own.wall - own.cpu;
  checkWithin(event.total / blocked, 0.9, 1.1, 'waits by the time without a CPU');
  const places = { sleep: /nanosleep/, pipe: /pipe_read/, futex: /futex/ };
  for (const [way, pattern] of Object.entries(places)) {
    const rows = event.rows.filter(({ name }) => name.startsWith('[S ') && pattern.test(name));
    const self = rows.reduce((sum, row) => sum + row.self, 0);
    checkWithin(self / own[way], 0.4, 1.05, `share of the ${way} waits`);
  }
  const milliseconds = (event.total / 1e6).toFixed(0);
  return {
    found: `${milliseconds} ms of ${(blocked / 1e6).toFixed(0)} ms`,
    missing: lacks(notices),
  };
}

/** Tracepoints have their fields, read by the kernel's own description of them. */
function recordTracepoints({ perfTs, workload }) {
  const samplesOf = (name, event, command) => {
    perfTs.record(name, ['-e', event, '-c', '1'], [workload, ...command]);
    const { stdout } = perfTs.run(['script', '--json', '--samples', '-i', perfTs.file(name)]);
    return stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).trace?.fields ?? JSON.parse(line).fields);
  };
  const calls = samplesOf('calls', 'syscalls:sys_enter_getppid', ['sys', String(CALLS), '0']);
  checkEqual(calls.length, CALLS, 'calls of getppid');
  checkEqual(calls[0]?.__syscall_nr, GETPPID[process.arch], 'number of the call');
  const forks = samplesOf('forks', 'sched:sched_process_fork', ['forks', String(FORKS), '0']);
  checkEqual(forks.length, FORKS, 'forks');
  checkEqual(forks[0]?.parent_comm, 'workload', 'comm of the parent');
  return { found: `${calls.length} calls, ${forks.length} forks, with their fields` };
}

/** Kernel functions have names. */
function nameKernelCode({ perfTs, workload }) {
  perfTs.record('kernel', ['-e', 'cpu-clock:k', '-F', '499', '-g'], [workload, 'sys', '0', '1']);
  const [{ samples, rows }] = perfTs.read('report', 'kernel', '--limit', '0').events;
  checkWithin(samples, 20, 600, 'samples');
  const kernel = rows.filter(({ dso }) => dso === '[kernel.kallsyms]');
  const unnamed = kernel.filter(({ name }) => /^(0x|\[unknown)/.test(name));
  checkEqual(unnamed.length, 0, 'kernel functions without a name');
  const call = kernel.find(({ name }) => /sys_getppid|do_syscall_64|el0_svc/.test(name));
  check(call !== undefined, 'the system call', kernel.slice(0, 5));
  return { found: `${samples} samples, ${kernel.length} functions, ${call.name} among them` };
}

/** Stack dumps: complete stacks without frame pointers. */
function unwindStacks({ perfTs, workload }) {
  const options = ['-e', 'cpu-clock:u', '-F', '199', '--call-graph', 'dwarf,4096'];
  perfTs.record('dwarf', options, [workload, 'burn', '1', '1']);
  const { completeness, events } = perfTs.read('report', 'dwarf');
  checkWithin(completeness.share, 0.98, 1, 'share of complete stacks');
  const [{ samples, rows }] = events;
  checkEqual(rows[0].name, 'leaf', 'function on top');
  const caller = rows.find(({ name }) => name === 'burn_thread');
  checkWithin(caller?.totalShare, 0.8, 1, 'total of burn_thread');
  return { found: `${samples} stacks, ${(100 * completeness.share).toFixed(0)}% complete` };
}

/** Every CPU of the machine, with the program among the others. */
function recordMachine({ perfTs, workload }) {
  const options = ['-a', '-e', 'cpu-clock', '-F', '499', '--switch-events'];
  const summary = perfTs.record('machine', options, [workload, 'burn', '2', '1']);
  checkEqual(summary.lost.samples, 0, 'lost samples');
  const { records, events } = perfTs.read('info', 'machine');
  const cpus = availableParallelism();
  checkEqual(events[0].sampled.cpus, cpus, 'CPUs');
  const switches = (records.SWITCH ?? 0) + (records.SWITCH_CPU_WIDE ?? 0);
  check(switches > 0, 'records of context switches', records);
  const { rows } = perfTs.read('report', 'machine', '--sort', 'comm').events[0];
  const ours = rows.find((row) => JSON.stringify(row).includes('"workload"'));
  check(ours !== undefined, 'a row of workload', rows.slice(0, 3));
  return { found: `${summary.samples} samples on ${cpus} CPUs, ${switches} switches` };
}

/** A ring that keeps the last samples. */
function keepLastSamples({ perfTs, workload }) {
  const options = ['-e', 'page-faults', '-c', '1', '--overwrite', '-m', '4'];
  perfTs.record('last', options, [workload, 'pf', '20000', '0']);
  const [{ samples, rows }] = perfTs.read('report', 'last').events;
  checkWithin(samples, 50, 5000, 'samples');
  checkEqual(rows[0].name, 'page_faults', 'function on top');
  return { found: `the last ${samples} of 20 000` };
}

const PROGRAM = `
function sumOfProducts(n) {
  let x = 1;
  for (let i = 0; i < n; i++) x = (Math.imul(x, 1664525) + i) | 0;
  return x;
}
const end = Date.now() + 3000;
let sum = 0;
while (Date.now() < end) sum += sumOfProducts(1e5);
`;

/** A Node program: JavaScript functions by name and line, in whole stacks. */
function recordNode({ perfTs, out }) {
  const program = join(out, 'app.cjs');
  writeFileSync(program, PROGRAM);
  const { samples } = perfTs.record('node', ['-F', '199', '-g'], [process.execPath, program]);
  const { events } = perfTs.read('report', 'node', '--limit', '0');
  const [{ event, rows }] = events;
  check(['cycles:P', 'cpu-clock'].includes(event), 'cycles or cpu-clock', event);
  const ours = rows.filter(({ name }) =>
    /sumOfProducts app\.cjs:2|\(anonymous\) app\.cjs/.test(name),
  );
  check(
    ours.some(({ name }) => name.startsWith('sumOfProducts')),
    'sumOfProducts',
    rows.slice(0, 5),
  );
  const share = ours.reduce((sum, { selfShare }) => sum + selfShare, 0);
  checkWithin(share, 0.3, 1, 'share of the loop');
  return { found: `${samples} samples, app.cjs ${(100 * share).toFixed(0)}%` };
}

/** A live table of a command. */
function watchCommand({ perfTs, workload }) {
  const options = ['--json', '-e', 'cpu-clock:u', '-F', '299', '-d', '0.5'];
  const { stdout } = perfTs.run(['top', ...options, '--', workload, 'burn', '1', '2']);
  const tables = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  check(tables.length > 1, 'several tables', tables.length);
  const last = tables.at(-1);
  checkEqual(last.isLast, true, 'end of the tables');
  checkEqual(last.lost, 0, 'lost samples');
  const [row] = last.events[0].rows;
  checkEqual(row.symbol, 'leaf', 'function on top');
  checkWithin(row.selfShare, 0.8, 1, 'share of leaf');
  return { found: `${tables.length} tables, ${last.samples} samples, leaf on top` };
}

/** A recording to hand out: the same samples and weights, and no name of this machine. */
function shareRecording({ perfTs }) {
  const output = perfTs.file('shared');
  const options = ['--strip-kernel', '--anonymize', '--salt', '0123456789abcdef0123456789abcdef'];
  perfTs.run(['inject', '-i', perfTs.file('faults'), '-o', output, ...options]);
  const [before] = perfTs.read('report', 'faults').events;
  const [after] = perfTs.read('report', 'shared').events;
  checkEqual(after.samples, before.samples, 'samples');
  checkEqual(after.total, before.total, 'sum of the weights');
  const bytes = readFileSync(output, 'latin1');
  check(!bytes.includes('workload'), 'no name of the program', 'workload');
  return { found: `${after.samples} samples, without names` };
}

/** An ordinary user: refused above paranoid level 2 with the reason, and user code at 2. */
function recordAsUser({ perfTs, workload }) {
  const setting = '/proc/sys/kernel/perf_event_paranoid';
  const before = readFileSync(setting, 'utf8');
  const asNobody = { uid: NOBODY, gid: NOBODY };
  const options = ['-e', 'cpu-clock', '-F', '199'];
  const command = [workload, 'burn', '1', '1'];
  try {
    let refusal = 'paranoid level 3 is not in this kernel';
    writeFileSync(setting, '3');
    const file = perfTs.file('refused');
    const refused = perfTs.try(['record', '-o', file, ...options, '--', ...command], asNobody);
    if (refused.status !== 0) {
      check(/perf_event_paranoid/.test(refused.stderr), 'the setting', refused.stderr);
      refusal = 'refused at paranoid level 3';
    }
    writeFileSync(setting, '2');
    const { samples, notices } = perfTs.record('user', options, command, asNobody);
    const [{ event, rows }] = perfTs.read('report', 'user').events;
    checkEqual(event, 'cpu-clock:u', 'event');
    checkEqual(rows[0].name, 'leaf', 'function on top');
    return { found: `${refusal}; ${samples} samples of user code at 2`, missing: lacks(notices) };
  } finally {
    writeFileSync(setting, before);
  }
}

/** Fields that came with later kernels: recorded, or refused with the version that has them. */
function askForNewerFields({ perfTs, workload, isSince }) {
  const wishes = [
    { options: ['--code-page-size'], since: [5, 11] },
    { options: ['--data-page-size'], since: [5, 11] },
    { options: ['--all-cgroups'], since: [5, 7] },
    { options: ['-W'], since: [5, 4] },
    { options: ['-e', 'cgroup-switches', '-c', '1'], since: [5, 13] },
  ];
  const missing = [];
  for (const { options, since } of wishes) {
    const events = options.includes('-e') ? [] : ['-e', 'page-faults', '-c', '1'];
    const words = ['record', '--json', '-o', perfTs.file('wish'), ...events, ...options];
    const run = perfTs.try([...words, '--', workload, 'pf', '100', '0']);
    const printed = run.stderr.split('\n').filter((line) => line.startsWith('perf-ts:'));
    if (isSince(...since)) {
      checkEqual(run.status, 0, `status of ${options.join(' ')} (${printed.join(' ')})`);
      continue;
    }
    const version = `Linux ${since.join('.')}`;
    const sentence = printed.find((line) => line.includes(version));
    check(sentence !== undefined, `${version} in the message for ${options.join(' ')}`, run.stderr);
    missing.push(sentence.replace('perf-ts: ', ''));
  }
  return { found: `${wishes.length - missing.length} of ${wishes.length} recorded`, missing };
}

function lacks(notices) {
  return notices.filter((text) => /Linux \d/.test(text));
}
