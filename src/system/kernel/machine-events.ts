import { join } from 'node:path';
import { PERF_COUNT_HW, PERF_TYPE } from '../../base/event-type.ts';
import {
  type EventSources,
  hybridPmus,
  type PmuDescription,
} from '../../kernel/events/event-sources.ts';
import { encodeAttr, newAttr } from '../../kernel/perf-event/attr.ts';
import { loadBinding } from '../../native/binding.ts';
import type { NativeBinding } from '../../native/types.ts';
import { listOrEmpty, readTrimmedOrNull } from '../small-file.ts';
import { readLibpfm } from './libpfm-library.ts';
import { openTracefs, type TracefsPlace } from './tracefs.ts';

/** Folders of this machine's files; tests hand in folders of their own. */
export type EventFilePlaces = {
  /** Mount point of sysfs. */
  readonly sysfs?: string;
  readonly tracefs?: TracefsPlace;
  /** `EventSources.hasExtendedTypes`; absent: the running kernel is asked. */
  readonly hasExtendedTypes?: boolean;
};

/** The events of this machine, from sysfs and tracefs. Nothing is read until it is asked for. */
export function readEventSources(places: EventFilePlaces = {}): EventSources {
  const devices = join(places.sysfs ?? '/sys', 'bus/event_source/devices');
  let pmus: readonly PmuDescription[] | null = null;
  let tracepoints: EventSources['tracepoints'] | null = null;
  let libpfm: EventSources['libpfm'];
  let { hasExtendedTypes } = places;
  return {
    get pmus() {
      pmus ??= listOrEmpty(devices)
        .sort()
        .flatMap((name) => describePmu(join(devices, name), name));
      return pmus;
    },
    get tracepoints() {
      tracepoints ??= openTracefs(places.tracefs);
      return tracepoints;
    },
    get libpfm() {
      libpfm ??= readLibpfm();
      return libpfm;
    },
    get hasExtendedTypes() {
      hasExtendedTypes ??= takesExtendedTypes(hybridPmus(this));
      return hasExtendedTypes;
    },
  };
}

/**
 * One PMU, its files read when first used: a server has a hundred uncore PMUs with a thousand
 * files. None for a folder without a `type`.
 */
function describePmu(folder: string, name: string): PmuDescription[] {
  const type = Number(readTrimmedOrNull(join(folder, 'type')) ?? Number.NaN);
  if (!Number.isInteger(type)) return [];
  let formats: ReadonlyMap<string, string> | null = null;
  let events: ReadonlyMap<string, string> | null = null;
  let caps: ReadonlyMap<string, string> | null = null;
  return [
    {
      name,
      type,
      get formats() {
        formats ??= readFiles(join(folder, 'format'));
        return formats;
      },
      get events() {
        events ??= readFiles(join(folder, 'events'), isEventFile);
        return events;
      },
      get caps() {
        caps ??= readFiles(join(folder, 'caps'));
        return caps;
      },
      get cpumask() {
        return readTrimmedOrNull(join(folder, 'cpumask'));
      },
      get cpus() {
        return readTrimmedOrNull(join(folder, 'cpus'));
      },
    },
  ];
}

/** `energy-pkg.unit`, `.scale`, `.per-pkg` and `.snapshot` state how to show an event's count. */
function isEventFile(name: string): boolean {
  return !/\.(?:unit|scale|per-pkg|snapshot)$/.test(name);
}

/** Every file of a folder with its text, sorted by name; empty without the folder. */
function readFiles(folder: string, isWanted: (name: string) => boolean = () => true) {
  const files = new Map<string, string>();
  for (const name of listOrEmpty(folder).sort().filter(isWanted)) {
    const text = readTrimmedOrNull(join(folder, name));
    if (text !== null) files.set(name, text);
  }
  return files;
}

/** The errno of perf_event_open where a PMU has no `PERF_PMU_CAP_EXTENDED_HW_TYPE`. */
const NOT_TAKEN: readonly string[] = ['ENOENT', 'EINVAL'];

/**
 * Whether the kernel takes `cycles` with the type of a core PMU in the upper half of config: on x86
 * wherever there are two kinds of cores, on arm since Linux 6.6. A refusal for want of rights tells
 * nothing, and counts as yes.
 */
export function takesExtendedTypes(
  pmus: readonly PmuDescription[],
  probe: NativeBinding['probeEvent'] = (...place) => loadBinding().probeEvent(...place),
): boolean {
  return pmus.every(({ name, type }) => {
    if (name.startsWith('cpu_')) return true;
    const attr = newAttr({
      type: PERF_TYPE.HARDWARE,
      config: (BigInt(type) << 32n) | BigInt(PERF_COUNT_HW.CPU_CYCLES),
      flags: { disabled: true, excludeKernel: true, excludeHv: true },
    });
    return !NOT_TAKEN.includes(probe(encodeAttr(attr), 0, -1).code);
  });
}
