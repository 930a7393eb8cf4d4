import { release } from 'node:os';
import { type FailedError, failedBy } from '../../base/errors.ts';
import { words } from '../../base/words.ts';
import type { EventSpec } from '../../kernel/events/event-spec.ts';
import { openWords } from '../../kernel/events/open-reasons.ts';
import { explainPrecise } from '../../kernel/events/precise-help.ts';
import type { EventAttr } from '../../kernel/perf-event/attr.ts';
import { hasLbrCallchain } from '../../kernel/perf-event/attr.ts';
import { CLOCK_IDS, clockName } from '../../kernel/perf-event/clock-ids.ts';
import { PERF_SAMPLE } from '../../kernel/perf-event/constants.ts';
import { RECORD } from '../../options/record.ts';
import type { KernelSettings } from './kernel-settings.ts';
import { findLaterFeature } from './later-features.ts';
import { readEventSources } from './machine-events.ts';
import { explainRefusal } from './permission-help.ts';

/** An event that does not open in any form, and the kernel's last word on it. */
export type Refusal = {
  readonly spec: EventSpec;
  /** The attr that was tried last. */
  readonly attr: EventAttr;
  /** errno name. */
  readonly code: string;
};

const ABSENT = new Set(['ENOENT', 'ENODEV', 'EOPNOTSUPP', 'EINVAL', 'ENXIO']);
const REFUSED = new Set(['EACCES', 'EPERM']);

/** This machine does not have the event, or not with these settings. */
export function isAbsent(code: string): boolean {
  return ABSENT.has(code);
}

/** The machine has it, this user may not. */
export function isRefused(code: string): boolean {
  return REFUSED.has(code);
}

/** The error that states what stands in the way on a kernel of this release, and what to do about it. */
export function explainUnopenable(
  { spec, attr, code }: Refusal,
  settings: KernelSettings,
  systemWide: boolean,
  kernel = release(),
): FailedError {
  if (isRefused(code)) {
    return failedBy(
      code,
      `${spec.name}: the kernel refuses to open this event (${code})`,
      explainRefusal(settings, {
        kernel: !attr.flags.excludeKernel,
        systemWide,
        foreignProcess: false,
        rawTracepoint: (attr.sampleType & PERF_SAMPLE.RAW) !== 0,
        code,
      }),
    );
  }
  const later = isAbsent(code) ? findLaterFeature(attr, kernel) : null;
  if (later !== null) {
    const { name, since } = later;
    const what = name === spec.name ? 'it' : name;
    return failedBy(
      code,
      words`${spec.name}: cannot be opened: ${what} needs Linux ${since}, and this is ${kernel} (${code})`,
      [words`leave out ${name}, or boot Linux ${since} or later`],
    );
  }
  if (hasLbrCallchain(attr) && isAbsent(code)) {
    const where = spec.callGraph === null ? RECORD.callGraph.as('lbr') : 'call-graph=lbr';
    return failedBy(
      code,
      words`${where}: ${spec.name} has no branch records of calls here (${code})`,
      [
        words`instead: ${RECORD.callGraph.as('auto')}, which has complete stacks on any CPU; or dwarf, or fp`,
        'hardware events (cycles) have such records on Intel CPUs since Haswell; virtual machines ' +
          'mostly hide them: perf-ts cpu',
      ],
    );
  }
  if (attr.branchSampleType !== 0n && isAbsent(code)) {
    return failedBy(code, `${spec.name}: has no branch records here (${code})`, [
      "they come from some CPUs' own counters: cycles, on such a machine",
    ]);
  }
  const clock = slowClockOf(attr);
  if (code === 'EINVAL' && clock !== null) {
    return failedBy(code, `${spec.name}: the kernel has no times of ${clock} for it (${code})`, [
      words`${RECORD.clock} monotonic or monotonic_raw can be read wherever an event may happen`,
    ]);
  }
  const precise = explainPrecise(spec, code, readEventSources());
  return failedBy(code, `${spec.name}: cannot be opened: ${openWords(code, 'sampled')}`, [
    ...precise,
    'perf-ts list shows what opens here',
  ]);
}

/**
 * Name of the attr's clock if the kernel can't read it in every context, and so takes it for software
 * events only (`perf_event_set_clock`).
 */
function slowClockOf({ flags, clockid }: EventAttr): string | null {
  if (!flags.useClockid || clockid === CLOCK_IDS.monotonic || clockid === CLOCK_IDS.monotonic_raw) {
    return null;
  }
  return clockName(clockid);
}
