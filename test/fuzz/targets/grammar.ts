// What users write: events, times, fields, selections, simulations, registers.

import { globMatcher } from '../../../src/base/glob.ts';
import { parseRegister } from '../../../src/cli/cpu/cpu-explain.ts';
import { parseSimulationSpec } from '../../../src/cli/periods/simulate.ts';
import { parseSort } from '../../../src/cli/report/sort-keys.ts';
import { chooseFields } from '../../../src/cli/script/fields.ts';
import { readPort } from '../../../src/cli/view/view.ts';
import { listEvents } from '../../../src/kernel/events/event-list.ts';
import { parseEvents } from '../../../src/kernel/events/parse-events.ts';
import { newAttr } from '../../../src/kernel/perf-event/attr.ts';
import { takesWords } from '../../../src/options/option.ts';
import { attributeOf, readFlags } from '../../../src/options/read-flags.ts';
import { RECORD } from '../../../src/options/record.ts';
import { REPORT } from '../../../src/options/report.ts';
import { parseTimeRanges } from '../../../src/profile/time-range.ts';
import { parseControl } from '../../../src/record/control.ts';
import { AMD, ARM, BIG_LITTLE, HYBRID, INTEL, NO_PMU } from '../../kernel/events/fake-machines.ts';
import { pick, type Random } from '../mutate-bytes.ts';
import { mutateText } from '../mutate-text.ts';
import { type Target, toBytes, toText } from '../target.ts';

const EVENTS = [
  'cycles:u,instructions:k',
  '{cycles,instructions}:S',
  'cpu/event=0x3c,umask=0x01,name=foo/ppu',
  'cpu/cpu-cycles,period=1000,freq=99,call-graph=fp/u',
  'sched:sched_switch,syscalls:sys_enter_*',
  'r1a8,r0x3c:p',
  'mem:0x1000/8:rw',
  'L1-dcache-load-misses,LLC-loads',
  'uncore_imc/cas_count_read/',
  'cpu_core/mem-loads,ldlat=30/P',
  'pfm::RETIRED_INSTRUCTIONS',
  'software/config=1/,page-faults',
];

const OTHERS = [
  '4585.388877237,4585.5',
  '1.0,2.0 5.0,6.0',
  '10%-20%,30%-40%',
  '10%/2,10%/4',
  'comm,tid,time,ip,sym',
  '+addr,-cpu',
  'trace:time,trace',
  'sym,dso,thread',
  '1M/s for 100ms, 10k/s for 1s, sleep for 500ms',
  '0x4300c0',
  'fd:10,11',
  'dwarf,8192',
  '512K',
  '0-3,8',
  '99.5',
  '*a[!b-z]?[]]',
];

const MACHINES = [INTEL, AMD, ARM, BIG_LITTLE, HYBRID, NO_PMU];
const RECORDED = { startTime: 4_585_000_000_000n, firstNs: 5, lastNs: 9_000_000_000 };
const FIELD_EVENT = {
  name: 'cycles',
  attr: newAttr({ type: 0, config: 0n, sampleType: 0xffff }),
};

const PARSERS: readonly ((text: string) => unknown)[] = [
  (text) => parseTimeRanges(text, RECORDED),
  (text) => chooseFields([text], [FIELD_EVENT]),
  parseSort,
  parseSimulationSpec,
  parseRegister,
  parseControl,
  ...Object.values({ ...RECORD, ...REPORT })
    .flatMap(({ flags }) => flags)
    .filter(takesWords)
    .map(
      (flag) => (text: string) =>
        readFlags({ ...RECORD, ...REPORT }, { [attributeOf(flag)]: text }),
    ),
  readPort,
  (text) => globMatcher(text)('sched_process_exec_'.repeat(3)),
];

const mutate = (all: readonly Uint8Array[], random: Random) =>
  toBytes(mutateText(toText(pick(random, all)), toText(pick(random, all)), random));

export const grammarTargets: readonly Target[] = [
  {
    name: 'events',
    seeds: () => EVENTS.map(toBytes),
    mutate,
    read(bytes, random) {
      parseEvents(toText(bytes), pick(random, MACHINES));
    },
  },
  {
    name: 'list',
    seeds: () => EVENTS.map(toBytes),
    mutate,
    read(bytes, random) {
      listEvents(pick(random, MACHINES), { filter: toText(bytes) });
    },
    fewCases: 50,
  },
  {
    name: 'options',
    seeds: () => OTHERS.map(toBytes),
    mutate,
    read(bytes, random) {
      pick(random, PARSERS)(toText(bytes));
    },
  },
];
