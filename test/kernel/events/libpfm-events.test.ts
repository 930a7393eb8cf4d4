import { describe, expect, it } from 'vitest';
import { UsageError } from '../../../src/base/errors.ts';
import type { EventSources } from '../../../src/kernel/events/event-sources.ts';
import { parseEvents } from '../../../src/kernel/events/parse-events.ts';
import { fakeLibpfm } from './fake-libpfm.ts';
import { drawSpec, HYBRID, INTEL } from './fake-machines.ts';

const EXCLUDE = { user: false, kernel: false, hv: false, idle: false, host: false, guest: true };

const SOURCES: EventSources = {
  ...INTEL,
  libpfm: fakeLibpfm({
    'INST_RETIRED:ANY_P': {},
    'INST_RETIRED:u': { exclude: { ...EXCLUDE, kernel: true } },
    'skl::INST_RETIRED:precise=2:period=7': { preciseIp: 2, period: 7 },
    'INST_RETIRED:freq=99:pinned': { frequency: 99, pinned: true },
    'INST_RETIRED:mg': { exclude: { ...EXCLUDE, host: true, guest: false } },
    'INST_RETIRED:cpu=3': { cpu: 3 },
    OFFCORE: { config: 0x1b7n, config1: 0x18007n },
    UNC_CAS: { type: 14, config: 0x304n, exclude: { ...EXCLUDE, hv: true } },
    PAGE_FAULTS: { type: 1, config: 2n },
    'MEM_LOAD_RETIRED:c=999': -9,
    'MEM_LOAD_RETIRED:L1_HIT:L3_MISS': -5,
    MEM_LOAD_RETIRED: -6,
  }),
};

const draw = (text: string, sources = SOURCES): string[] =>
  parseEvents(text, sources).map(drawSpec);

describe("libpfm's names", () => {
  it.each(
    Object.entries({
      'pfm::INST_RETIRED:ANY_P': ['pfm::INST_RETIRED:ANY_P = RAW/0xc0'],
      'pfm::INST_RETIRED:u': ['pfm::INST_RETIRED:u = RAW/0xc0 -kernel'],
      'pfm::skl::INST_RETIRED:precise=2:period=7': [
        'pfm::skl::INST_RETIRED:precise=2:period=7 = RAW/0xc0 precise=2 period=7',
      ],
      'pfm::INST_RETIRED:freq=99:pinned': [
        'pfm::INST_RETIRED:freq=99:pinned = RAW/0xc0 pinned frequency=99',
      ],
      'pfm::INST_RETIRED:mg': ['pfm::INST_RETIRED:mg = RAW/0xc0 -host guests'],
      'pfm::INST_RETIRED:cpu=3': ['pfm::INST_RETIRED:cpu=3 = RAW/0xc0 cpus=3'],
      'pfm::OFFCORE': ['pfm::OFFCORE = RAW/0x1b7 config1=0x18007'],
      'pfm::PAGE_FAULTS': ['pfm::PAGE_FAULTS = SOFTWARE/0x2'],
      // An uncore PMU answers on its own CPUs and refuses every exclusion.
      'pfm::UNC_CAS': ['pfm::UNC_CAS = 14/0x304 guests cpus=0+18 uncore'],
    }),
  )('%s', (text, expected) => {
    expect(draw(text)).toEqual(expected);
  });

  it.each(
    Object.entries({
      // A rate between the slashes takes the place of the one in the name.
      'pfm::INST_RETIRED:freq=99:pinned/period=5/': [
        'pfm::INST_RETIRED:freq=99:pinned/period=5/ = RAW/0xc0 pinned period=5',
      ],
      'pfm::INST_RETIRED:u//pp': ['pfm::INST_RETIRED:u//pp = RAW/0xc0 -kernel precise=2'],
      '{pfm::INST_RETIRED:ANY_P,pfm::INST_RETIRED:u}:u': [
        'pfm::INST_RETIRED:ANY_P//u = RAW/0xc0 -kernel-hv group=0 leader',
        'pfm::INST_RETIRED:u//u = RAW/0xc0 -kernel-hv group=0',
      ],
      'cycles,pfm::OFFCORE,faults': [
        'cycles = HARDWARE/0x0',
        'pfm::OFFCORE = RAW/0x1b7 config1=0x18007',
        'page-faults = SOFTWARE/0x2',
      ],
    }),
  )("%s: perf's modifiers add to libpfm's", (text, expected) => {
    expect(draw(text)).toEqual(expected);
  });

  it("libpfm's names mean one core type on hybrid processors", () => {
    const sources = { ...HYBRID, libpfm: SOURCES.libpfm as NonNullable<typeof SOURCES.libpfm> };
    expect(draw('pfm::INST_RETIRED:ANY_P', sources)).toHaveLength(1);
  });
});

/** The whole message as the user sees it. */
function failure(text: string, sources: EventSources = SOURCES): string[] {
  try {
    parseEvents(text, sources);
  } catch (error) {
    if (error instanceof UsageError) return [error.message, ...error.hints];
    throw error;
  }
  throw new Error(`${text} parsed`);
}

describe('a name that libpfm refuses', () => {
  const MEM_LOAD = ['unit masks: L1_HIT, L3_MISS', 'modifiers: u, k, c=N, precise=N'];

  it.each<[string, string[]]>([
    [
      'pfm::INST_RETIERD',
      [
        "libpfm has no event 'INST_RETIERD' for skl",
        'pfm::INST_RETIERD',
        '     ^',
        'did you mean INST_RETIRED?',
        "perf-ts list 'pfm::*' shows what there is",
      ],
    ],
    [
      'pfm::spr::INST_RETIRED',
      [
        "libpfm knows the model 'spr', but this machine is another",
        'pfm::spr::INST_RETIRED',
        '     ^',
        'models of this machine: skl',
      ],
    ],
    [
      'pfm::skx::INST_RETIRED',
      [
        "libpfm has no model 'skx'",
        'pfm::skx::INST_RETIRED',
        '     ^',
        'did you mean skl?',
        'models of this machine: skl',
      ],
    ],
    [
      'pfm::skl::MEM_LOAD_RETIRED:L3_MIS:u',
      [
        "MEM_LOAD_RETIRED has no unit mask or modifier 'L3_MIS'",
        'pfm::skl::MEM_LOAD_RETIRED:L3_MIS:u',
        '                           ^',
        'did you mean L3_MISS?',
        ...MEM_LOAD,
      ],
    ],
    [
      'pfm::MEM_LOAD_RETIRED:ppp',
      [
        "MEM_LOAD_RETIRED has no unit mask or modifier 'ppp'",
        'pfm::MEM_LOAD_RETIRED:ppp',
        '                      ^',
        'libpfm writes it :precise=3',
        ...MEM_LOAD,
      ],
    ],
    [
      'pfm::MEM_LOAD_RETIRED:uk',
      [
        "MEM_LOAD_RETIRED has no unit mask or modifier 'uk'",
        'pfm::MEM_LOAD_RETIRED:uk',
        '                      ^',
        'libpfm writes it :u:k',
        'did you mean u or k?',
        ...MEM_LOAD,
      ],
    ],
    [
      'pfm::MEM_LOAD_RETIRED:c=999',
      [
        "MEM_LOAD_RETIRED: libpfm reports 'error -9'",
        'pfm::MEM_LOAD_RETIRED:c=999',
        '                      ^',
        'the value is too wide for its bits, or none is given',
        ...MEM_LOAD,
      ],
    ],
    [
      'pfm::MEM_LOAD_RETIRED:L1_HIT:L3_MISS',
      [
        "MEM_LOAD_RETIRED: libpfm reports 'error -5'",
        'pfm::MEM_LOAD_RETIRED:L1_HIT:L3_MISS',
        '                      ^',
        'these unit masks or modifiers exclude each other',
        ...MEM_LOAD,
      ],
    ],
    [
      'pfm::MEM_LOAD_RETIRED',
      [
        "MEM_LOAD_RETIRED: libpfm reports 'error -6'",
        'pfm::MEM_LOAD_RETIRED',
        '     ^',
        'name one unit mask of those below',
        ...MEM_LOAD,
      ],
    ],
  ])('%s', (text, expected) => {
    expect(failure(text)).toEqual(expected);
  });

  it('a missing libpfm is reported with the install command', () => {
    const problem = 'libpfm.so.4: cannot open shared object file';
    const sources = { ...INTEL, libpfm: { ...fakeLibpfm(), problem } };
    expect(failure('cycles,pfm::X', sources)).toEqual([
      `libpfm's names can't be used: ${problem}`,
      'cycles,pfm::X',
      '       ^',
      'install it as root: apt-get install libpfm4 (Fedora: libpfm)',
    ]);
  });

  it("libpfm's names take no PMU terms", () => {
    expect(failure('pfm::INST_RETIRED:ANY_P/umask=1/')[0]).toBe(
      "pfm::INST_RETIRED:ANY_P has no term 'umask'",
    );
  });
});
