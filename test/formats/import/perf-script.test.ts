import { describe, expect, it } from 'vitest';
import { memorySource } from '../../../src/base/byte-source.ts';
import { writeFolded } from '../../../src/formats/export/folded.ts';
import type { ImportedProfile } from '../../../src/formats/import/imported-profile.ts';
import { importPerfScript } from '../../../src/formats/import/perf-script.ts';
import { checkProfile } from '../../helpers/check-profile.ts';
import { collect } from '../../helpers/round-trip.ts';

function imported(...lines: readonly string[]): ImportedProfile {
  const result = importPerfScript(memorySource(new TextEncoder().encode(lines.join('\n'))));
  checkProfile(result.profile);
  return result;
}

function folded({ profile }: ImportedProfile, event = 0): string[] {
  const weights = {
    kind: 'period',
    unit: 'events',
    values: new Float64Array(profile.samples.periodEvents),
  } as const;
  const text = collect((write) => writeFolded(profile, weights, { select: { event } }, write));
  return text.split('\n').filter((line) => line !== '');
}

describe('the text of perf script', () => {
  it('a head line is a sample, its frames innermost first', () => {
    const result = imported(
      'dd 29776/29777 [003] 666709.771979:   10101010 cpu-clock: ',
      '\t          414b3b fsnotify+0x1b (/lib/modules/4.1.0-virtual/build/vmlinux)',
      '\t           e5f70 read (/lib/x86_64-linux-gnu/libc-2.15.so)',
      '',
      'V8 WorkerThread 1/2 [000] 666709.782978123:    5 cpu-clock: ',
      '\t    7f0000001234 [unknown] (/memfd:x (deleted))',
    );
    expect(folded(result)).toEqual([
      'V8_WorkerThread;[memfd:x (deleted)] 5',
      'dd;read;fsnotify 10101010',
    ]);
    const { profile } = result;
    expect([...profile.samples.timeNs]).toEqual([0, 10_999_123]);
    expect([...profile.samples.cpu]).toEqual([3, 0]);
    expect(profile.threads).toEqual([
      { pid: 29776, tid: 29777, generation: 0, comm: 'dd' },
      { pid: 1, tid: 2, generation: 0, comm: 'V8 WorkerThread' },
    ]);
    expect(profile.dsos.map(({ kind }) => kind)).toEqual(['user', 'kernel', 'user']);
    expect([...profile.frames.address]).toEqual([0xe5f70, 0x414b3b, 0x7f0000001234]);
    expect(profile.meta.startTime).toBe('666709771979000');
  });

  it('a sample without a callchain has its one frame behind the event', () => {
    const result = imported(
      '         swapper     0 [001]   100.000001:     250000 cycles:  ffffffff8103ce3b native_safe_halt+0x6 ([kernel.kallsyms])',
      '              bc   123 [000]   100.000002:     250000 cycles:          4005d0 main+0x10 (/usr/bin/bc)',
    );
    expect(folded(result)).toEqual(['bc;main 250000', 'swapper;native_safe_halt 250000']);
    expect(result.diagnostics.entries()).toEqual([]);
    expect(Math.min(...result.profile.frames.address)).toBe(-0x7efc31c5);
  });

  it('the text may have several events, each with its own samples', () => {
    const result = imported(
      'a 1 2.000001: 7 cycles:u: ',
      '\t 1 f (/a)',
      '',
      'a 1 2.000002: 3 instructions:u: ',
      '\t 2 g (/a)',
    );
    expect(result.profile.events.map(({ name, fixedPeriod }) => [name, fixedPeriod])).toEqual([
      ['cycles:u', 7],
      ['instructions:u', 3],
    ]);
    expect(folded(result, 0)).toEqual(['a;f 7']);
    expect(folded(result, 1)).toEqual(['a;g 3']);
  });

  it('the text of perf script prints the fields of a tracepoint behind its name', () => {
    const result = imported(
      'sh 5 [001] 9.000001: sched:sched_switch: prev_comm=sh prev_pid=5 ==> next_comm=cc',
      '\tffffffff81000000 schedule ([kernel.kallsyms])',
    );
    expect(result.profile.events[0]).toMatchObject({ name: 'sched:sched_switch', type: 2 });
    expect(folded(result)).toEqual(['sh;schedule 1']);
  });

  it('inlined calls stand in front of the function that they are part of', () => {
    const { profile } = imported(
      'a 1 2.000001: 7 cycles: ',
      '\t 4010a2 std::max (inlined)',
      '\t 4010a2 work (inlined)',
      '\t 4010a2 main+0x12 (/a)',
    );
    const names = [...profile.frames.func].map((func) => profile.strings[profile.funcs.name[func]]);
    expect(names).toEqual(['main', 'work', 'std::max']);
    expect([...profile.frames.inlineDepth]).toEqual([0, 1, 2]);
    expect(profile.dsos.map(({ path }) => path)).toEqual(['/a']);
    expect([...profile.frames.dso]).toEqual([0, 0, 0]);
  });

  it('the text of perf script splits inlined calls of JIT code, and leaves the arrows of C++ alone', () => {
    const result = imported(
      'java 1 2.000001: 1 cycles: ',
      '\t 7f01 LFoo;::run->LBar;::call (/tmp/perf-1.map)',
      '\t 4010 Ptr::operator->+0x2 (/a)',
    );
    expect(folded(result)).toEqual(['java;Ptr::operator->;LFoo:::run;LBar:::call 1']);
  });

  it('the text of perf script keeps two functions at one address apart', () => {
    const result = imported(
      'a 1 2.000001: 1 cycles: ',
      '\t 7f01 first (/tmp/perf-1.map)',
      '',
      'a 1 2.000002: 1 cycles: ',
      '\t 7f01 second (/tmp/perf-1.map)',
    );
    expect(folded(result)).toEqual(['a;first 1', 'a;second 1']);
  });

  it('calls JIT code by its process, not by the file with its names', () => {
    const result = imported('a 12 2.000001: 1 cycles: ', '\t 7f01 [unknown] (/tmp/perf-12.map)');
    expect(result.profile.dsos.map(({ kind, name }) => [kind, name])).toEqual([
      ['jit', '[JIT] tid 12'],
    ]);
    expect(folded(result)).toEqual(['a;[JIT] tid_12 1']);
  });

  it('imported perf script text lists what it lacks, and invents nothing', () => {
    const { profile } = imported('a 1 cycles: ', '\t 1 f (/a)', '', 'a 1 cycles: ', '\t 1 f (/a)');
    expect(profile.meta.notes).toEqual([
      'read from the text of perf script: losses and streams are not known',
      'no sample has a time',
      'no sample has a CPU',
      'no sample has a pid, only a tid',
      'no sample has a period: such a sample counts as 1',
    ]);
    expect(profile.threads).toEqual([{ pid: -1, tid: 1, generation: 0, comm: 'a' }]);
    expect(profile.events.map(({ lacksPeriods }) => lacksPeriods)).toEqual([true]);
    expect([...profile.samples.cpu]).toEqual([-1, -1]);
  });

  it('samples of a clock without periods are no nanoseconds', () => {
    const unitOf = (head: string) => imported(head, '\t 1 f (/a)').profile.events[0].unit;
    expect(unitOf('a 1 5.000000: 1003009 cpu-clock: ')).toBe('nanoseconds');
    expect(unitOf('a 1 5.000000: cpu-clock: ')).toBe('events');
  });

  it('numbers of perf script text that no kernel has are counted, and not used', () => {
    const huge = '9'.repeat(400);
    const { profile, diagnostics } = imported(
      'a 1/2 [003] 5.000000: 7 cycles: ',
      '\t    7f0000001234 main (/bin/a)',
      '',
      `a 1/${huge} [${huge}] ${huge}.000000: 8 cycles: `,
      '\t    7f0000001234 main (/bin/a)',
      '',
      `a 1/2 [003] 6.000000: ${huge} cycles: `,
      '\t    7f0000001234 main (/bin/a)',
    );
    expect([...profile.samples.periodEvents]).toEqual([7, 8]);
    expect([...profile.samples.cpu]).toEqual([3, -1]);
    expect(diagnostics.entries()).toMatchObject([{ code: 'number-out-of-range', count: 2 }]);
  });

  it('perf script text may begin with a header of comments', () => {
    const { profile } = imported(
      '# ========',
      '# hostname : build7',
      '# os release : 4.9.93',
      '# arch : x86_64',
      '# cmdline : /usr/bin/perf record -g ./a',
      '# ========',
      'a 1 2.000001: 1 cycles: ',
      '\t 1 f (/a)',
    );
    expect(profile.meta).toMatchObject({
      hostname: 'build7',
      kernel: '4.9.93',
      arch: 'x86_64',
      commandLine: ['/usr/bin/perf', 'record', '-g', './a'],
    });
  });

  it('the text of perf script counts the lines that it does not understand', () => {
    const { diagnostics, profile } = imported('a 1 2.000001: 1 cycles: ', '\t 1 f (/a)', 'what?');
    expect(diagnostics.entries()).toEqual([
      { code: 'text-line-malformed', count: 1, detail: 'what?' },
    ]);
    expect(profile.samples.length).toBe(1);
  });

  it.each([
    ['12:', 12_000_000_000n],
    ['12.5:', 12_500_000_000n],
    ['12.25:', 12_250_000_000n],
    ['12.000001:', 12_000_001_000n],
    ['12.000000001:', 12_000_000_001n],
  ])('reads the time %s', (text, time) => {
    const { profile, diagnostics } = imported(
      `app 10/11 ${text}   250000 cycles: `,
      '\t  401000 main (/bin/app)',
      '',
      `app 10/11 [002] 13.5: 1 cycles: 401000 main (/bin/app)`,
    );
    expect(diagnostics.entries()).toEqual([]);
    expect(profile.events.map(({ name }) => name)).toEqual(['cycles']);
    expect(profile.meta.startTime).toBe(String(time));
    expect([...profile.samples.periodEvents]).toEqual([250000, 1]);
  });

  it('the text of perf script leaves odd lines out, counts them and reports the first one', () => {
    const result = imported(
      'Warning: \x1b[31mprocessed 100 events',
      'app 10/11 12.5:   3 cycles: ',
      '\t  401000 main (/bin/app)',
      '',
      'what is this',
      'app 10/11 12.7:   4 cycles: ',
      '\t  401000 main (/bin/app)',
    );
    expect(folded(result)).toEqual(['app;main 7']);
    expect(result.profile.meta.notes).toContain(
      '2 lines were not understood and left out, first: Warning: \\x1b[31mprocessed 100 events',
    );
  });

  it('the text of perf script keeps a thread whose name ends in a number apart from its tid', () => {
    const { profile } = imported(
      'pool worker 7  1234 10.000001:     1000 cpu-clock:u: ',
      '\t  401136 work_a+0x1 (/usr/bin/app)',
      '',
      'pool worker 8  1235 10.000002:     1000 cpu-clock:u: ',
      '\t  401136 work_b+0x1 (/usr/bin/app)',
    );
    expect(profile.threads.map(({ comm, tid }) => `${comm} ${tid}`)).toEqual([
      'pool worker 7 1234',
      'pool worker 8 1235',
    ]);
  });

  it('the text of perf script reads flags of a tracepoint between the CPU and the time', () => {
    const { profile } = imported('app 1234 [001] d..1. 10.5: 1 sched:sched_switch: 401136 f (/a)');
    expect(profile.threads.map(({ comm, tid }) => `${comm} ${tid}`)).toEqual(['app 1234']);
    expect([...profile.samples.cpu]).toEqual([1]);
  });

  it('the text of perf script takes all behind an offset for the DSO, brackets in its path too', () => {
    const { profile } = imported(
      'game 4321 [001] 100.000001:     250000 cpu-clock:u: ',
      '\t  401136 Render+0x10 (/home/u/Program Files (x86)/Game/game.exe)',
    );
    expect(profile.dsos.map(({ path }) => path)).toEqual([
      '/home/u/Program Files (x86)/Game/game.exe',
    ]);
  });

  it('the text of perf script leaves out and counts records that are no samples', () => {
    const result = imported(
      'app  1234    10.000000: PERF_RECORD_COMM exec: app:1234/1234',
      'app  1234    10.000000: PERF_RECORD_FORK(1235:1235):(1234:1234)',
      'app  1234    10.000001: PERF_RECORD_MMAP2 1234/1234: [0x401000(0x1000) @ 0x1000 fe:00 77 0]: r-xp /usr/bin/app',
      'app  1234    10.000002:     1000 cpu-clock:u: ',
      '\t  401136 work_a+0x1 (/usr/bin/app)',
    );
    expect(result.profile.events.map(({ name }) => name)).toEqual(['cpu-clock:u']);
    expect(folded(result)).toEqual(['app;work_a 1000']);
    expect(result.profile.meta.notes).toContain('3 records that are no samples were left out');
    expect(result.profile.meta.notes.join()).not.toContain('a period');
  });
});
