// The attrs of our recordings beside perf's, for the same options, both as `perf evlist -v` prints
// them. Where they differ for a reason that all events share:
//
//   size             perf stores the struct of its own headers; we the smallest version that holds
//                    what is set, since perf refuses a larger one than its own
//   sample_type      ours has CPU always (streams are per CPU), STREAM_ID (each instance of an event
//                    has a period of its own) and IDENTIFIER, which says the event at a fixed place;
//                    perf takes ID, inside the sample, where one event needs no telling apart
//   read_format      ours has both times, for scaling and for weights in time
//   disabled,        set by the native worker as the target needs it: how an event was switched on is
//   enable_on_exec   no property of the recording
//   clockid          ours is CLOCK_MONOTONIC, which jitdump and Node use; perf's is the scheduler's
//   sample_freq      where none is asked for, ours is a prime near to perf's 4000
//   mmap, mmap_data … ours are on the side-band event alone, with rings of its own
//
// All others are drawn at their test.

import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { DEFAULT_FREQUENCY_HZ } from '../../src/options/record.ts';
import { findPerf, perfTs, scratchDirectory } from '../helpers/cli.ts';
import { describeLive } from '../helpers/live.ts';
import { runPerfRecord } from '../helpers/perf-record.ts';

const SIDEBAND = ['mmap', 'comm', 'task', 'mmap2', 'comm_exec', 'ksymbol', 'bpf_event'];
const ON_WISH = ['mmap_data', 'context_switch', 'namespaces', 'cgroup'];
const SHARED = ['size', 'disabled', 'enable_on_exec', 'use_clockid', 'clockid', 'build_id'].concat(
  SIDEBAND,
  ON_WISH,
);
const SHARED_BITS: Readonly<Record<string, readonly string[]>> = {
  sample_type: ['CPU', 'STREAM_ID', 'IDENTIFIER', 'ID'],
  read_format: ['TOTAL_TIME_ENABLED', 'TOTAL_TIME_RUNNING'],
};

const RATE = '{ sample_period, sample_freq }';

const scratch = scratchDirectory();

/** The line of an event as perf prints it: field -> value. */
type Line = { readonly name: string; readonly fields: ReadonlyMap<string, string> };

function attrsOf(file: string): Line[] {
  const text = execFileSync('perf', ['evlist', '-v', '-i', file], { encoding: 'utf8' });
  const lines = text.split('\n').filter((line) => line.includes(': type: '));
  return lines.map((line) => {
    const nameEnd = line.indexOf(': type: ');
    const matches = line.slice(nameEnd + 2).matchAll(/(\{[^}]*\}|\w+): ([^,]+)/g);
    const fields = [...matches].map((match) => [match[1], match[2]?.trim()] as [string, string]);
    return { name: line.slice(0, nameEnd), fields: new Map(fields) };
  });
}

/** Fields that differ for no shared reason, `field: perf's -> ours`, with bits as `+` and `-`. */
function differences(theirs: Line, ours: Line): string[] {
  const found: string[] = [];
  const names = new Set([...theirs.fields.keys(), ...ours.fields.keys()]);
  for (const name of names) {
    if (SHARED.includes(name)) continue;
    const [their, our] = [theirs.fields.get(name), ours.fields.get(name)];
    const shared = SHARED_BITS[name];
    if (shared === undefined) {
      if (name === RATE && their === '4000' && our === String(DEFAULT_FREQUENCY_HZ)) continue;
      if (their !== our) found.push(`${name}: ${their ?? 'unset'} -> ${our ?? 'unset'}`);
      continue;
    }
    const bits = (value = '') => value.split('|').filter((bit) => !shared.includes(bit));
    for (const bit of bits(our)) if (!bits(their).includes(bit)) found.push(`${name}: +${bit}`);
    for (const bit of bits(their)) if (!bits(our).includes(bit)) found.push(`${name}: -${bit}`);
  }
  return found;
}

/** Both recordings of the same command line; the side-band event apart. */
function recordBoth(options: readonly string[]) {
  const [theirFile, ourFile] = [join(scratch, 'theirs.data'), join(scratch, 'ours.data')];
  runPerfRecord(['-o', theirFile, ...options, '--', 'true']);
  const outcome = perfTs(['record', '-q', '-o', ourFile, ...options, '--', 'true']);
  expect(outcome.stderr).toBe('');
  const isDummy = ({ name }: Line) => name.startsWith('dummy');
  const [theirs, ours] = [attrsOf(theirFile), attrsOf(ourFile)];
  return {
    theirs: theirs.filter((line) => !isDummy(line)),
    ours: ours.filter((line) => !isDummy(line)),
    sideband: ours.find(isDummy) as Line,
  };
}

// Newer ones print types by name and have defaults of their own.
const isReference =
  findPerf() !== null &&
  execFileSync('perf', ['--version'], { encoding: 'utf8' }).includes(' 6.1.');
const hasTracepoints = existsSync('/sys/kernel/tracing/events/sched');

describeLive('the attrs of a recording', () => {
  it.skipIf(!isReference)('attrs carry the side-band on a separate event', () => {
    const { theirs, ours, sideband } = recordBoth(['-e', 'cpu-clock']);
    const carried = ({ fields }: Line) => SIDEBAND.filter((name) => fields.get(name) === '1');
    expect(carried(theirs[0])).toEqual(SIDEBAND);
    expect(carried(ours[0])).toEqual([]);
    expect(carried(sideband)).toEqual(SIDEBAND);
  });

  it.skipIf(!isReference).each<[string, Record<string, string[]>]>([
    ['-e cpu-clock', { 'cpu-clock': [] }],
    ['-e cpu-clock:u,page-faults -F 999 -g', { 'cpu-clock:u': [], 'page-faults': [] }],
    // perf adds ADDR and DATA_SRC only because it wants mappings of data.
    [
      '-e cpu-clock --call-graph dwarf',
      { 'cpu-clock': ['sample_type: -ADDR', 'sample_type: -DATA_SRC'] },
    ],
    [
      '-e cpu-clock/call-graph=dwarf,stack-size=1000/,page-faults',
      {
        'cpu-clock/call-graph=dwarf,stack-size=1000/': [
          'sample_type: -ADDR',
          'sample_type: -DATA_SRC',
        ],
        'page-faults': [],
      },
    ],
    ['-e page-faults -c 1000', { 'page-faults': [] }],
    // At a period of 1 the field makes no difference to the sampling, and says what one counted for.
    ['-e page-faults -c 1', { 'page-faults': ['sample_type: +PERIOD'] }],
    ['-e mem:0x1000:rw', { 'mem:0x1000:rw': ['sample_type: +PERIOD'] }],
    ['-e cpu-clock -i', { 'cpu-clock': [] }],
    // On whole CPUs there is nobody to inherit from. Build IDs would get into other recordings.
    ['-e cpu-clock -a -B', { 'cpu-clock': ['inherit: 1 -> unset'] }],
    [
      '-e cpu-clock/freq=77,call-graph=fp,max-stack=5/,task-clock/period=23456,no-inherit/',
      {
        'cpu-clock/freq=77,call-graph=fp,max-stack=5/': [],
        'task-clock/period=23456,no-inherit/': [],
      },
    ],
    ['-e cpu-clock --all-user -d --phys-data --data-page-size', { 'cpu-clock': [] }],
    ['-e cpu-clock --all-kernel -W -R --code-page-size --intr-regs', { 'cpu-clock': [] }],
    ['-e cpu-clock --user-regs=ax,sp,ip --intr-regs=r8,flags --all-cgroups', { 'cpu-clock': [] }],
    // perf leaves the flag on with a frequency of 0.
    ['-e cpu-clock -n --user-regs', { 'cpu-clock': ['freq: 1 -> unset'] }],
    ['-e {cpu-clock,page-faults}', { 'cpu-clock': [], 'page-faults': [] }],
    // perf 6.1 samples only the first thread of a group with S, and does not say so.
    [
      '-e {cpu-clock,page-faults}:S',
      { 'cpu-clock': ['inherit: unset -> 1'], 'page-faults': ['inherit: unset -> 1'] },
    ],
    ['-e {cpu-clock,page-faults}:S -i -c 100000', { 'cpu-clock': [], 'page-faults': [] }],
  ])("attrs equal perf's: %s", (options, expected) => {
    const { theirs, ours } = recordBoth(options.split(' '));
    expect(ours.map(({ name }) => name)).toEqual(theirs.map(({ name }) => name));
    const found = ours.map((line, i) => [line.name, differences(theirs[i], line)]);
    expect(Object.fromEntries(found)).toEqual(expected);
  });

  it.skipIf(!isReference)(
    'attrs of the side-band event ask for the records that perf asks for',
    () => {
      const options = ['--switch-events', '--namespaces', '--all-cgroups', '-d'];
      const { theirs, ours, sideband } = recordBoth(['-e', 'cpu-clock', ...options]);
      const carried = ({ fields }: Line) => ON_WISH.filter((name) => fields.get(name) === '1');
      expect(carried(theirs[0])).toEqual(ON_WISH);
      expect(carried(ours[0])).toEqual([]);
      expect(carried(sideband)).toEqual(ON_WISH);
    },
  );

  it.skipIf(!isReference || !hasTracepoints).each<[string, Record<string, string[]>]>([
    ['-e sched:sched_switch', { 'sched:sched_switch': [] }],
    ['-e sched:sched_switch -F 100', { 'sched:sched_switch': [] }],
    // With the field the kernel would sample every event, and does for perf.
    ['-e sched:sched_switch -c 2', { 'sched:sched_switch': ['sample_type: -PERIOD'] }],
  ])("attrs of tracepoints equal perf's: %s", (options, expected) => {
    const { theirs, ours } = recordBoth(options.split(' '));
    const found = ours.map((line, i) => [line.name, differences(theirs[i], line)]);
    expect(Object.fromEntries(found)).toEqual(expected);
  });
});
