// Every field of every record, ours against `perf report -D`: on the recordings of others, and on
// recordings made here with each option of perf that works without hardware counters.

import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { withRecording } from '../../src/read/open-recording.ts';
import { findPerf, scratchDirectory } from '../helpers/cli.ts';
import { compileWorkload } from '../helpers/compile.ts';
import { CORPORA, hasCorpora, isFuzzed, perfDataCorpora } from '../helpers/corpora.ts';
import { describeLive } from '../helpers/live.ts';
import { type Dump, ourDump, perfDump } from '../helpers/perf-dump.ts';
import { runPerfRecord } from '../helpers/perf-record.ts';

const scratch = scratchDirectory();
const hasPerf = findPerf() !== null;

/** MMAP2 without `prot` and `flags`, which perf reads as if it had them. */
const PERF_MISREADS: Readonly<Record<string, RegExp>> = {
  'KDAB+hotspot/perf.data.true.v2': /^MMAP2/,
};

/** The records that both print, and how many samples these are. */
function compared(file: string): { ours: Dump; theirs: Dump; samples: number } | null {
  const theirs = perfDump(file);
  if (theirs === null) return null;
  const ours = withRecording(file, ourDump);
  const only = (dump: Dump) =>
    new Map([...dump].filter(([offset]) => ours.has(offset)).sort(([a], [b]) => a - b));
  const samples = [...theirs.values()].filter((text) => text.startsWith('SAMPLE')).length;
  return { ours, theirs: only(theirs), samples };
}

const files = perfDataCorpora().filter(
  (entry) =>
    !isFuzzed(entry) &&
    // Offsets mean something else in streams and inside compressed records.
    entry.walk.mode === 'file' &&
    entry.walk.counts.COMPRESSED === undefined,
);

describe.skipIf(!hasPerf || !hasCorpora)('records of the corpora as perf dumps them', () => {
  test.each(files.map((entry) => [entry.file, entry] as const))('%s', (file, entry) => {
    const result = compared(join(CORPORA, file));
    if (result === null) {
      expect(entry['perf_6.1.187']?.dump?.rc, 'perf refuses what it has read before').not.toBe(0);
      return;
    }
    const wrong = PERF_MISREADS[file];
    const right = (dump: Dump) =>
      Object.fromEntries([...dump].filter(([, text]) => wrong === undefined || !wrong.test(text)));
    expect(right(result.ours)).toEqual(right(result.theirs));
  });
});

describeLive('records of live recordings as perf dumps them', () => {
  const options: readonly (readonly [name: string, flags: readonly string[]])[] = [
    [
      'user and interrupt registers',
      ['-e', 'cpu-clock', '--user-regs=ax,sp,ip,r15', '--intr-regs'],
    ],
    ['copied stacks', ['-e', 'cpu-clock', '--call-graph', 'dwarf,2048']],
    ['addresses and page sizes', ['-e', 'page-faults', '-c', '10', '-d', '--data-page-size']],
    ['physical addresses and code pages', ['-e', 'faults', '--phys-data', '--code-page-size']],
    ['weights', ['-e', 'page-faults', '-c', '10', '-W']],
    ['switches', ['-e', 'cpu-clock', '--switch-events']],
    ['switches of all CPUs', ['-a', '-e', 'cpu-clock', '--switch-events']],
    ['namespaces and cgroups', ['-e', 'cpu-clock', '--namespaces', '--all-cgroups']],
    ['a group read with its leader', ['-e', '{cpu-clock,page-faults}:S']],
    ['ids, CPUs and callchains', ['-e', 'cpu-clock', '-g', '--sample-cpu', '--sample-identifier']],
    ['final counts of threads', ['-e', 'task-clock,page-faults', '-s']],
    ['tracepoint data', ['-e', 'sched:sched_switch', '-g']],
  ];
  test.skipIf(!hasPerf).each(options)('%s', (name, flags) => {
    const file = join(scratch, `${name.replaceAll(' ', '-')}.data`);
    const program = compileWorkload();
    // The kernel writes final counts into the rings of other CPUs, and destroys what those write
    // at that moment: one CPU has nobody to meet.
    const place = flags.includes('-s') ? { cpu: 0 } : {};
    runPerfRecord(['-o', file, ...flags, '--', program, 'threads', '3', '0.2'], place);
    const result = compared(file);
    if (result === null) throw new Error('perf can not read what it recorded');
    expect(result.samples).toBeGreaterThan(0);
    const types = new Set([...result.ours.values()].map((text) => /^\w+/.exec(text)?.[0]));
    expect(types).toContain(name === 'final counts of threads' ? 'READ' : 'SAMPLE');
    expect(Object.fromEntries(result.ours)).toEqual(Object.fromEntries(result.theirs));
  });
});
