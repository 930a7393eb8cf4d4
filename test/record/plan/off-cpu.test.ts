import { describe, expect, it } from 'vitest';
import { Diagnostics } from '../../../src/base/diagnostics.ts';
import { PERF_COUNT_SW, PERF_TYPE } from '../../../src/base/event-type.ts';
import { encodeTracingData } from '../../../src/formats/perf-data/encode-tracing-data.ts';
import type { PerfData } from '../../../src/formats/perf-data/reader.ts';
import { SampleView } from '../../../src/kernel/perf-event/sample.ts';
import { STATE_PREEMPTED, STATE_UNKNOWN } from '../../../src/profile/off-cpu/wait-states.ts';
import type { BegunWait } from '../../../src/profile/off-cpu/wake-ups.ts';
import { OffCpuLog } from '../../../src/read/logs/off-cpu-log.ts';
import { SwitchLog } from '../../../src/read/logs/switch-log.ts';
import { chooseOffCpu } from '../../../src/record/plan/off-cpu.ts';
import { INTEL } from '../../kernel/events/fake-machines.ts';
import { fakeKernel } from '../../system/kernel/fake-kernel.ts';

const { TRACEPOINT, SOFTWARE } = PERF_TYPE;

const BY_POINTERS = { callGraph: 'fp', stackSizeBytes: null } as const;

describe('the event that samples waits', () => {
  it('off-CPU time is sampled by sched:sched_switch, at each switch, with stacks', () => {
    const { probe } = fakeKernel(() => '');
    const { specs, notices } = chooseOffCpu({ wakeUps: false }, BY_POINTERS, INTEL, probe);
    expect(specs).toMatchObject([
      { name: 'off-cpu', type: TRACEPOINT, period: 1, callGraph: 'fp' },
    ]);
    expect(notices).toEqual([]);
    const unwound = { callGraph: 'auto', stackSizeBytes: 16_384 } as const;
    expect(chooseOffCpu({}, unwound, INTEL, probe).specs[0]).toMatchObject(unwound);
  });

  it.each(['EACCES', 'EPERM'])(
    'off-CPU time is sampled by context-switches where the tracepoint is %s',
    (code) => {
      const { probe } = fakeKernel(({ type }) => (type === TRACEPOINT ? code : ''));
      const { specs, notices } = chooseOffCpu({}, BY_POINTERS, INTEL, probe);
      const config = BigInt(PERF_COUNT_SW.CONTEXT_SWITCHES);
      expect(specs).toMatchObject([{ name: 'off-cpu', type: SOFTWARE, config, period: 1 }]);
      expect(notices.join()).toContain(`sched:sched_switch cannot be recorded here (${code}`);
    },
  );
});

/** The log of a recording with `sched:sched_waking`, of which two fields are there: flags at 2, pid at 4. */
function wakeUpLog() {
  const text = [
    'name: sched_waking',
    'ID: 375',
    'format:',
    '\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;',
    '',
    '\tfield:pid_t pid;\toffset:4;\tsize:4;\tsigned:1;',
    '',
    'print fmt: "pid=%d", REC->pid',
    '',
  ].join('\n');
  const formats = [{ system: 'sched', text }];
  const section = encodeTracingData({ headerPage: '', headerEvent: '', formats, pageSize: 4096 });
  const data = {
    attrs: [
      { name: 'off-cpu', attr: { type: SOFTWARE } },
      { name: 'off-cpu-wake-up', attr: { type: TRACEPOINT, config: 375n } },
    ],
    littleEndian: true,
    sections: { bytes: () => section },
    diagnostics: new Diagnostics(),
  };
  const processes = { knownComm: () => null };
  return { log: OffCpuLog.find(data as unknown as PerfData).log, processes };
}

describe('the log of waits', () => {
  /** Without a tracepoint: samples of thread 7 at these times, and its switches. */
  function logOf(
    times: readonly number[],
    switches: readonly [number, 'in' | 'out' | 'preempted'][],
  ) {
    const attrs = [{ name: 'cpu-clock' }, { name: 'off-cpu', attr: { type: SOFTWARE } }];
    const { attrIndex, log } = OffCpuLog.find({ attrs, littleEndian: true } as unknown as PerfData);
    expect(attrIndex).toBe(1);
    const sample = new SampleView({ high: 0, low: 0 });
    sample.tid = 7;
    const switchLog = new SwitchLog();
    for (const [timeNs, kind] of switches) {
      const record = { isOut: kind !== 'in', isPreempted: kind === 'preempted' };
      switchLog.note(record, { pid: 7, tid: 7, cpu: 0, timeNs });
    }
    times.forEach((timeNs, row) => {
      sample.timeNs = timeNs;
      const state = log.stateOf(sample);
      expect(state).toBe(STATE_UNKNOWN);
      log.note(row, state as number, sample, { thread: 0, comm: 0, stream: 0 });
    });
    const periods = new Float64Array(times.length).fill(1);
    const samples = { periodEvents: periods, stack: new Int32Array(times.length) };
    const diagnostics = new Diagnostics();
    const waits = log.finish(samples, switchLog.finish(), Math.max(...times), diagnostics);
    return { periods: [...periods], states: [...waits.state], diagnostics };
  }

  it('the off-CPU log gives samples their duration and state', () => {
    const { periods, states } = logOf(
      [10, 30, 60],
      [
        [11, 'out'],
        [20, 'in'],
        [31, 'preempted'],
        [35, 'in'],
        [61, 'out'],
        [70, 'in'],
      ],
    );
    expect(periods).toEqual([10, 5, 10]);
    expect(states).toEqual([STATE_UNKNOWN, STATE_PREEMPTED, STATE_UNKNOWN]);
  });

  it('the log counts waits whose end was lost', () => {
    const { periods, diagnostics } = logOf([10, 30], [[35, 'in']]);
    expect(periods).toEqual([0, 5]);
    expect(diagnostics.entries()).toMatchObject([{ code: 'wait-end-lost', count: 1 }]);
  });

  it('the log counts waits whose wake-up was not recorded', () => {
    const { log, processes } = wakeUpLog();
    const raw = new DataView(new ArrayBuffer(16));
    raw.setUint32(4, 7, true);
    const sample = new SampleView({ high: 0, low: 0 });
    sample.tid = 7;
    const at = (timeNs: number): SampleView => Object.assign(sample, { timeNs });
    const task = { thread: 0, comm: 0, stream: 0 };
    const SLEEPING = 1;
    log.note(0, SLEEPING, at(10), task);
    Object.assign(sample, { view: raw, rawOffset: 0, rawLength: 16 });
    const wait = log.waitOfWoken(at(15)) as BegunWait;
    log.noteWakeUp(1, wait, sample, processes);
    log.noteIn(7);
    log.note(2, SLEEPING, at(30), task);
    log.noteIn(7);
    // Who could have gone on needs nobody to wake it.
    log.note(3, 0, at(50), task);
    log.noteIn(7);
    const switchLog = new SwitchLog();
    for (const timeNs of [20, 40, 60]) {
      switchLog.note({ isOut: false, isPreempted: false }, { pid: 7, tid: 7, cpu: 0, timeNs });
    }
    const samples = { periodEvents: new Float64Array(4), stack: new Int32Array(4) };
    const diagnostics = new Diagnostics();
    log.finish(samples, switchLog.finish(), 60, diagnostics);
    expect([...samples.periodEvents]).toEqual([5, 5, 10, 10]);
    expect(diagnostics.entries()).toMatchObject([{ code: 'wake-up-unrecorded', count: 1 }]);
  });

  it('the off-CPU log leaves out idle CPUs', () => {
    const data = { attrs: [], littleEndian: true } as unknown as PerfData;
    const { attrIndex, log } = OffCpuLog.find(data);
    const sample = new SampleView({ high: 0, low: 0 });
    sample.tid = 0;
    expect(attrIndex).toBe(-1);
    expect(log.stateOf(sample)).toBeNull();
  });
});
