import { readFileSync } from 'node:fs';
import { PERF_COUNT_SW, PERF_TYPE } from '../../src/base/event-type.ts';
import { type AttrFields, encodeAttr, newAttr } from '../../src/kernel/perf-event/attr.ts';
import { PERF_FORMAT, PERF_SAMPLE } from '../../src/kernel/perf-event/constants.ts';
import { loadBinding } from '../../src/native/binding.ts';
import type {
  NativeSampler,
  SamplerEvent,
  SamplerOptions,
  SamplerTarget,
} from '../../src/native/types.ts';

const SAMPLE_TYPE =
  PERF_SAMPLE.IDENTIFIER | PERF_SAMPLE.IP | PERF_SAMPLE.TID | PERF_SAMPLE.TIME | PERF_SAMPLE.CPU;
const READ_FORMAT =
  PERF_FORMAT.ID |
  PERF_FORMAT.TOTAL_TIME_ENABLED |
  PERF_FORMAT.TOTAL_TIME_RUNNING |
  PERF_FORMAT.LOST;

/** Attr bytes of a software event; inherited, CLOCK_MONOTONIC, ids on every record. */
export function softwareEvent(config: number, fields: AttrFields = {}): Uint8Array {
  return encodeAttr(
    newAttr({
      type: PERF_TYPE.SOFTWARE,
      config: BigInt(config),
      samplePeriod: 1,
      sampleType: SAMPLE_TYPE,
      readFormat: READ_FORMAT,
      clockid: 1,
      ...fields,
      flags: { inherit: true, sampleIdAll: true, useClockid: true, ...fields.flags },
    }),
  );
}

export const PAGE_FAULTS = softwareEvent(PERF_COUNT_SW.PAGE_FAULTS);
/** One sample per millisecond of CPU time. */
export const CPU_CLOCK = softwareEvent(PERF_COUNT_SW.CPU_CLOCK, { samplePeriod: 1_000_000 });
export const SIDEBAND = softwareEvent(PERF_COUNT_SW.DUMMY, {
  flags: { mmap: true, mmap2: true, comm: true, commExec: true, task: true },
});

/** The CPUs that are online, from a list such as `0-1,4`. */
export function onlineCpus(): number[] {
  const text = readFileSync('/sys/devices/system/cpu/online', 'utf8').trim();
  return text.split(',').flatMap((range) => {
    const [first, last] = range.split('-').map(Number) as [number, number?];
    return Array.from({ length: (last ?? first) - first + 1 }, (_, i) => first + i);
  });
}

export function commandTarget(argv: readonly string[]): SamplerTarget {
  const env = Object.entries(process.env).map(([name, value]) => `${name}=${value}`);
  return { kind: 'command', command: { path: argv[0], argv, env } };
}

export function samplerOptions(
  target: SamplerTarget,
  changes: Partial<SamplerOptions> = {},
): SamplerOptions {
  return {
    events: [{ attr: PAGE_FAULTS, leader: -1 }],
    sideband: SIDEBAND,
    cpus: onlineCpus(),
    sidebandCpus: onlineCpus(),
    target,
    ringPages: 64,
    sidebandPages: 16,
    latencyMs: 20,
    ...changes,
  };
}

export function openSampler(
  target: SamplerTarget,
  changes: Partial<SamplerOptions> = {},
): NativeSampler {
  return new (loadBinding().Sampler)(samplerOptions(target, changes));
}

export type RecordingEnded = Extract<SamplerEvent, { kind: 'recording-ended' }>;

/**
 * Records into `fd` (data from `dataOffset` on); settles with all events once the last has come.
 * `onEvent` gets each as it comes. Mappings, of which there may be any number, go to `onMapped` alone.
 */
export function recordToFile(
  sampler: NativeSampler,
  fd: number,
  changes: { dataOffset?: number; stream?: boolean; maxBytes?: number } = {},
  onEvent: (event: SamplerEvent) => void = () => {},
  onMapped: (records: Uint8Array) => void = () => {},
): Promise<SamplerEvent[]> {
  return new Promise((resolve) => {
    const events: SamplerEvent[] = [];
    const sink = { fd, dataOffset: 4096, dataSize: 0, stream: false, maxBytes: 0, ...changes };
    const last = sampler.opened.childPid < 0 ? 'recording-ended' : 'child-exited';
    sampler.startFile(sink, (event) => {
      if (event.kind === 'code-mapped') return onMapped(event.records);
      events.push(event);
      onEvent(event);
      const failed = events.some((earlier) => earlier.kind === 'exec-failed');
      if (event.kind === (failed ? 'recording-ended' : last)) resolve(events);
    });
  });
}

/** Records live; settles with all events and the bytes of all chunks joined. */
export function recordLive(
  sampler: NativeSampler,
  sink = { maxChunks: 64, chunkBytes: 65536 },
): Promise<{ events: SamplerEvent[]; bytes: Uint8Array }> {
  return new Promise((resolve) => {
    const events: SamplerEvent[] = [];
    const chunks: Uint8Array[] = [];
    const last = sampler.opened.childPid < 0 ? 'recording-ended' : 'child-exited';
    sampler.startLive(sink, (event) => {
      for (let chunk = sampler.takeChunk(); chunk !== null; chunk = sampler.takeChunk()) {
        chunks.push(chunk);
      }
      if (event.kind !== 'chunks') events.push(event);
      if (event.kind === last) resolve({ events, bytes: new Uint8Array(Buffer.concat(chunks)) });
    });
  });
}

export function endOf(events: readonly SamplerEvent[]): RecordingEnded {
  const end = events.find((event) => event.kind === 'recording-ended');
  if (end === undefined) throw new Error(`no recording-ended in ${JSON.stringify(events)}`);
  return end;
}

/** One record of a byte stream: its type, and where it lies. */
export type RecordPlace = {
  readonly type: number;
  readonly offset: number;
  readonly size: number;
};

/** Walks `struct perf_event_header { u32 type; u16 misc; u16 size; }` over whole records. */
export function walkRecords(bytes: Uint8Array): RecordPlace[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const records: RecordPlace[] = [];
  let offset = 0;
  while (offset < bytes.length) {
    const size = view.getUint16(offset + 6, true);
    if (size < 8 || offset + size > bytes.length) {
      throw new Error(`record of ${size} bytes at ${offset} of ${bytes.length}`);
    }
    records.push({ type: view.getUint32(offset, true), offset, size });
    offset += size;
  }
  return records;
}

export function countByType(records: readonly RecordPlace[]): Map<number, number> {
  const counts = new Map<number, number>();
  for (const { type } of records) counts.set(type, (counts.get(type) ?? 0) + 1);
  return counts;
}
