import { describe, expect, it } from 'vitest';
import { CACHE_EVENTS, findCacheEvent } from '../../../src/kernel/events/cache-events.ts';
import type { EventSources } from '../../../src/kernel/events/event-sources.ts';
import { parseEvents } from '../../../src/kernel/events/parse-events.ts';
import { AMD, ARM, BIG_LITTLE, drawSpec, HYBRID, INTEL, NO_PMU, POWER } from './fake-machines.ts';

function draw(text: string | readonly string[], sources: EventSources = INTEL): string[] {
  return parseEvents(text, sources).map(drawSpec);
}

/** Rows of `text -> drawn specs`; each becomes a test. */
function table(sources: EventSources, rows: Record<string, string | string[]>): void {
  it.each(Object.entries(rows))('%s', (text, expected) => {
    expect(draw(text, sources)).toEqual([expected].flat());
  });
}

describe('hardware and software names', () => {
  table(NO_PMU, {
    cycles: 'cycles = HARDWARE/0x0',
    'cpu-cycles': 'cycles = HARDWARE/0x0',
    instructions: 'instructions = HARDWARE/0x1',
    'cache-references': 'cache-references = HARDWARE/0x2',
    'cache-misses': 'cache-misses = HARDWARE/0x3',
    'branch-instructions': 'branches = HARDWARE/0x4',
    'branch-misses': 'branch-misses = HARDWARE/0x5',
    'bus-cycles': 'bus-cycles = HARDWARE/0x6',
    'idle-cycles-frontend': 'stalled-cycles-frontend = HARDWARE/0x7',
    'stalled-cycles-backend': 'stalled-cycles-backend = HARDWARE/0x8',
    'ref-cycles': 'ref-cycles = HARDWARE/0x9',
    'cpu-clock': 'cpu-clock = SOFTWARE/0x0 ns',
    'task-clock': 'task-clock = SOFTWARE/0x1 ns',
    faults: 'page-faults = SOFTWARE/0x2',
    cs: 'context-switches = SOFTWARE/0x3',
    migrations: 'cpu-migrations = SOFTWARE/0x4',
    'minor-faults': 'minor-faults = SOFTWARE/0x5',
    'major-faults': 'major-faults = SOFTWARE/0x6',
    'alignment-faults': 'alignment-faults = SOFTWARE/0x7',
    'emulation-faults': 'emulation-faults = SOFTWARE/0x8',
    dummy: 'dummy = SOFTWARE/0x9',
    'bpf-output': 'bpf-output = SOFTWARE/0xa defaultPeriod=1',
    'cgroup-switches': 'cgroup-switches = SOFTWARE/0xb',
    r1a8: 'r1a8 = RAW/0x1a8',
    'r003c:u': 'r003c:u = RAW/0x3c -kernel-hv',
    rffffffffffffffff: 'rffffffffffffffff = RAW/0xffffffffffffffff',
    '4:0x3c:u': '4:0x3c:u = RAW/0x3c -kernel-hv',
    '1:2': '1:2 = SOFTWARE/0x2',
  });
});

describe('cache names', () => {
  table(NO_PMU, {
    'L1-dcache-loads': 'L1-dcache-loads = HW_CACHE/0x0',
    'L1-dcache-load-misses': 'L1-dcache-load-misses = HW_CACHE/0x10000',
    'L1-icache-prefetch-misses': 'L1-icache-prefetch-misses = HW_CACHE/0x10201',
    'LLC-stores': 'LLC-stores = HW_CACHE/0x102',
    'llc-store-misses:k': 'LLC-store-misses:k = HW_CACHE/0x10102 -user-hv',
    'dTLB-load-misses': 'dTLB-load-misses = HW_CACHE/0x10003',
    'iTLB-loads': 'iTLB-loads = HW_CACHE/0x4',
    'branch-loads': 'branch-loads = HW_CACHE/0x5',
    'node-prefetches': 'node-prefetches = HW_CACHE/0x206',
    'l1d-miss': 'L1-dcache-load-misses = HW_CACHE/0x10000',
    'l1d-misses-read': 'L1-dcache-load-misses = HW_CACHE/0x10000',
    'L1-data-speculative-load-refs': 'L1-dcache-prefetches = HW_CACHE/0x200',
    'L1-dcache': 'L1-dcache-loads = HW_CACHE/0x0',
  });

  it('every shown name finds its own event, and no two share a number', () => {
    expect(CACHE_EVENTS.map(({ name }) => findCacheEvent(name))).toEqual([...CACHE_EVENTS]);
    expect(new Set(CACHE_EVENTS.map(({ config }) => config)).size).toBe(CACHE_EVENTS.length);
  });

  it('cache names refuse impossible operations and repeated words', () => {
    const unknown = ['iTLB-stores', 'L1-icache-stores', 'branch-prefetches', 'LLC-load-load'];
    expect(unknown.map((name) => findCacheEvent(name))).toEqual([null, null, null, null]);
  });
});

describe('PMU terms on Intel', () => {
  table(INTEL, {
    'cpu/event=0x3c,umask=0x1/': 'cpu/event=0x3c,umask=0x1/ = RAW/0x13c',
    'cpu/event=0x3c,umask=0x0,inv,cmask=1/pp':
      'cpu/event=0x3c,umask=0x0,inv,cmask=1/pp = RAW/0x180003c precise=2',
    'cpu/event=60,edge=1/:u': 'cpu/event=60,edge=1/u = RAW/0x4003c -kernel-hv',
    'cpu/edge=0,event=0xff/': 'cpu/edge=0,event=0xff/ = RAW/0xff',
    'cpu/config=0x13c,config1=7/': 'cpu/config=0x13c,config1=7/ = RAW/0x13c config1=0x7',
    'cpu/event=0xb7,umask=1,offcore_rsp=0xffffffffffffffff/':
      'cpu/event=0xb7,umask=1,offcore_rsp=0xffffffffffffffff/ = RAW/0x1b7 config1=0xffffffffffffffff',
    'cpu/config2=0x10,config3=0x20/':
      'cpu/config2=0x10,config3=0x20/ = RAW/0x0 config2=0x10 config3=0x20',
    'cpu/r1a8/': 'cpu/r1a8/ = RAW/0x1a8',
    'cpu//': 'cpu// = RAW/0x0',
    'cpu/cpu-cycles/k': 'cpu/cpu-cycles/k = RAW/0x3c -user-hv',
    'cpu/cycles/': 'cpu/cycles/ = HARDWARE/0x0',
    'cpu/LLC-load-misses/u': 'cpu/LLC-load-misses/u = HW_CACHE/0x10002 -kernel-hv',
    'cpu/mem-loads/P': 'cpu/mem-loads/P = RAW/0x1cd config1=0x3 precise=3 preciseIsMax',
    'mem-loads:u': 'cpu/mem-loads/u = RAW/0x1cd config1=0x3 -kernel-hv',
    'software/config=1/': 'software/config=1/ = SOFTWARE/0x1 ns',
  });

  it('terms that are written out win over what the event name stands for, in either order', () => {
    expect(draw(['cpu/mem-loads,ldlat=60/', 'cpu/ldlat=60,mem-loads/'])).toEqual([
      'cpu/mem-loads,ldlat=60/ = RAW/0x1cd config1=0x3c',
      'cpu/ldlat=60,mem-loads/ = RAW/0x1cd config1=0x3c',
    ]);
  });

  it('a PMU without its number is every one of them, on the CPUs of its mask', () => {
    const both = [
      'uncore_imc_0/cas_count_read/ = 14/0x304 guests cpus=0+18 uncore',
      'uncore_imc_1/cas_count_read/ = 15/0x304 guests cpus=0+18 uncore',
    ];
    expect(draw('uncore_imc/cas_count_read/')).toEqual(both);
    expect(draw('imc/cas_count_read/')).toEqual(both);
    expect(draw('uncore_*/cas_count_read/')).toEqual(both);
    expect(draw('cas_count_read')).toEqual(both);
    expect(draw('uncore_imc_1/cas_count_read/')).toEqual([both[1]]);
  });
});

describe('PMU terms elsewhere', () => {
  table(AMD, {
    // 0x1c7 = low byte 0xc7 in bits 0…7, the 1 in bit 32.
    'cpu/event=0x1c7,umask=0x2/': 'cpu/event=0x1c7,umask=0x2/ = RAW/0x1000002c7',
    'cpu/event=0xfff/': 'cpu/event=0xfff/ = RAW/0xf000000ff',
    'ibs_op/cnt_ctl=1/': 'ibs_op/cnt_ctl=1/ = 11/0x80000 guests',
  });
  table(ARM, {
    'armv8_pmuv3_0/event=0x11,long/u':
      'armv8_pmuv3_0/event=0x11,long/u = 8/0x11 config1=0x1 -kernel-hv cpus=0+1+2+3',
    'armv8_pmuv3/l1d_cache_refill/': 'armv8_pmuv3_0/l1d_cache_refill/ = 8/0x3 cpus=0+1+2+3',
    CPU_CYCLES: 'armv8_pmuv3_0/CPU_CYCLES/ = 8/0x11 cpus=0+1+2+3',
    cycles: 'cycles = HARDWARE/0x0',
  });
  table(POWER, {
    'hv_24x7/CPM_CYC,core=3/': 'hv_24x7/CPM_CYC,core=3/ = 9/0x9800030002 guests cpus=0 uncore',
  });
});

describe('two core types', () => {
  table(HYBRID, {
    'cycles:u': [
      'cpu_core/cycles/u = HARDWARE/0x400000000 -kernel-hv cpus=0+1+2+3',
      'cpu_atom/cycles/u = HARDWARE/0xa00000000 -kernel-hv cpus=4+5+6+7',
    ],
    'LLC-loads': [
      'cpu_core/LLC-loads/ = HW_CACHE/0x400000002 cpus=0+1+2+3',
      'cpu_atom/LLC-loads/ = HW_CACHE/0xa00000002 cpus=4+5+6+7',
    ],
    r3c: ['cpu_core/r3c/ = RAW/0x3c cpus=0+1+2+3', 'cpu_atom/r3c/ = 10/0x3c cpus=4+5+6+7'],
    'cpu_atom/cycles/': 'cpu_atom/cycles/ = HARDWARE/0xa00000000 cpus=4+5+6+7',
    'page-faults': 'page-faults = SOFTWARE/0x2',
  });

  table(BIG_LITTLE, {
    'cycles:u': [
      'armv8_cortex_a53/cycles/u = HARDWARE/0x800000000 -kernel-hv cpus=0+1+2+3',
      'armv8_cortex_a72/cycles/u = HARDWARE/0x900000000 -kernel-hv cpus=4+5',
    ],
    'l1d-miss': [
      'armv8_cortex_a53/L1-dcache-load-misses/ = HW_CACHE/0x800010000 cpus=0+1+2+3',
      'armv8_cortex_a72/L1-dcache-load-misses/ = HW_CACHE/0x900010000 cpus=4+5',
    ],
    r11: ['armv8_cortex_a53/r11/ = 8/0x11 cpus=0+1+2+3', 'armv8_cortex_a72/r11/ = 9/0x11 cpus=4+5'],
    cpu_cycles: [
      'armv8_cortex_a53/cpu_cycles/ = 8/0x11 cpus=0+1+2+3',
      'armv8_cortex_a72/cpu_cycles/ = 9/0x11 cpus=4+5',
    ],
    'armv8_cortex_a72/cycles/': 'armv8_cortex_a72/cycles/ = HARDWARE/0x900000000 cpus=4+5',
  });

  it('a kernel that takes no type of a PMU in config gets the plain event', () => {
    const linux65 = { ...BIG_LITTLE, hasExtendedTypes: false };
    expect(draw('cycles', linux65)).toEqual(['cycles = HARDWARE/0x0']);
    expect(draw('armv8_cortex_a72/cycles/', linux65)).toEqual([
      'armv8_cortex_a72/cycles/ = HARDWARE/0x0 cpus=4+5',
    ]);
    expect(draw('r11', linux65)).toHaveLength(2);
  });

  it('a name means one event on each kind, a PMU that is named only one', () => {
    const kinds = (text: string) => parseEvents(text, BIG_LITTLE).map(({ corePmu }) => corePmu);
    expect(kinds('cycles')).toEqual(['armv8_cortex_a53', 'armv8_cortex_a72']);
    expect(kinds('cpu_cycles')).toEqual(['armv8_cortex_a53', 'armv8_cortex_a72']);
    expect(kinds('armv8_cortex_a72/cycles/,page-faults')).toEqual([null, null]);
    expect(kinds('{cycles,page-faults}')).toEqual([
      'armv8_cortex_a53',
      'armv8_cortex_a53',
      'armv8_cortex_a72',
      'armv8_cortex_a72',
    ]);
  });

  it('a group on two core types becomes one per type, with other events on the CPUs of each', () => {
    expect(draw('{cycles,page-faults,mem-loads}', HYBRID)).toEqual([
      'cpu_core/cycles/ = HARDWARE/0x400000000 group=0 leader cpus=0+1+2+3',
      'page-faults = SOFTWARE/0x2 group=0 cpus=0+1+2+3',
      'cpu_core/mem-loads/ = RAW/0x1cd config1=0x3 group=0 cpus=0+1+2+3',
      'cpu_atom/cycles/ = HARDWARE/0xa00000000 group=1 leader cpus=4+5+6+7',
      'page-faults = SOFTWARE/0x2 group=1 cpus=4+5+6+7',
      'cpu_atom/mem-loads/ = 10/0x5d0 config1=0x3 group=1 cpus=4+5+6+7',
    ]);
  });
});

describe('tracepoints', () => {
  table(NO_PMU, {
    'sched:sched_switch': 'sched:sched_switch = TRACEPOINT/0x13c defaultPeriod=1',
    'sched:sched_switch:u': 'sched:sched_switch:u = TRACEPOINT/0x13c -kernel-hv defaultPeriod=1',
    'sched:sched_switch/period=5/k':
      'sched:sched_switch/period=5/k = TRACEPOINT/0x13c -user-hv period=5 defaultPeriod=1',
    'syscalls:sys_enter_*': [
      'syscalls:sys_enter_openat = TRACEPOINT/0x2bc defaultPeriod=1',
      'syscalls:sys_enter_read = TRACEPOINT/0x2be defaultPeriod=1',
    ],
    's*:*_[ors]*t[ce]?': ['sched:sched_switch = TRACEPOINT/0x13c defaultPeriod=1'],
    '*:*openat': [
      'syscalls:sys_enter_openat = TRACEPOINT/0x2bc defaultPeriod=1',
      'syscalls:sys_exit_openat = TRACEPOINT/0x2bb defaultPeriod=1',
    ],
  });

  it('tracepoint specs name their tracepoint, also out of a glob', () => {
    const specs = parseEvents('sched:sched_[sp]*', NO_PMU);
    expect(specs.map(({ tracepoint }) => tracepoint)).toEqual([
      { system: 'sched', event: 'sched_process_fork' },
      { system: 'sched', event: 'sched_switch' },
    ]);
  });
});

describe('breakpoints', () => {
  const at = 'BREAKPOINT/0x0 config1=0x1000';
  table(NO_PMU, {
    'mem:0x1000': `mem:0x1000 = ${at} config2=0x4 bp=3 defaultPeriod=1`,
    'mem:0x1000/8': `mem:0x1000/8 = ${at} config2=0x8 bp=3 defaultPeriod=1`,
    'mem:0x1000:x': `mem:0x1000:x = ${at} config2=0x8 bp=4 defaultPeriod=1`,
    'mem:0x1000/1:wr': `mem:0x1000/1:wr = ${at} config2=0x1 bp=3 defaultPeriod=1`,
    'mem:4096/2:w:u': `mem:4096/2:w:u = ${at} config2=0x2 bp=2 -kernel-hv defaultPeriod=1`,
    'mem:0x1000:u': `mem:0x1000:u = ${at} config2=0x4 bp=3 -kernel-hv defaultPeriod=1`,
    'mem:0x1000:w/name=flag/': `flag = ${at} config2=0x4 bp=2 defaultPeriod=1`,
    'mem:0xffffffff81000000': `mem:0xffffffff81000000 = BREAKPOINT/0x0 config1=0xffffffff81000000 config2=0x4 bp=3 defaultPeriod=1`,
  });
});

describe('terms that every event takes', () => {
  table(INTEL, {
    'cpu-clock/period=1000000/u':
      'cpu-clock/period=1000000/u = SOFTWARE/0x0 -kernel-hv period=1000000 ns',
    'cycles/freq=99,call-graph=dwarf,stack-size=4096/':
      'cycles/freq=99,call-graph=dwarf,stack-size=4096/ = HARDWARE/0x0 frequency=99 callGraph=dwarf stackSizeBytes=4096',
    'cpu/event=0x3c,period=1000,name=busy/u': 'busy = RAW/0x3c -kernel-hv period=1000',
    "cpu/event=0x3c,name='a, b'/": 'a, b = RAW/0x3c',
    'r3c/no-inherit,max-stack=5/':
      'r3c/no-inherit,max-stack=5/ = RAW/0x3c maxStack=5 inherit=false',
    'mem-loads/period=7/': 'cpu/mem-loads,period=7/ = RAW/0x1cd config1=0x3 period=7',
  });
});

describe('modifiers', () => {
  table(NO_PMU, {
    'cycles:u': 'cycles:u = HARDWARE/0x0 -kernel-hv',
    'cycles:k': 'cycles:k = HARDWARE/0x0 -user-hv',
    'cycles:h': 'cycles:h = HARDWARE/0x0 -user-kernel',
    'cycles:uk': 'cycles:uk = HARDWARE/0x0 -hv',
    'cycles:G': 'cycles:G = HARDWARE/0x0 -host guests',
    'cycles:H': 'cycles:H = HARDWARE/0x0',
    'cycles:ukhGH': 'cycles:ukhGH = HARDWARE/0x0 guests',
    'cycles:I': 'cycles:I = HARDWARE/0x0 -idle',
    'cycles:ppp': 'cycles:ppp = HARDWARE/0x0 precise=3',
    'cycles:P': 'cycles:P = HARDWARE/0x0 precise=3 preciseIsMax',
    'cycles:De': 'cycles:De = HARDWARE/0x0 pinned exclusive',
    'cycles:S': 'cycles:S = HARDWARE/0x0 sampleGroup',
  });
});

describe('lists and groups', () => {
  table(NO_PMU, {
    'cycles:u, instructions ': [
      'cycles:u = HARDWARE/0x0 -kernel-hv',
      'instructions = HARDWARE/0x1',
    ],
    '{cycles,instructions}:S': [
      'cycles = HARDWARE/0x0 sampleGroup group=0 leader',
      'instructions = HARDWARE/0x1 sampleGroup group=0',
    ],
    '{ cycles:u , page-faults }:k': [
      'cycles:uk = HARDWARE/0x0 -hv group=0 leader',
      'page-faults:k = SOFTWARE/0x2 -user-hv group=0',
    ],
    '{cycles,instructions}:DW': [
      'cycles = HARDWARE/0x0 pinned weakGroup group=0 leader',
      'instructions = HARDWARE/0x1 weakGroup group=0',
    ],
    '{sched:sched_[sw]*}': [
      'sched:sched_switch = TRACEPOINT/0x13c group=0 leader defaultPeriod=1',
      'sched:sched_wakeup = TRACEPOINT/0x13f group=0 defaultPeriod=1',
    ],
  });

  it('numbers groups over all -e options and leaves single events outside', () => {
    const specs = parseEvents(['{cycles},faults', '{cs,dummy}'], NO_PMU);
    expect(specs.map(({ name, group, leader }) => [name, group, leader])).toEqual([
      ['cycles', 0, true],
      ['page-faults', -1, false],
      ['context-switches', 1, true],
      ['dummy', 1, false],
    ]);
  });

  it('a list of events keeps what the user wrote of each event', () => {
    const specs = parseEvents('{cs:u,cpu/event=0x3c/pp}:S, r1a8', INTEL);
    expect(specs.map(({ text }) => text)).toEqual(['cs:u', 'cpu/event=0x3c/pp', 'r1a8']);
  });
});

it('resolving a name that every machine has reads neither events nor tracepoints', () => {
  const unread = (): never => {
    throw new Error('read');
  };
  const sources = {
    pmus: [
      Object.defineProperties(
        { name: 'cpu', type: 4 },
        {
          formats: { get: unread },
          events: { get: unread },
        },
      ) as never,
    ],
    get tracepoints(): never {
      return unread();
    },
  };
  expect(draw('cycles:u', sources)).toEqual(['cycles:u = HARDWARE/0x0 -kernel-hv']);
});
