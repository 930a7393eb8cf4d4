import type { EventAttr } from './attr.ts';
import { hasLbrCallchain } from './attr.ts';
import {
  PERF_FORMAT_MAX,
  PERF_RECORD,
  PERF_RECORD_USER_TYPE_START,
  PERF_SAMPLE,
  PERF_SAMPLE_BRANCH,
  PERF_SAMPLE_MAX,
} from './constants.ts';
import { RECORD_HEADER_SIZE, type RecordView } from './record-view.ts';

/**
 * Facts that depend only on an event's attr, computed once: where the time and the event id lie in its
 * records. Ordering and dispatch read these without parsing anything else.
 */
export type ParseInfo = {
  readonly littleEndian: boolean;
  readonly sampleType: number;
  readonly readFormat: number;
  readonly sampleIdAll: boolean;
  /** Bytes from the start of a sample to its time; −1 without one. */
  readonly sampleTimeOffset: number;
  /** Bytes from the start of a sample to its pid, which its tid follows; −1 without them. */
  readonly sampleTidOffset: number;
  /** Bytes from the start of a sample to its CPU; −1 without one. */
  readonly sampleCpuOffset: number;
  /** Bytes from the start of a sample to its event id; −1 without one. */
  readonly sampleIdOffset: number;
  /** Bytes from the *end* of any other kernel record back to its time; −1 without one. */
  readonly trailerTimeOffset: number;
  /** Bytes from the *end* of any other kernel record back to its event id; −1 without one. */
  readonly trailerIdOffset: number;
  /** Bytes of the sample-id trailer; 0 without one. */
  readonly trailerSize: number;
  /** Bytes of a sample up to the first field of variable length, header included. */
  readonly sampleFixedSize: number;
  /** Registers in a user / interrupt register dump. */
  readonly userRegisterCount: number;
  readonly interruptRegisterCount: number;
  /** The branch stack starts with a hardware index. */
  readonly hasBranchHwIndex: boolean;
  /** The branch stack ends with one u64 of counters per entry. */
  readonly hasBranchCounters: boolean;
  /** The branch stack has the user part of the callchain: `joinLbrCallchain`. */
  readonly hasLbrCallchain: boolean;
  /** Callchains may end with the cookie of their user part instead of that part. */
  readonly mayDeferCallchain: boolean;
  /** Samples have no fields but those of `SAMPLE_HEAD` and a whole callchain: most recordings. */
  readonly isPlain: boolean;
  /** Samples have fields that this program does not know: `newerFields` has them in words. */
  readonly hasNewerFields: boolean;
  /**
   * The period of samples that don't carry one: what was asked for, as perf takes it (so the
   * frequency, where a frequency was asked and the period was not recorded).
   */
  readonly assumedPeriod: number;
};

// Fields of 8 bytes in the order of a sample, up to the first of variable length.
const SAMPLE_HEAD = [
  PERF_SAMPLE.IDENTIFIER,
  PERF_SAMPLE.IP,
  PERF_SAMPLE.TID,
  PERF_SAMPLE.TIME,
  PERF_SAMPLE.ADDR,
  PERF_SAMPLE.ID,
  PERF_SAMPLE.STREAM_ID,
  PERF_SAMPLE.CPU,
  PERF_SAMPLE.PERIOD,
] as const;

/** `sampleType` with these bits at most is that of `ParseInfo.isPlain`. */
const PLAIN_FIELDS = SAMPLE_HEAD.reduce<number>((all, bit) => all | bit, PERF_SAMPLE.CALLCHAIN);

/**
 * Fields of 8 bytes in the order of the trailer:
 *
 *   struct sample_id {
 *     { u32 pid, tid;  } && PERF_SAMPLE_TID
 *     { u64 time;      } && PERF_SAMPLE_TIME
 *     { u64 id;        } && PERF_SAMPLE_ID
 *     { u64 stream_id; } && PERF_SAMPLE_STREAM_ID
 *     { u32 cpu, res;  } && PERF_SAMPLE_CPU
 *     { u64 id;        } && PERF_SAMPLE_IDENTIFIER
 *   } && perf_event_attr::sample_id_all
 *
 * IDENTIFIER duplicates ID; it is the last field here and the first of a sample, so that it can be
 * found without knowing the event.
 */
const TRAILER = [
  PERF_SAMPLE.TID,
  PERF_SAMPLE.TIME,
  PERF_SAMPLE.ID,
  PERF_SAMPLE.STREAM_ID,
  PERF_SAMPLE.CPU,
  PERF_SAMPLE.IDENTIFIER,
] as const;

/** The offsets are those of `decodeSample` and of the trailer above. */
export function computeParseInfo(attr: EventAttr, littleEndian: boolean): ParseInfo {
  const { sampleType } = attr;
  const idBit = sampleType & PERF_SAMPLE.IDENTIFIER ? PERF_SAMPLE.IDENTIFIER : PERF_SAMPLE.ID;
  const sampleIdAll = attr.flags.sampleIdAll;
  const trailerSize = sampleIdAll ? 8 * countSet(TRAILER, sampleType) : 0;
  const fromEnd = (bit: number) => {
    const before = sampleIdAll ? bytesBefore(TRAILER, bit, sampleType) : -1;
    return before < 0 ? -1 : trailerSize - before;
  };
  const fromStart = (bit: number) => {
    const before = bytesBefore(SAMPLE_HEAD, bit, sampleType);
    return before < 0 ? -1 : RECORD_HEADER_SIZE + before;
  };
  return {
    littleEndian,
    sampleType,
    readFormat: attr.readFormat,
    sampleIdAll,
    sampleTimeOffset: fromStart(PERF_SAMPLE.TIME),
    sampleTidOffset: fromStart(PERF_SAMPLE.TID),
    sampleCpuOffset: fromStart(PERF_SAMPLE.CPU),
    sampleIdOffset: fromStart(idBit),
    trailerTimeOffset: fromEnd(PERF_SAMPLE.TIME),
    trailerIdOffset: fromEnd(idBit),
    trailerSize,
    sampleFixedSize: RECORD_HEADER_SIZE + 8 * countSet(SAMPLE_HEAD, sampleType),
    userRegisterCount: countBits(attr.sampleRegsUser),
    interruptRegisterCount: countBits(attr.sampleRegsIntr),
    hasBranchHwIndex: (attr.branchSampleType & BigInt(PERF_SAMPLE_BRANCH.HW_INDEX)) !== 0n,
    hasBranchCounters: (attr.branchSampleType & BigInt(PERF_SAMPLE_BRANCH.COUNTERS)) !== 0n,
    hasLbrCallchain: hasLbrCallchain(attr),
    mayDeferCallchain: attr.flags.deferCallchain,
    isPlain: (sampleType & ~PLAIN_FIELDS) === 0 && !attr.flags.deferCallchain,
    hasNewerFields: newerFields(attr) !== null,
    assumedPeriod: attr.samplePeriod,
  };
}

/**
 * Which bits of the event lay out its samples in a way that is not known here, null if none. Some of
 * the fields that came over the years went to the front or into the middle, so that what
 * surrounds an unknown one can't be read either.
 */
export function newerFields({ sampleType, readFormat }: EventAttr): string | null {
  const readsCounters = (sampleType & PERF_SAMPLE.READ) !== 0;
  const words = [
    ...(sampleType >= PERF_SAMPLE_MAX ? [`sample_type 0x${sampleType.toString(16)}`] : []),
    ...(readsCounters && readFormat >= PERF_FORMAT_MAX
      ? [`read_format 0x${readFormat.toString(16)}`]
      : []),
  ];
  return words.length === 0 ? null : words.join(', ');
}

/**
 * The offset of the raw time of a record of this event in its view, −1 if it has none: perf's own
 * records, events without PERF_SAMPLE_TIME, records too short for it.
 */
export function recordTimeOffset(info: ParseInfo, record: RecordView): number {
  const { offset, size, type } = record;
  if (type === PERF_RECORD.SAMPLE) {
    const fromStart = info.sampleTimeOffset;
    return fromStart < 0 || fromStart + 8 > size ? -1 : offset + fromStart;
  }
  if (type >= PERF_RECORD_USER_TYPE_START) return -1;
  const fromEnd = info.trailerTimeOffset;
  return fromEnd < 0 || fromEnd + RECORD_HEADER_SIZE > size ? -1 : offset + size - fromEnd;
}

function countSet(fields: readonly number[], sampleType: number): number {
  return fields.filter((bit) => (sampleType & bit) !== 0).length;
}

/** Bytes of the fields in front of `bit`; −1 if `bit` is not set or not among the fields. */
function bytesBefore(fields: readonly number[], bit: number, sampleType: number): number {
  const at = fields.indexOf(bit);
  if (at < 0 || (sampleType & bit) === 0) return -1;
  return 8 * countSet(fields.slice(0, at), sampleType);
}

function countBits(mask: bigint): number {
  let count = 0;
  for (let rest = BigInt.asUintN(64, mask); rest !== 0n; rest &= rest - 1n) count++;
  return count;
}
