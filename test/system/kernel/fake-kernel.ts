import type { EventSources } from '../../../src/kernel/events/event-sources.ts';
import { parseEvents } from '../../../src/kernel/events/parse-events.ts';
import { type EventAttr, parseAttr } from '../../../src/kernel/perf-event/attr.ts';
import { PERF_FORMAT, sampleTypeNames } from '../../../src/kernel/perf-event/constants.ts';
import type { NativeBinding } from '../../../src/native/types.ts';
import type { RecordSettings } from '../../../src/options/record.ts';
import {
  type PlannedEvent,
  planRecording,
  type RecordingPlan,
} from '../../../src/record/plan/recording-plan.ts';
import type { KernelFeatures } from '../../../src/system/kernel/kernel-features.ts';
import type { KernelSettings } from '../../../src/system/kernel/kernel-settings.ts';
import { INTEL } from '../../kernel/events/fake-machines.ts';

/** What a kernel says to an attr: an errno name, or the empty text when it opens the event. */
export type KernelRule = (attr: EventAttr, pid: number, cpu: number) => string;

/** A kernel that knows `attrSize` bytes of the struct and otherwise follows the rule. */
export function fakeKernel(rule: KernelRule, attrSize = 144) {
  /** Every attr that it was shown, in order. */
  const asked: EventAttr[] = [];
  const probe: NativeBinding['probeEvent'] = (bytes, pid, cpu) => {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const attr = parseAttr(view, bytes.length, true);
    asked.push(attr);
    if (bytes.length > attrSize && bytes.subarray(attrSize).some((byte) => byte !== 0)) {
      return { errno: 7, code: 'E2BIG', kernelAttrSize: attrSize };
    }
    const code = rule(attr, pid, cpu);
    return { errno: code === '' ? 0 : 1, code, kernelAttrSize: 0 };
  };
  return { probe, asked };
}

export const opensEverything: KernelRule = () => '';

export const NEW_KERNEL: KernelFeatures = {
  lost: true,
  buildId: true,
  weightStruct: true,
  inheritedRead: true,
  cgroups: true,
};

export const USUAL_SETTINGS: KernelSettings = {
  paranoidLevel: 2,
  maxSampleRateHz: 100_000,
  mlockKib: 516,
  memlockKib: 64,
  cpuTimeMaxPercent: 25,
  kptrRestrict: 0,
};

export type Machine = {
  readonly sources?: EventSources;
  readonly rule?: KernelRule;
  readonly attrSize?: number;
  readonly features?: Partial<KernelFeatures>;
  readonly settings?: Partial<KernelSettings>;
  readonly cpus?: readonly number[];
};

/** The plan for events as `-e` writes them, on a machine that is the usual one but for `machine`. */
export function planOf(
  events: string,
  options: RecordSettings = {},
  machine: Machine = {},
): RecordingPlan {
  const { rule = opensEverything, attrSize, sources = INTEL, cpus = [0, 1] } = machine;
  return planRecording(parseEvents(events, sources), options, {
    probe: fakeKernel(rule, attrSize).probe,
    settings: { ...USUAL_SETTINGS, ...machine.settings },
    features: { ...NEW_KERNEL, ...machine.features },
    cpus,
  });
}

/** What all events have, and so no drawing shows. */
const COMMON = ['IP', 'TID', 'TIME', 'CPU', 'STREAM_ID', 'IDENTIFIER'];
const COMMON_FLAGS = ['sampleIdAll', 'useClockid', 'freq', 'excludeGuest'];

/**
 * A planned event in one line: name, rate, sample fields and flags beyond those that all have.
 *
 *   cpu-clock:u 4000 Hz PERIOD CALLCHAIN | inherit excludeKernel excludeHv
 */
export function drawEvent({ name, attr, leader }: PlannedEvent): string {
  const { flags, samplePeriod } = attr;
  const parts = [name, flags.freq ? `${samplePeriod} Hz` : `1/${samplePeriod}`];
  parts.push(...sampleTypeNames(attr.sampleType).filter((field) => !COMMON.includes(field)));
  if (attr.readFormat & PERF_FORMAT.GROUP) parts.push('GROUP');
  parts.push('|');
  for (const [flag, value] of Object.entries(flags)) {
    if (COMMON_FLAGS.includes(flag)) continue;
    if (value === true) parts.push(flag);
    else if (value !== false && value > 0) parts.push(`${flag}=${value}`);
  }
  if (leader >= 0) parts.push(`led by ${leader}`);
  return parts.join(' ');
}

export function drawPlan(plan: RecordingPlan): string[] {
  return plan.events.map(drawEvent);
}
