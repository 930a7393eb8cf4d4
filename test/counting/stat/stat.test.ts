import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { type StatResult, startStat } from '../../../src/counting/stat/stat.ts';
import type { StatMachine } from '../../../src/counting/stat/stat-options.ts';
import type { StatOptions } from '../../../src/options/stat.ts';
import { ARM, fakeSources, HYBRID, INTEL, NO_PMU } from '../../kernel/events/fake-machines.ts';
import { type Asked, fakeMachine } from './fake-machine.ts';

const CYCLES = 0n;
const INSTRUCTIONS = 1n;

function count(options: StatOptions, machine: StatMachine): Promise<StatResult> {
  return startStat({ command: ['/bin/true'], ...options }, () => {}, machine).finished;
}

/** One line per row: part, event, count, share, reason. */
function draw({ rows }: StatResult): string[] {
  return rows.map(({ unit, event, value, runningShare, reason }) =>
    [unit.label, event, value ?? 'null', runningShare === 1 ? '' : runningShare, reason]
      .filter((part) => part !== '' && part !== null)
      .join(' | '),
  );
}

const isHardware = ({ type }: Asked): boolean => type === 0;
const full = (value: bigint) => ({ value, enabled: 1_000_000n, running: 1_000_000n });

describe('what does not open', () => {
  it('an event that does not open is null with a reason; its group still counts', async () => {
    const machine = fakeMachine(INTEL, {
      refuses: ({ type, config }) => (type === 3 && config === 2n ? 'ENOENT' : ''),
    });
    const result = await count({ events: ['{cycles,LLC-loads,instructions}'] }, machine);
    expect(draw(result)).toEqual([
      'cycles | 100',
      'LLC-loads | null | this machine does not have it (ENOENT)',
      'instructions | 100',
    ]);
    expect(machine.opened.map((group) => group.length)).toEqual([2]);
  });

  it('stat reports that there are no hardware counters', async () => {
    const machine = fakeMachine(NO_PMU, {
      refuses: (asked) => (isHardware(asked) ? 'ENOENT' : ''),
    });
    const result = await count({ events: ['cycles', 'page-faults'] }, machine);
    expect(draw(result)[0]).toBe('cycles | null | this machine has no hardware counters (ENOENT)');
  });

  it('stat fails before the command runs if no event opens', async () => {
    const machine = fakeMachine(NO_PMU, { refuses: () => 'ENOENT' });
    await expect(count({ events: ['cycles'] }, machine)).rejects.toMatchObject({
      exitStatus: 125,
      hints: expect.arrayContaining(['cycles: this machine has no hardware counters (ENOENT)']),
    });
    expect(machine.openGroups.size).toBe(0);
  });

  it('stat leaves no zombie when its counters fail', async () => {
    const machine = fakeMachine(INTEL, {
      counts: () => {
        throw new Error('read');
      },
    });
    const reapOrphans = vi.spyOn(machine.binding, 'reapOrphans');
    await expect(count({ events: ['cycles'] }, machine)).rejects.toThrow('read');
    expect(reapOrphans).toHaveBeenCalled();
    expect(machine.openGroups.size).toBe(0);
  });

  it("stat falls back to user code, shown in the event's name", async () => {
    const notices: string[] = [];
    const machine = fakeMachine(INTEL, {
      refuses: ({ excludeKernel }) => (excludeKernel ? '' : 'EACCES'),
    });
    const options = { events: ['{cycles,instructions}', 'context-switches'] };
    const result = await count({ ...options, onNotice: (text) => notices.push(text) }, machine);
    expect(draw(result)).toEqual([
      'cycles:u | 100',
      'instructions:u | 100',
      'context-switches | null | the kernel does not allow it (EACCES)',
    ]);
    expect(notices).toEqual([
      'counting user code only (cycles:u, instructions:u): the kernel allows this user no more (help: perf-ts doctor)',
      expect.stringMatching(/^context-switches: not counted, the kernel does not allow it: .+; .+/),
    ]);
  });
});

describe('a group that does not fit', () => {
  const refuses = ({ members }: Asked): string => (members > 2 ? 'EINVAL' : '');
  const text = '{cycles,instructions,branches}';

  it('a weak group that does not fit is split', async () => {
    const machine = fakeMachine(INTEL, { refuses });
    await count({ events: [`${text}:W`] }, machine);
    expect(machine.opened.map((group) => group.length)).toEqual([1, 1, 1]);
    await turn();
    expect(machine.openGroups.size).toBe(0);
  });

  it('a group that does not fit is left out, with advice', async () => {
    const machine = fakeMachine(INTEL, { refuses });
    const result = await count({ events: [text, 'page-faults'] }, machine);
    expect(draw(result)[0]).toBe(
      'cycles | null | the group does not fit the PMU (EINVAL); ' +
        "'{cycles,instructions,branches}:W' lets it be broken up",
    );
  });

  it('a pinned group that lost its counters is reported', async () => {
    const machine = fakeMachine(INTEL, { isUnscheduled: isHardware });
    const result = await count({ events: ['cycles:D', 'page-faults'] }, machine);
    expect(draw(result)).toEqual([
      'cycles:D | null | pinned, and the counters were not free',
      'page-faults | 100',
    ]);
  });
});

describe('counters that were shared', () => {
  it('multiplexed counters are scaled; an uncounted one is null', async () => {
    const machine = fakeMachine(INTEL, {
      counts: ({ config }) =>
        config === CYCLES
          ? { value: 100n, enabled: 1_000_000n, running: 250_000n }
          : { value: 0n, enabled: 1_000_000n, running: 0n },
    });
    const result = await count({ events: ['cycles', 'instructions'] }, machine);
    expect(draw(result)).toEqual([
      'cycles | 400 | 0.25',
      'instructions | null | 0 | never on a counter: others took them all',
    ]);
  });

  it('counters of two CPUs are scaled by their own times', async () => {
    const machine = fakeMachine(INTEL, {
      counts: ({ cpu }) => ({
        value: 100n,
        enabled: 1_000_000n,
        running: cpu === 0 ? 500_000n : 1_000_000n,
      }),
    });
    const result = await count({ systemWide: true, events: ['cycles'] }, machine);
    expect(draw(result)).toEqual(['cycles | 300 | 0.75']);
  });

  it('IPC is computed within a group only', async () => {
    const counts = ({ config }: Asked) => full(config === INSTRUCTIONS ? 300n : 100n);
    const ipc = async (text: string) => {
      const { rows } = await count({ events: [text] }, fakeMachine(INTEL, { counts }));
      return rows.flatMap(({ metrics }) => metrics.filter(({ name }) => name === 'ipc'));
    };
    expect(await ipc('{cycles,instructions}')).toMatchObject([{ value: 3, hint: 'compute-bound' }]);
    expect(await ipc('cycles,instructions')).toEqual([]);
  });
});

describe('where counters are opened', () => {
  const placesOf = (opened: readonly Asked[][]) =>
    opened.map(
      ([leader]) => `${leader?.type}:${leader?.config} pid ${leader?.pid} cpu ${leader?.cpu}`,
    );

  it('counters are opened on the held command', async () => {
    const machine = fakeMachine(INTEL);
    await count({ events: ['cycles'] }, machine);
    expect(placesOf(machine.opened)).toEqual(['0:0 pid 4242 cpu -1']);
  });

  it("counters are opened on all online CPUs, or on the PMU's cpumask", async () => {
    const machine = fakeMachine(INTEL, {}, { cpus: [0, 2, 18] });
    await count({ systemWide: true, events: ['cycles', 'uncore_imc_0/cas_count_read/'] }, machine);
    expect(placesOf(machine.opened)).toEqual([
      '0:0 pid -1 cpu 0',
      '0:0 pid -1 cpu 2',
      '0:0 pid -1 cpu 18',
      '14:772 pid -1 cpu 0',
      '14:772 pid -1 cpu 18',
    ]);
  });

  it('an uncore PMU is opened on its cpumask, also with a command', async () => {
    const machine = fakeMachine(INTEL, {}, { cpus: [0, 1, 18] });
    await count({ events: ['cycles', 'uncore_imc_0/cas_count_read/'] }, machine);
    expect(placesOf(machine.opened)).toEqual([
      '0:0 pid 4242 cpu -1',
      '14:772 pid -1 cpu 0',
      '14:772 pid -1 cpu 18',
    ]);
  });

  it('events of two core types are opened apart and not added up', async () => {
    const machine = fakeMachine(HYBRID, {}, { cpus: [0, 1, 2, 3, 4, 5, 6, 7] });
    const result = await count({ systemWide: true, events: ['cycles'] }, machine);
    expect(draw(result)).toEqual(['cpu_core/cycles/ | 400', 'cpu_atom/cycles/ | 400']);
    expect(new Set(machine.opened.map(([leader]) => leader?.config))).toEqual(
      new Set([4n << 32n, 10n << 32n]),
    );
  });

  /** `on`: per kind of core, milliseconds on its counter, of 100 in which the thread ran. */
  function threadOnCores(on: Readonly<Record<string, number>>) {
    const types: Readonly<Record<string, string>> = { 4: 'core', 10: 'atom' };
    return fakeMachine(HYBRID, {
      counts: ({ config }) => ({
        value: 1000n,
        enabled: 100_000_000n,
        running: BigInt(on[types[String(config >> 32n)] ?? 'core'] * 1e6),
      }),
    });
  }

  it('the time of a thread on cores of another kind scales no count', async () => {
    const both = await count({ events: ['cycles'] }, threadOnCores({ core: 1, atom: 99 }));
    expect(draw(both)).toEqual(['cpu_core/cycles/ | 1000', 'cpu_atom/cycles/ | 1000']);
    // A quarter of the time the counters were given to others.
    const shared = await count({ events: ['cycles'] }, threadOnCores({ core: 25, atom: 50 }));
    expect(draw(shared)).toEqual([
      'cpu_core/cycles/ | 1333 | 0.75',
      'cpu_atom/cycles/ | 1333 | 0.75',
    ]);
    const one = ['cpu_core/cycles/'];
    expect(draw(await count({ events: one }, threadOnCores({ core: 20 })))).toEqual([
      'cpu_core/cycles/ | 1000',
    ]);
  });

  it('a kind of core on which nothing ran is named', async () => {
    const result = await count({ events: ['cycles'] }, threadOnCores({ core: 100, atom: 0 }));
    expect(draw(result)).toEqual([
      'cpu_core/cycles/ | 1000',
      'cpu_atom/cycles/ | null | nothing ran on a core of this kind (cpu_atom)',
    ]);
  });

  it('a CPU that went offline is left out', async () => {
    const machine = fakeMachine(INTEL, { refuses: ({ cpu }) => (cpu === 1 ? 'ENODEV' : '') });
    const result = await count({ systemWide: true, events: ['cycles'] }, machine);
    expect(draw(result)).toEqual(['cycles | 100']);
  });
});

describe('parts', () => {
  it('aggregation units are CPUs by number', async () => {
    const machine = fakeMachine(INTEL, {}, { cpus: [0, 2, 10] });
    const result = await count(
      { systemWide: true, aggregation: 'cpu', events: ['cycles'] },
      machine,
    );
    expect(draw(result)).toEqual([
      'CPU0 | cycles | 100',
      'CPU2 | cycles | 100',
      'CPU10 | cycles | 100',
    ]);
  });

  it('aggregation needs whole CPUs or running threads', async () => {
    const machine = fakeMachine(INTEL);
    expect(() => count({ aggregation: 'core' }, machine)).toThrow(/add systemWide/);
    expect(() => count({ aggregation: 'thread' }, machine)).toThrow(/add pids or tids/);
  });
});

describe('energy', () => {
  const sysfs = mkdtempSync(join(tmpdir(), 'perf-ts-stat-'));
  afterAll(() => rmSync(sysfs, { recursive: true, force: true }));
  const events = join(sysfs, 'bus/event_source/devices/power/events');
  mkdirSync(events, { recursive: true });
  writeFileSync(join(events, 'energy-pkg.scale'), '2.3283064365386962890625e-10\n');
  writeFileSync(join(events, 'energy-pkg.unit'), 'Joules\n');
  const sources = fakeSources({
    power: {
      type: 23,
      format: { event: 'config:0-7' },
      events: { 'energy-pkg': 'event=0x02' },
      cpumask: '0,8',
    },
  });

  it("energy events are Joules by sysfs' scale, and Watts by the wall clock", async () => {
    const counts = () => full(2n ** 31n);
    const machine = fakeMachine(sources, { counts }, { cpus: [0, 1, 8, 9], sysfs });
    const result = await count({ events: ['power/energy-pkg/'] }, machine);
    expect(result.rows).toMatchObject([
      { event: 'power/energy-pkg/', countUnit: 'Joules', value: 1 },
    ]);
    // The fake command takes 2 ms.
    expect(result.rows[0]?.metrics).toMatchObject([{ name: 'watts', value: 500 }]);
    expect(machine.opened.map(([asked]) => asked?.cpu)).toEqual([0, 8]);
  });
});

describe('several runs', () => {
  it('several runs give mean and error of counts and times', async () => {
    let run = 0n;
    const machine = fakeMachine(INTEL, { counts: () => full(100n + (run++ / 2n) * 10n) });
    const result = await count({ repeat: 3, events: ['cycles'] }, machine);
    expect(result.runs).toBe(3);
    expect(result.rows[0]).toMatchObject({
      value: 110,
      spread: { mean: 110, stddev: 10, min: 100, max: 120, runs: 3 },
    });
    expect(result.elapsed).toMatchObject({ mean: 2_000_000, error: 0, runs: 3 });
    expect(result.userNs).toBe(700_000);
    expect(machine.openGroups.size).toBe(1);
    await turn();
    expect(machine.openGroups.size).toBe(0);
  });
});

describe('top-down', () => {
  it("top-down uses the PMU's group, and fails where there is none", async () => {
    const names = [
      'slots',
      'topdown-retiring',
      'topdown-bad-spec',
      'topdown-fe-bound',
      'topdown-be-bound',
    ];
    const sources = fakeSources({
      cpu: {
        type: 4,
        format: { event: 'config:0-7', umask: 'config:8-15' },
        events: Object.fromEntries(names.map((name, i) => [name, `event=0x00,umask=0x8${i}`])),
      },
    });
    const result = await count({ topdown: true }, fakeMachine(sources));
    expect(result.rows.map(({ event }) => event)).toEqual(names.map((name) => `cpu/${name}/`));
    expect(result.rows[1]?.metrics).toMatchObject([{ name: 'topdown-retiring', value: 0.25 }]);
    expect(() => count({ topdown: true }, fakeMachine(ARM))).toThrow(/this CPU has no events/);
  });
});
