import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { CounterError } from '../../../src/counting/count/counter-error.ts';
import { measureOverhead } from '../../../src/counting/count/overhead.ts';
import { measureRepeated } from '../../../src/counting/count/repeat.ts';
import { openGroup, threadId } from '../../../src/counting/groups/open-group.ts';
import { projectRoot } from '../../helpers/cli.ts';
import { compileWorkload } from '../../helpers/compile.ts';
import { freshPages, touch } from '../../helpers/fresh-pages.ts';
import { describeLive } from '../../helpers/live.ts';
import { AS_NOBODY, canRunAsNobody, paranoidLevel } from '../../helpers/nobody.ts';

/** Faults of a region that touches so many pages, the median of some. */
function faultsOf(pages: number): bigint {
  using group = openGroup(['page-faults:u']);
  const counts: bigint[] = [];
  for (let i = 0; i < 15; i++) {
    const memory = freshPages(pages);
    const measured = group.measure(() => touch(memory));
    expect(measured.value).toBe(pages);
    counts.push(measured.counts['page-faults:u'] as bigint);
  }
  return counts.toSorted((a, b) => Number(a - b))[7];
}

/** Null, and said, on a machine without tracepoints or that PMU. */
function openOrSkip<Group>(open: () => Group): Group | null {
  try {
    return open();
  } catch (error) {
    console.warn(`skipped: ${(error as Error).message}`);
    return null;
  }
}

const openFds = () => readdirSync('/proc/self/fd').length;

describeLive('a counter group', () => {
  test('openGroup counts the page faults of a region exactly', () => {
    touch(freshPages(100));
    expect(faultsOf(100)).toBe(100n);
    expect(faultsOf(300)).toBe(300n);
  });

  test('a software group has one enabled time, and is not scaled', () => {
    using group = openGroup({ clock: 'task-clock', faults: 'page-faults', switches: 'cs' });
    const { counts, raw, scaled, runningShare, enabledNs } = group.measure(() =>
      touch(freshPages(200)),
    );
    expect(scaled).toBe(false);
    expect(runningShare).toBe(1);
    expect(raw).toEqual(counts);
    expect(Object.keys(counts)).toEqual(['clock', 'faults', 'switches']);
    expect(counts.faults).toBeGreaterThanOrEqual(200n);
    expect(Number(counts.clock)).toBeLessThanOrEqual(enabledNs);
    expect(Number(counts.clock)).toBeGreaterThan(enabledNs / 2);
  });

  test('a group counts with all its members in every region', () => {
    using group = openGroup(['task-clock', 'page-faults:u', 'minor-faults:u', 'cpu-clock']);
    for (let i = 0; i < 20; i++) {
      const memory = freshPages(100);
      const { counts } = group.measure(() => touch(memory));
      expect(counts['page-faults:u']).toBeGreaterThanOrEqual(100n);
      expect(counts['minor-faults:u']).toBe(counts['page-faults:u']);
      const clocks = Number(counts['cpu-clock']) / Number(counts['task-clock']);
      expect(clocks).toBeGreaterThan(0.5);
    }
  });

  test('a group is at 0 after a reset, though its times go on', () => {
    using group = openGroup(['page-faults:u']);
    group.enable();
    touch(freshPages(50));
    group.disable();
    expect(group.read().counts['page-faults:u']).toBeGreaterThanOrEqual(50n);
    group.reset();
    expect(group.read()).toMatchObject({ enabledNs: 0, runningNs: 0, runningShare: null });
    group.enable();
    touch(freshPages(70));
    group.disable();
    const count = group.read().counts['page-faults:u'];
    expect(count).toBeGreaterThanOrEqual(70n);
    expect(count).toBeLessThan(100n);
  });

  test('a group takes tracepoints and PMU events as well', () => {
    const names = ['page-faults', 'syscalls:sys_enter_getppid', 'msr/tsc/'] as const;
    const group = openOrSkip(() => openGroup(names));
    if (group === null) return;
    // process.ppid makes one system call each time.
    const { counts } = group.measure(() => [process.ppid, process.ppid, process.ppid]);
    expect(counts['syscalls:sys_enter_getppid']).toBe(3n);
    expect(counts['msr/tsc/']).toBeGreaterThan(0n);
    group.close();
  });

  test('a group around an async function counts all that the thread does meanwhile', async () => {
    using group = openGroup(['page-faults:u']);
    const memory = freshPages(400);
    const pending = group.measure(() => new Promise((done) => setTimeout(done, 20, 'done')));
    touch(memory);
    const { counts, value, shared } = await pending;
    expect(value).toBe('done');
    expect(shared).toBe(true);
    expect(counts['page-faults:u']).toBeGreaterThanOrEqual(400n);
  });

  test('measureRepeated measures after a warm-up', () => {
    using group = openGroup(['page-faults:u']);
    const memories = Array.from({ length: 23 }, () => freshPages(100));
    let next = 0;
    const { perCall, readings } = measureRepeated(group, () => touch(memories[next++]), {
      runs: 10,
      calls: 2,
    });
    expect(next).toBe(23);
    expect(readings).toHaveLength(10);
    expect(perCall['page-faults:u']?.median).toBe(100);
  });

  test('measuring adds no page faults to a region', () => {
    using group = openGroup(['page-faults:u', 'task-clock']);
    const overhead = measureOverhead(group);
    expect(overhead.pair['page-faults:u']).toBe(0n);
    expect(overhead.read['page-faults:u']).toBe(0n);
    expect(overhead.pairNs).toBeGreaterThan(0);
    expect(overhead.readNs).toBeGreaterThan(0);
    expect(Number(overhead.pair['task-clock'])).toBeLessThanOrEqual(overhead.pairNs);
  });

  test('a group counts its own thread; another thread may count it by tid', () => {
    const program = fileURLToPath(new URL('programs/threads.mjs', import.meta.url));
    const library = join(projectRoot, 'dist/index.js');
    const text = execFileSync(process.execPath, [program, library], { encoding: 'utf8' });
    const { counted, fromOutside, mine } = JSON.parse(text);
    expect(Number(counted)).toBeGreaterThanOrEqual(4000);
    expect(Number(fromOutside)).toBeGreaterThanOrEqual(4000);
    expect(Number(mine)).toBeLessThan(2000);
  });

  test('an unclosed group is released with its worker or by the garbage collector', () => {
    const program = fileURLToPath(new URL('programs/open-and-leave.mjs', import.meta.url));
    const words = ['--expose-gc', program, join(projectRoot, 'dist/index.js')];
    const { opened, afterWorkers, afterCollection } = JSON.parse(
      execFileSync(process.execPath, words, { encoding: 'utf8' }),
    );
    expect(opened).toBe(2);
    expect(afterWorkers).toBe(2);
    expect(afterCollection).toBe(2);
  });

  test('a group opened by threadId() counts the same thread', () => {
    using group = openGroup(['page-faults:u'], { pid: threadId() });
    const { counts } = group.measure(() => touch(freshPages(100)));
    expect(counts['page-faults:u']).toBeGreaterThanOrEqual(100n);
  });

  test('a group with inherit counts child processes', () => {
    // Far more than starting a program takes, which varies.
    const start = () => execFileSync(compileWorkload(), ['pf', '5000'], { stdio: 'ignore' });
    using alone = openGroup(['page-faults:u']);
    using inherited = openGroup(['page-faults:u'], { inherit: true });
    expect(alone.measure(start).counts['page-faults:u']).toBeLessThan(5000n);
    expect(inherited.measure(start).counts['page-faults:u']).toBeGreaterThanOrEqual(5000n);
  });

  test('a group that fails to open leaves no descriptor', () => {
    using warm = openGroup(['page-faults']);
    expect(warm.closed).toBe(false);
    const before = openFds();
    // The msr PMU takes no modifiers; where there is none it has no such event.
    const names = { a: 'cs', b: 'faults', c: 'task-clock', bad: 'msr/tsc/u' };
    expect(() => openGroup(names)).toThrow();
    expect(() => openGroup(['page-faults'], { pid: 2 ** 31 - 1 })).toThrow(CounterError);
    expect(() => openGroup(['page-faults'], { cgroup: 'no-such-group', cpu: 0 })).toThrow();
    expect(openFds()).toBe(before);
  });

  test('a group refused for kernel code names that reason', (context) => {
    const program = fileURLToPath(new URL('programs/refused.mjs', import.meta.url));
    // At 2 only user code may be counted; below, kernel code too, and above, nothing.
    if (process.geteuid?.() !== 0 || paranoidLevel() !== 2 || !canRunAsNobody(process.execPath)) {
      context.skip('needs root, kernel.perf_event_paranoid 2 and a folder that nobody may read');
    }
    const [setpriv, ...words] = AS_NOBODY;
    const library = join(projectRoot, 'dist/index.js');
    const text = execFileSync(setpriv, [...words, process.execPath, program, library], {
      encoding: 'utf8',
    });
    expect(JSON.parse(text)).toEqual({
      name: 'CounterError',
      code: 'EACCES',
      event: 'faults',
      field: 'exclude_kernel',
      left: 0,
    });
  });

  test('a missing thread is named in the error', () => {
    let thrown: unknown;
    try {
      openGroup(['page-faults'], { pid: 2 ** 31 - 1 });
    } catch (error) {
      thrown = error;
    }
    expect(thrown).toMatchObject({ code: 'ESRCH', event: 'page-faults', field: 'pid' });
  });

  test('a closed group releases its descriptors', () => {
    const before = openFds();
    const group = openGroup(['page-faults', 'cs', 'task-clock']);
    expect(openFds()).toBe(before + 3);
    group.close();
    expect(openFds()).toBe(before);
    expect(() => group.read()).toThrow(CounterError);
  });
});
