import { readFileSync } from 'node:fs';
import { ByteWriter } from '../../base/byte-writer.ts';
import { groupBy } from '../../base/group-by.ts';
import type { EventAttr } from '../../kernel/perf-event/attr.ts';
import {
  PERF_FORMAT,
  PERF_RECORD,
  PERF_RECORD_MISC,
  PERF_SAMPLE,
} from '../../kernel/perf-event/constants.ts';
import { parseFormatFile } from '../../kernel/tracepoint/format-file.ts';
import type { SamplerOpened, SamplerTarget } from '../../native/types.ts';
import type { RecordSettings } from '../../options/record.ts';
import { OFF_CPU_EVENT } from '../../profile/wait-event.ts';
import { readFormatTexts } from '../../system/kernel/tracefs.ts';
import {
  findSleepingThreads,
  type SleepingThread,
} from '../../system/processes/sleeping-threads.ts';
import { listProcesses } from '../../system/processes/system-processes.ts';
import { listThreads } from '../../system/processes/thread-stat.ts';
import { isDelayed } from '../plan/check-options.ts';
import type { RecordingPlan } from '../plan/recording-plan.ts';

/** Records of the waits that are under way when a recording begins, and in words what they are. */
export type BegunWaits = { readonly records: Uint8Array; readonly notice: string };

/**
 * Finds the waits of threads of a target that runs already. Null without `--off-cpu`, where
 * nothing waits, and where the recording begins later (`--delay`): what sleeps by then is not known.
 */
export function findBegunWaits(
  plan: RecordingPlan,
  target: SamplerTarget,
  opened: SamplerOpened,
  options: RecordSettings,
  readClockNs: () => bigint,
): BegunWaits | null {
  const { cgroup, cpus } = options;
  if (isDelayed(options) || cgroup !== undefined) return null;
  if (target.kind === 'command' || !plan.events.some(({ name }) => name === OFF_CPU_EVENT))
    return null;
  const isWholeSystem = target.kind === 'system';
  const tids = isWholeSystem ? listProcesses().flatMap(listThreads) : [...opened.tids];
  // Reading this takes long: before the threads, so that their states are fresh.
  const kallsyms = readKallsyms();
  const sleeping = findSleepingThreads(tids).filter(
    ({ cpu }) => !isWholeSystem || cpus === undefined || cpus.includes(cpu),
  );
  if (sleeping.length === 0) return null;
  const records = describeBegunWaits(plan, opened, sleeping, kallsyms, readClockNs);
  const threads = sleeping.length === 1 ? '1 thread was' : `${sleeping.length} threads were`;
  const began = `off-cpu: ${threads} asleep when the recording began:`;
  if (records === null) {
    const notice = `${began} the waits until they ran are missing`;
    return { records: new Uint8Array(0), notice };
  }
  const notice = `${began} these waits count from then on, without the callers in the program`;
  return { records, notice };
}

/**
 * Samples of the `off-cpu` event for threads that sleep when the recording begins, as if they had left
 * their CPU at that moment: a reader leads them to the records that bring the threads back, and what
 * sleeps all the time counts from the beginning to the end. The stack is the kernel's own account of
 * it, and the innermost function of the program: its callers are known when the thread runs.
 */
function describeBegunWaits(
  plan: RecordingPlan,
  opened: SamplerOpened,
  threads: readonly SleepingThread[],
  kallsyms: string,
  readClockNs: () => bigint,
): Uint8Array | null {
  const index = plan.events.findIndex(({ name }) => name === OFF_CPU_EVENT);
  const event = plan.events[index];
  const id = opened.ids[index]?.[0];
  if (event === undefined || id === undefined || !canEncode(event.attr)) return null;
  const raw = event.spec.tracepoint === null ? null : rawWriter(event.spec);
  const places = threads.flatMap(({ kernelStack }) => kernelStack);
  const addresses = kernelAddresses(places, kallsyms);
  const timeNs = readClockNs();
  const seesKernel = !event.attr.flags.excludeKernel;
  const records = threads.map((thread) =>
    encodeWait(event.attr, id, timeNs, thread, {
      kernel: seesKernel ? thread.kernelStack.flatMap((at) => addresses.get(at) ?? []) : [],
      user: thread.userIp === null ? [] : [thread.userIp],
      raw: raw === null ? new Uint8Array(0) : raw(thread),
    }),
  );
  return Buffer.concat(records);
}

const ENCODED =
  PERF_SAMPLE.IDENTIFIER |
  PERF_SAMPLE.IP |
  PERF_SAMPLE.TID |
  PERF_SAMPLE.TIME |
  PERF_SAMPLE.ADDR |
  PERF_SAMPLE.ID |
  PERF_SAMPLE.STREAM_ID |
  PERF_SAMPLE.CPU |
  PERF_SAMPLE.PERIOD |
  PERF_SAMPLE.READ |
  PERF_SAMPLE.CALLCHAIN |
  PERF_SAMPLE.RAW |
  PERF_SAMPLE.REGS_USER |
  PERF_SAMPLE.STACK_USER;

function canEncode({ sampleType, readFormat, flags }: EventAttr): boolean {
  // The time is read on a clock that programs can read, too.
  return (
    (sampleType & ~ENCODED) === 0 && (readFormat & PERF_FORMAT.GROUP) === 0 && flags.useClockid
  );
}

const CONTEXT_KERNEL = BigInt.asUintN(64, -128n);
const CONTEXT_USER = BigInt.asUintN(64, -512n);

type WaitFields = {
  /** Innermost first. */
  readonly kernel: readonly bigint[];
  readonly user: readonly bigint[];
  /** Raw data of the tracepoint. */
  readonly raw: Uint8Array;
};

/** The fields in the order of `perf_output_sample` in kernel/events/core.c. */
function encodeWait(
  { sampleType, readFormat }: EventAttr,
  id: bigint,
  timeNs: bigint,
  { pid, tid, cpu }: SleepingThread,
  { kernel, user, raw }: WaitFields,
): Uint8Array {
  const inKernel = kernel.length > 0;
  const misc = inKernel ? PERF_RECORD_MISC.KERNEL : PERF_RECORD_MISC.USER;
  const out = new ByteWriter(true).u32(PERF_RECORD.SAMPLE).u16(misc).u16(0);
  const has = (bit: number): boolean => (sampleType & bit) !== 0;
  if (has(PERF_SAMPLE.IDENTIFIER)) out.u64(id);
  if (has(PERF_SAMPLE.IP)) out.u64(kernel[0] ?? user[0] ?? 0n);
  if (has(PERF_SAMPLE.TID)) out.u32(pid).u32(tid);
  if (has(PERF_SAMPLE.TIME)) out.u64(timeNs);
  if (has(PERF_SAMPLE.ADDR)) out.u64(0);
  if (has(PERF_SAMPLE.ID)) out.u64(id);
  if (has(PERF_SAMPLE.STREAM_ID)) out.u64(id);
  if (has(PERF_SAMPLE.CPU)) out.u32(cpu).u32(0);
  if (has(PERF_SAMPLE.PERIOD)) out.u64(1);
  if (has(PERF_SAMPLE.READ)) {
    out.u64(0);
    if (readFormat & PERF_FORMAT.TOTAL_TIME_ENABLED) out.u64(0);
    if (readFormat & PERF_FORMAT.TOTAL_TIME_RUNNING) out.u64(0);
    if (readFormat & PERF_FORMAT.ID) out.u64(id);
    if (readFormat & PERF_FORMAT.LOST) out.u64(0);
  }
  if (has(PERF_SAMPLE.CALLCHAIN)) {
    const chain = [
      ...(inKernel ? [CONTEXT_KERNEL, ...kernel] : []),
      ...(user.length > 0 ? [CONTEXT_USER, ...user] : []),
    ];
    out.u64(chain.length);
    for (const entry of chain) out.u64(entry);
  }
  if (has(PERF_SAMPLE.RAW)) {
    // The size and what follows it fill whole words.
    const padded = Math.ceil((raw.length + 4) / 8) * 8 - 4;
    out.u32(padded).bytes(raw);
    for (let i = raw.length; i < padded; i++) out.u8(0);
  }
  // No registers, no copy of the stack.
  if (has(PERF_SAMPLE.REGS_USER)) out.u64(0);
  if (has(PERF_SAMPLE.STACK_USER)) out.u64(0);
  out.patchU16(6, out.length);
  return out.finish();
}

/** `prev_state` by the letter that `/proc` has for it. */
const STATE_BITS: Readonly<Record<string, number>> = { S: 1, D: 2, T: 4, t: 8, P: 0x40, I: 0x80 };

/** Raw data of `sched:sched_switch` for a thread that leaves its CPU, as its format file has it. */
function rawWriter(
  spec: Parameters<typeof readFormatTexts>[0][number],
): ((thread: SleepingThread) => Uint8Array) | null {
  const text = readFormatTexts([spec]).formats[0]?.text ?? '';
  const format = parseFormatFile(text, 8);
  if (format === null) return null;
  const fields = [...format.commonFields, ...format.fields];
  const size = Math.max(...fields.map((field) => field.offset + field.size));
  return ({ tid, state }) => {
    const raw = new Uint8Array(size);
    const view = new DataView(raw.buffer);
    const values: Readonly<Record<string, number>> = {
      common_type: format.id,
      common_pid: tid,
      prev_pid: tid,
      prev_state: STATE_BITS[state] ?? 1,
    };
    for (const { name, offset, size: bytes } of fields) {
      const value = values[name];
      if (value === undefined) continue;
      if (bytes === 2) view.setUint16(offset, value, true);
      else view.setUint32(offset, value, true);
    }
    return raw;
  };
}

/** Addresses of `function+0x12` by this text; those that may not be known are left out. */
function kernelAddresses(places: readonly string[], kallsyms: string): Map<string, bigint> {
  const found = new Map<string, bigint>();
  if (places.length === 0) return found;
  const byName = groupBy(new Set(places), (place) => place.slice(0, place.lastIndexOf('+')));
  for (const [, hex, name] of kallsyms.matchAll(/^([0-9a-f]+) \S (\S+)/gm)) {
    const wanted = byName.get(name);
    if (wanted === undefined) continue;
    byName.delete(name);
    const start = BigInt(`0x${hex}`);
    // Zeros for those who may not know.
    if (start === 0n) continue;
    for (const place of wanted) {
      found.set(place, start + BigInt(place.slice(place.lastIndexOf('+') + 1)));
    }
  }
  return found;
}

function readKallsyms(): string {
  try {
    return readFileSync('/proc/kallsyms', 'latin1');
  } catch {
    return '';
  }
}
