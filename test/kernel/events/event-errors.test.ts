import { describe, expect, it } from 'vitest';
import { UsageError } from '../../../src/base/errors.ts';
import type { EventSources } from '../../../src/kernel/events/event-sources.ts';
import { parseEvents } from '../../../src/kernel/events/parse-events.ts';
import { HYBRID, INTEL, NO_PMU, POWER } from './fake-machines.ts';

/** The whole message as the user sees it. */
function failure(text: string, sources: EventSources = INTEL): string {
  try {
    parseEvents(text, sources);
  } catch (error) {
    if (error instanceof UsageError) return [error.message, ...error.hints].join('\n');
    throw error;
  }
  throw new Error(`${text} parsed`);
}

const SEE_LIST = 'perf-ts list shows every event that can be named here';

describe('unknown names', () => {
  it('the error for an unknown name has the position, the nearest names and where to look', () => {
    expect(failure('instructions,cycels:u')).toBe(
      [
        "unknown event 'cycels'",
        'instructions,cycels:u',
        '             ^',
        'did you mean cycles?',
        SEE_LIST,
      ].join('\n'),
    );
  });

  it('names of which only a part was given are found', () => {
    expect(failure('switches')).toBe(
      [
        "unknown event 'switches'",
        'switches',
        '^',
        'did you mean cgroup-switches or context-switches?',
        SEE_LIST,
      ].join('\n'),
    );
  });

  it('events of PMUs are suggested, and tracepoints named without their system', () => {
    expect(failure('mem-lods')).toContain('did you mean mem-loads?');
    expect(failure('sched_swich')).toContain('did you mean sched:sched_switch?');
  });

  it('an unknown name without a near one offers none', () => {
    expect(failure('xyzzy')).toBe(["unknown event 'xyzzy'", 'xyzzy', '^', SEE_LIST].join('\n'));
  });

  it('an error in a long event list shows its neighbourhood only', () => {
    const text = `${'instructions,'.repeat(20)}cycels${',instructions'.repeat(20)}`;
    expect(failure(text).split('\n').slice(0, 3)).toEqual([
      "unknown event 'cycels'",
      '…ructions,instructions,instructions,instructions,'.slice(-41).replace(/^./, '…') +
        'cycels,instructions,instructions,instruc…',
      `${' '.repeat(41)}^`,
    ]);
  });

  it('unknown tracepoints are reported by system and name', () => {
    expect(failure('sched:sched_swich')).toBe(
      [
        'no tracepoint sched:sched_swich on this machine',
        'sched:sched_swich',
        '      ^',
        'did you mean sched:sched_switch?',
        "perf-ts list 'sched:*' shows what there is",
      ].join('\n'),
    );
    expect(failure('shced:sched_switch')).toBe(
      [
        'no tracepoint shced:sched_switch on this machine',
        'shced:sched_switch',
        '^',
        'did you mean sched:…?',
        'perf-ts list tracepoint shows what there is',
      ].join('\n'),
    );
    expect(failure('sched:nothing_*')).toBe(
      [
        'no tracepoint sched:nothing_* on this machine',
        'sched:nothing_*',
        '      ^',
        "perf-ts list 'sched:*' shows what there is",
      ].join('\n'),
    );
  });

  it('unknown PMUs are reported', () => {
    expect(failure('cpuu/event=1/', NO_PMU)).toBe(
      [
        "no PMU or event 'cpuu' on this machine",
        'cpuu/event=1/',
        '^',
        'PMUs here: software, tracepoint, breakpoint',
        SEE_LIST,
      ].join('\n'),
    );
    expect(failure('cpu/event=1/', HYBRID)).toContain('did you mean cpu_atom, cpu_core');
  });

  it('an unknown name is reported without reading unreadable tracepoints', () => {
    const sources: EventSources = {
      pmus: [],
      tracepoints: {
        isReadable: () => false,
        id: () => failUnread(),
        systems: () => failUnread(),
        events: () => failUnread(),
      },
    };
    const failUnread = (): never => {
      throw new Error('tracefs was read');
    };
    expect(failure('cycels:u', sources)).toContain('did you mean cycles?');
    expect(failure('sched_switch', sources)).toContain("unknown event 'sched_switch'");
  });
});

describe('terms', () => {
  it.each([
    [
      'cpu/event=0x1ff/',
      'event=0x1ff is too large: it has 8 bits (config:0-7), at most 0xff',
      '          ^',
    ],
    [
      'cpu/event=1,edge=2/',
      'edge=2 is too large: it has 1 bit (config:18), at most 0x1',
      '                 ^',
    ],
    [
      'cpu/event=fast/',
      'event=fast is not a number of 64 bits',
      '          ^',
      'write it like 60 or 0x3c',
    ],
    [
      'cpu/config=0x10000000000000000/',
      'config=0x10000000000000000 is not a number of 64 bits',
      '           ^',
      'write it like 60 or 0x3c',
    ],
    ['cpu/config/', 'config needs a value: config=NUMBER', '    ^'],
    ['cpu/event=/', 'event needs a value: event=NUMBER', '          ^'],
    [
      'cpu/umsk=1/',
      "cpu has no term or event 'umsk'",
      '    ^',
      'did you mean umask?',
      'terms of cpu: cmask, edge, event, inv, ldlat, offcore_rsp, pc, umask, config, config1, config2',
      "its events: perf-ts list 'cpu/*'",
    ],
    ['cpu/cycles,umask=1/', 'a named event takes no further bits', '           ^'],
    [
      'cycles/umask=1/',
      "cycles has no term 'umask'",
      '       ^',
      'terms of every event: name, period, freq, call-graph, stack-size, max-stack, inherit, no-inherit',
    ],
    ['cycles/period=0/', 'period=0: must be at least 1', '              ^'],
    ['cycles/period=5,freq=9/', 'period and freq exclude each other', '                ^'],
    [
      'cycles/period=0x20000000000000/',
      'period=0x20000000000000 is too large: at most 9007199254740991',
      '              ^',
    ],
    ['cycles/call-graph=cfi/', 'call-graph is one of fp, dwarf, lbr, no', '                  ^'],
    [
      'cycles/overwrite/',
      "the term 'overwrite' is not supported",
      '       ^',
      'supported for every event: name, period, freq, call-graph, stack-size, max-stack, inherit, no-inherit',
    ],
  ])('%s', (text, message, caret, ...hints) => {
    expect(failure(text)).toBe([message, text, caret, ...hints].join('\n'));
  });

  it('a term that an event needs is requested', () => {
    expect(failure('hv_24x7/CPM_CYC/', POWER)).toBe(
      ['hv_24x7/CPM_CYC/ needs core=…', 'hv_24x7/CPM_CYC/', '        ^'].join('\n'),
    );
  });
});

const MEANINGS = [
  'where: u user, k kernel, h hypervisor, G guest, H host, I not while idle',
  'how: p, pp, ppp less skid, P least; groups: S read by the leader, W may be broken up',
  'on the counter: D pinned, e alone',
];

describe('form', () => {
  it.each([
    ['', 'an event is missing here', '^'],
    ['cycles,', 'an event is missing here', '       ^'],
    ['cycles,,faults', 'an event is missing here', '       ^'],
    ['cycles:', 'modifiers are missing here', '       ^'],
    ['{cycles}:', 'modifiers are missing here', '         ^'],
    ['cycles}', "unexpected '}'", '      ^'],
    ['cycles faults', "unexpected 'f'", '       ^'],
    ['{cycles,faults', 'this group has no closing }', '^'],
    ['{cycles;faults}', "unknown event 'cycles;faults'", ' ^', SEE_LIST],
    ['{cycles {', "unexpected '{' in a group", '        ^'],
    ['cpu/event=1', 'these terms have no closing /', '   ^'],
    ['cpu/event=1,/', 'a term is missing here', '            ^'],
    ['cycles:uz', "unknown modifier 'z'", '        ^', ...MEANINGS],
    ['cycles:uu', "modifier 'u' is given twice", '        ^'],
    ['cycles:pppp', 'modifiers ask for precision 4; 3 is the most', '       ^'],
    ['{cycles:ppp}:p', 'modifiers ask for precision 4; 3 is the most', '        ^'],
    ['cycles:u:k', "'k' is one word too many", '         ^'],
    ['cycles:u/period=1/k', "'k' is one word too many", '                  ^'],
    ['mem:here', "'here' is not an address", '    ^', 'write it like mem:0x601040/8:rw'],
    ['mem:0x10/9', 'a breakpoint covers 1 to 8 bytes, not 9', '         ^'],
    ['mem:0x10:y', "'y' is not an access", '         ^', 'r, w and x in any combination: rw'],
    ['4:cycles', "'cycles' is not a number of 64 bits", '  ^'],
  ])('%s', (text, message, caret, ...hints) => {
    expect(failure(text, NO_PMU)).toBe([message, text, caret, ...hints].join('\n'));
  });

  it('an error about an event shows control characters instead of passing them on', () => {
    expect(failure('cyc\u001b[31mles')).toBe(
      ["unknown event 'cyc\\x1b[31mles'", 'cyc\\x1b[31mles', '^', SEE_LIST].join('\n'),
    );
  });
});
