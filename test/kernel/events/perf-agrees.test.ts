// What perf gives the kernel for the same text, read from the log of `perf stat -vv`: the same parser
// as `perf record`, without its half second of start-up.

import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import type { EventSpec } from '../../../src/kernel/events/event-spec.ts';
import { parseEvents } from '../../../src/kernel/events/parse-events.ts';
import { readEventSources } from '../../../src/system/kernel/machine-events.ts';

function attrsOfPerf(text: string): string[] {
  const args = ['stat', '-vv', '-e', text, '--', 'true'];
  return attrsOfLog(spawnSync('perf', args, { encoding: 'utf8' }).stderr ?? '');
}

/**
 * Each attr that perf passed to perf_event_open, as `key=value` words. An attr that the kernel
 * refused is shown again with something taken out: the first of its kind is what the text meant.
 */
function attrsOfLog(log: string): string[] {
  const blocks = log.split(/^perf_event_attr:\n/m).slice(1);
  const attrs = blocks.map((block) => {
    const end = block.search(/^-{10,}/m);
    const fields = new Map<string, string>();
    for (const line of block.slice(0, end).split('\n')) {
      // `  exclude_kernel                   1`, `  { bp_addr, config1 }             0x1000`
      const found = /^\s+(?:\{ \w+, (\w+) \}|(\w+))\s+(\S+)$/.exec(line);
      if (found) fields.set(found[1] ?? found[2], found[3]);
    }
    return fields;
  });
  const words = attrs.map((fields) =>
    COMPARED.flatMap((key) => {
      const value = fields.get(key);
      return value === undefined || BigInt(value) === 0n ? [] : [`${key}=${BigInt(value)}`];
    }).join(' '),
  );
  return [...new Set(words)];
}

const COMPARED = [
  'type',
  'config',
  'config1',
  'config2',
  'bp_type',
  'exclude_user',
  'exclude_kernel',
  'exclude_hv',
  'exclude_idle',
  'exclude_host',
  'exclude_guest',
  'precise_ip',
  'pinned',
  'exclusive',
];

function attrOfSpec(spec: EventSpec): string {
  const values: Record<string, number | bigint | boolean> = {
    type: spec.type,
    config: spec.config,
    config1: spec.config1,
    config2: spec.config2,
    bp_type: spec.bpType,
    exclude_user: spec.exclude.user,
    exclude_kernel: spec.exclude.kernel,
    exclude_hv: spec.exclude.hv,
    exclude_idle: spec.exclude.idle,
    exclude_host: spec.exclude.host,
    exclude_guest: spec.exclude.guest,
    precise_ip: spec.preciseIp,
    pinned: spec.pinned,
    exclusive: spec.exclusive,
  };
  return COMPARED.flatMap((key) => {
    const value = BigInt(values[key]);
    return value === 0n ? [] : [`${key}=${value}`];
  }).join(' ');
}

const sources = readEventSources();
/**
 * perf 6.1 only: later ones print, default to and expand other things. And the right to open
 * events: without it perf tries a second attr.
 */
const isComparable = (): boolean => {
  const { stdout } = spawnSync('perf', ['--version'], { encoding: 'utf8' });
  return /^perf version 6\.1\./.test(stdout ?? '') && attrsOfPerf('cpu-clock').length === 1;
};
const hasPmu = (name: string): boolean => sources.pmus.some((pmu) => pmu.name === name);

describe.skipIf(!isComparable())('perf 6.1 passes the same attr for', () => {
  it.each([
    'instructions:ukhGH',
    'cycles:u',
    'cpu-clock:uk',
    'cpu-clock:G',
    'cpu-clock:uH',
    'faults',
    'task-clock',
    'cgroup-switches:u',
    'L1-dcache-load-misses',
    'LLC-stores:u',
    'l1i-prefetch-misses',
    'node-prefetches',
    'r1a8:u',
    'cpu-clock/period=100000/u',
    'software/config=2/u',
    'mem:0x1000',
    'mem:0x1000/8:w:u',
    'mem:0x1000:x:u',
    '{cpu-clock:u,faults:u}',
  ])('%s', (text) => {
    expect(parseEvents(text, sources).map(attrOfSpec)).toEqual(attrsOfPerf(text));
  });

  it
    .skipIf(!sources.tracepoints.isReadable())
    .each(['sched:sched_switch', 'sched:sched_switch:u', 'raw_syscalls:*'])('%s', (text) => {
    // perf takes the tracepoints of a glob in the order of the folder.
    const ours = parseEvents(text, sources).map(attrOfSpec);
    expect(ours.sort()).toEqual(attrsOfPerf(text).sort());
  });

  // The README lists what is meant to differ: perf 6.1 lets guests in with these.
  it.each(['faults:k', 'cpu-clock:D', 'cpu-clock:I', 'cpu-clock:h', 'faults:De'])(
    '%s, guests aside',
    (text) => {
      const withoutGuests = (attr: string): string => attr.replace(/ ?exclude_guest=1/, '');
      const ours = parseEvents(text, sources).map(attrOfSpec);
      expect(ours.map(withoutGuests)).toEqual(attrsOfPerf(text).map(withoutGuests));
    },
  );

  // perf asks for exclude_guest first and takes it out when the PMU refuses.
  it.skipIf(!hasPmu('msr')).each(['msr/tsc/', 'msr/event=0x2/', 'msr/config=0x13/'])(
    '%s, once it has found that the PMU can exclude nothing',
    (text) => {
      const [ours] = parseEvents(text, sources).map(attrOfSpec);
      expect(attrsOfPerf(text)).toContain(ours);
    },
  );
});
