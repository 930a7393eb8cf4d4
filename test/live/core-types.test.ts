// Events of two PMUs with disjoint CPUs. Software events stand in for two kinds of cores: a drawn
// folder of PMUs lies over that of sysfs, in a mount namespace of the recorder's own.

import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { onlineCpus } from '../../src/system/kernel/online-cpus.ts';
import { infoOf, perfTs, projectRoot, scratchDirectory } from '../helpers/cli.ts';
import { compileC } from '../helpers/compile.ts';
import { describeLive } from '../helpers/live.ts';
import { canMount, inMountNamespace } from '../helpers/mount-namespace.ts';

const scratch = scratchDirectory();
const devices = join(scratch, 'devices');

/** `touch` is page-faults, on CPU 0 as well as on CPU 1. */
const PMUS = {
  'cpu_core/type': '1',
  'cpu_core/cpus': '0',
  'cpu_core/events/touch': 'config=2',
  'cpu_atom/type': '1',
  'cpu_atom/cpus': '1',
  'cpu_atom/events/touch': 'config=2',
};
for (const [path, text] of Object.entries(PMUS)) {
  mkdirSync(dirname(join(devices, path)), { recursive: true });
  writeFileSync(join(devices, path), `${text}\n`);
}

const under = inMountNamespace(`mount --bind ${devices} /sys/bus/event_source/devices`);
const isPossible = canMount() && [0, 1].every((cpu) => onlineCpus().includes(cpu));

function record(name: string, options: readonly string[], command: readonly string[]): string {
  const file = join(scratch, `${name}.data`);
  const words = ['record', '-q', '-o', file, '-c', '1', ...options, '--', ...command];
  expect(perfTs(words, { under }).status).toBe(0);
  return file;
}

type Row = { readonly coretype: string; readonly cpu: number; readonly samples: number };
type Report = { readonly events: readonly { event: string; samples: number; rows: Row[] }[] };

function report(file: string, ...options: string[]): Report['events'] {
  const words = ['report', '--json', '--sort', 'coretype,cpu', ...options, file];
  return (JSON.parse(perfTs(words).stdout) as Report).events;
}

/** `cpu_core 0` for every pair that has samples. */
function places(rows: readonly Row[]): string[] {
  return rows.map(({ coretype, cpu }) => `${coretype} ${cpu}`).sort();
}

describeLive('events of two kinds of cores', () => {
  const program = compileC(join(projectRoot, 'test/helpers/many-tasks.c'), ['-O2', '-pthread']);
  // 1000 faults on CPU 0, 1000 on CPU 1, 1000 on CPU 0.
  const moving = [program, 'alone', '1', 'fault', '3000', '3'];

  it.skipIf(!isPossible)('each event is opened on its PMU’s CPUs, the side-band on all', () => {
    const file = record('opened', ['-e', 'touch:u'], moving);
    const { events } = infoOf(file);
    expect(events.map(({ name, instances }) => [name, instances])).toEqual([
      ['cpu_atom/touch/u', 1],
      ['cpu_core/touch/u', 1],
      ['dummy:HG', 2],
    ]);
  });

  it.skipIf(!isPossible)('the report shows one event, whose samples know their kind', () => {
    const file = record('one', ['-e', 'touch:u'], moving);
    const [touch, ...others] = report(file);
    expect(others).toEqual([]);
    expect(touch.event).toBe('touch:u');
    expect(places(touch.rows)).toEqual(['cpu_atom 1', 'cpu_core 0']);
    const onAtom = touch.rows.find(({ coretype }) => coretype === 'cpu_atom')?.samples ?? 0;
    expect(onAtom).toBeGreaterThanOrEqual(1000);
    expect(touch.samples - onAtom).toBeGreaterThanOrEqual(2000);
    // Its start touches other pages, all before it moves.
    expect(onAtom).toBeLessThan(1100);
    const [atom] = report(file, '-e', 'cpu_atom/touch/');
    expect([atom.event, atom.samples]).toEqual(['cpu_atom/touch/u', onAtom]);
  });

  it.skipIf(!isPossible)('events that name their PMUs are two in the report', () => {
    const events = ['-e', 'cpu_core/touch/u,cpu_atom/touch/u'];
    const reports = report(record('two', events, moving));
    expect(reports.map(({ event, rows }) => [event, places(rows)])).toEqual([
      ['cpu_core/touch/u', ['cpu_core 0']],
      ['cpu_atom/touch/u', ['cpu_atom 1']],
    ]);
  });

  it.skipIf(!isPossible)('a software event of their group comes along on both', () => {
    const file = record('group', ['-e', '{touch:u,minor-faults:u}'], moving);
    const reports = report(file, '--no-group');
    expect(reports.map(({ event, rows }) => [event, places(rows)])).toEqual([
      ['touch:u', ['cpu_atom 1', 'cpu_core 0']],
      ['minor-faults:u', ['cpu_atom 1', 'cpu_core 0']],
    ]);
  });

  it.skipIf(!isPossible)('the event is left out with -C where its CPUs are not recorded', () => {
    const file = record('one-kind', ['-C', '1', '-e', 'touch:u'], moving);
    const { events } = infoOf(file);
    expect(events.map(({ name, instances }) => [name, instances])).toEqual([
      ['cpu_atom/touch/u', 1],
      ['dummy:HG', 2],
    ]);
  });

  it.skipIf(!isPossible)('stat has a row for each kind of core, and top one for all', () => {
    const stat = perfTs(['stat', '--json', '-o', '-', '-a', '-e', 'touch:u', '--', ...moving], {
      under,
    });
    const counts = JSON.parse(stat.stdout).events as { event: string; count: number }[];
    expect(counts.map(({ event }) => event)).toEqual(['cpu_atom/touch/u', 'cpu_core/touch/u']);
    for (const { count } of counts) expect(count).toBeGreaterThanOrEqual(1000);
    const top = ['top', '--json', '-e', 'touch:u', '-c', '1', '--', ...moving];
    const last = perfTs(top, { under }).stdout.trimEnd().split('\n').at(-1) ?? '';
    const { events } = JSON.parse(last) as { events: { event: string; samples: number }[] };
    expect(events.map(({ event }) => event)).toEqual(['touch:u']);
    expect(events[0].samples).toBeGreaterThanOrEqual(3000);
  });
});
