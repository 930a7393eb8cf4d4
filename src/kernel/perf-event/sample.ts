// Hot: once per sample.

import {
  addressesOfWords,
  addressOfWords,
  type RawTime,
  readAddress,
  readAddresses,
  readTimeSince,
  readU64,
  timeSinceOfWords,
  u64OfWords,
} from '../../base/u64.ts';
import { PERF_SAMPLE, PERF_SAMPLE_REGS_ABI } from './constants.ts';
import { isDeferred } from './deferred-callchain.ts';
import type { ParseInfo } from './parse-info.ts';
import { decodeReadFormat } from './read-format.ts';
import type { RecordView } from './record-view.ts';

/** A record's size is a u16, so it can't hold more 8-byte values than this. */
const MOST_VALUES = 65536 / 8;

const NO_BYTES = new DataView(new ArrayBuffer(0));

/**
 * The fields of one sample. One object is filled again and again by `decodeSample`; who keeps a
 * sample copies what it needs.
 *
 * What the event did not record reads as follows: pid, tid, cpu, ids, offsets −1; time NaN; counts,
 * lengths and addresses 0; the period is `ParseInfo.assumedPeriod`. Offsets are into `view`, and like
 * it valid until the next record. Addresses are in signed form.
 */
export class SampleView {
  /** The origin of `timeNs`. */
  readonly start: RawTime;
  /** The bytes that the sample was decoded from. */
  view: DataView = NO_BYTES;
  /** `PERF_RECORD_MISC` bits of its header: whose code it was taken in. */
  misc = 0;
  ip = 0;
  pid = -1;
  tid = -1;
  /** Nanoseconds since `start`; NaN if not recorded. */
  timeNs = Number.NaN;
  /** Data address, or the target of a branch; by event. */
  addr = 0;
  /** Event id: of IDENTIFIER or ID. */
  id = -1;
  streamId = -1;
  cpu = -1;
  /** Events that this sample stands for. */
  period = 0;

  /** Number of counters read with the sample: 0 without READ, 1 or the size of the group. */
  readCount = 0;
  /** Nanoseconds that the event was enabled, and that it counted. */
  timeEnabled = 0;
  timeRunning = 0;
  /**
   * Per counter, leader first, valid below `readCount`: value; event id and lost count only where
   * `readFormat` has ID and LOST.
   */
  readonly readValues: Float64Array = new Float64Array(MOST_VALUES);
  readonly readIds: Float64Array = new Float64Array(MOST_VALUES);
  readonly readLost: Float64Array = new Float64Array(MOST_VALUES);

  /**
   * Innermost first, context markers included as the small negatives of `PERF_CONTEXT`. Valid
   * below `callchainLength`.
   */
  readonly callchain: Float64Array = new Float64Array(MOST_VALUES);
  callchainLength = 0;
  /** First of its u64 entries, for those that are no addresses and not exact as doubles; −1. */
  callchainOffset = -1;
  /**
   * Offset of the cookie of a callchain whose user part comes later (deferred-callchain.ts), −1 in
   * others. Neither it nor the marker in front of it is in `callchain`.
   */
  deferredCookieOffset = -1;

  /** Tracepoint fields and other data of the event itself. */
  rawOffset = -1;
  rawLength = 0;

  /** First `struct perf_branch_entry { u64 from, to, flags; }`, newest first. */
  branchOffset = -1;
  branchCount = 0;
  /** Index at which the hardware keeps the newest entry; −1 if unknown. */
  branchHwIndex = -1;
  /** One u64 of counters per branch. */
  branchCountersOffset = -1;

  /** `PERF_SAMPLE_REGS_ABI`; with NONE (kernel thread) there are no registers. */
  userRegsAbi = 0;
  /** First of the u64 registers, in the order of the attr's mask bits. */
  userRegsOffset = -1;
  userRegsCount = 0;
  interruptRegsAbi = 0;
  interruptRegsOffset = -1;
  interruptRegsCount = 0;

  /** Copied user stack, from the stack pointer upwards. */
  stackOffset = -1;
  /** Bytes reserved, and how many of them the kernel could really copy. */
  stackSize = 0;
  stackDynamicSize = 0;

  /** Cost of the event: latency, cycles … Low 32 bits of `weight` with WEIGHT_STRUCT. */
  weight = 0;
  /** The other two parts of WEIGHT_STRUCT. */
  weight2 = 0;
  weight3 = 0;
  /** `union perf_mem_data_src`. */
  dataSrc = 0;
  /** `PERF_TXN_*` bits, and the abort code above them. */
  transactionFlags = 0;
  transactionAbortCode = 0;
  physAddr = 0;
  /** Inode number of the cgroup. */
  cgroup = -1;
  /** Bytes. */
  dataPageSize = 0;
  codePageSize = 0;
  auxOffset = -1;
  auxSize = 0;

  /** The format whose absent fields have their absent values already. */
  format: ParseInfo | null = null;

  constructor(start: RawTime) {
    this.start = start;
  }
}

/**
 * Decodes a SAMPLE record into `out`. False if its fields do not fit, or if the event has fields
 * that are not known here, since these could lie anywhere: `out` is then partly filled and the
 * caller counts it. Never reads past the record's end.
 *
 *   struct {
 *     struct perf_event_header header;
 *     { u64 id;                  } && PERF_SAMPLE_IDENTIFIER
 *     { u64 ip;                  } && PERF_SAMPLE_IP
 *     { u32 pid, tid;            } && PERF_SAMPLE_TID
 *     { u64 time;                } && PERF_SAMPLE_TIME
 *     { u64 addr;                } && PERF_SAMPLE_ADDR
 *     { u64 id;                  } && PERF_SAMPLE_ID
 *     { u64 stream_id;           } && PERF_SAMPLE_STREAM_ID
 *     { u32 cpu, res;            } && PERF_SAMPLE_CPU
 *     { u64 period;              } && PERF_SAMPLE_PERIOD
 *     { struct read_format values; } && PERF_SAMPLE_READ
 *     { u64 nr; u64 ips[nr];     } && PERF_SAMPLE_CALLCHAIN
 *     { u32 size; char data[size]; } && PERF_SAMPLE_RAW
 *     { u64 nr;
 *       { u64 hw_idx;            } && PERF_SAMPLE_BRANCH_HW_INDEX
 *       { u64 from, to, flags;   } lbr[nr];
 *       { u64 counters;          } cntr[nr] && PERF_SAMPLE_BRANCH_COUNTERS
 *     } && PERF_SAMPLE_BRANCH_STACK
 *     { u64 abi; u64 regs[weight(mask)]; } && PERF_SAMPLE_REGS_USER
 *     { u64 size; char data[size]; u64 dyn_size; } && PERF_SAMPLE_STACK_USER
 *     { u64 weight;              } && PERF_SAMPLE_WEIGHT or PERF_SAMPLE_WEIGHT_STRUCT
 *     { u64 data_src;            } && PERF_SAMPLE_DATA_SRC
 *     { u64 transaction;         } && PERF_SAMPLE_TRANSACTION
 *     { u64 abi; u64 regs[weight(mask)]; } && PERF_SAMPLE_REGS_INTR
 *     { u64 phys_addr;           } && PERF_SAMPLE_PHYS_ADDR
 *     { u64 cgroup;              } && PERF_SAMPLE_CGROUP
 *     { u64 data_page_size;      } && PERF_SAMPLE_DATA_PAGE_SIZE
 *     { u64 code_page_size;      } && PERF_SAMPLE_CODE_PAGE_SIZE
 *     { u64 size; char data[size]; } && PERF_SAMPLE_AUX
 *   };
 *
 * The order of the last four is that of `perf_output_sample` in kernel/events/core.c; the comment
 * in the header file has AUX before the page sizes.
 */
export function decodeSample(record: RecordView, info: ParseInfo, out: SampleView): boolean {
  if (out.format !== info) clearAbsent(info, out);
  if (info.sampleFixedSize > record.size || info.hasNewerFields) return false;
  const { view, end } = record;
  out.view = view;
  out.misc = record.misc;
  if (info.isPlain && record.words !== null) return decodePlain(record.words, record, info, out);
  const sampleType = info.sampleType;
  const littleEndian = info.littleEndian;
  let at = record.offset + 8;

  if (sampleType & PERF_SAMPLE.IDENTIFIER) {
    out.id = readU64(view, at, littleEndian);
    at += 8;
  }
  if (sampleType & PERF_SAMPLE.IP) {
    out.ip = readAddress(view, at, littleEndian);
    at += 8;
  }
  if (sampleType & PERF_SAMPLE.TID) {
    out.pid = view.getInt32(at, littleEndian);
    out.tid = view.getInt32(at + 4, littleEndian);
    at += 8;
  }
  if (sampleType & PERF_SAMPLE.TIME) {
    out.timeNs = readTimeSince(view, at, littleEndian, out.start);
    at += 8;
  }
  if (sampleType & PERF_SAMPLE.ADDR) {
    out.addr = readAddress(view, at, littleEndian);
    at += 8;
  }
  if (sampleType & PERF_SAMPLE.ID) {
    out.id = readU64(view, at, littleEndian);
    at += 8;
  }
  if (sampleType & PERF_SAMPLE.STREAM_ID) {
    out.streamId = readU64(view, at, littleEndian);
    at += 8;
  }
  if (sampleType & PERF_SAMPLE.CPU) {
    out.cpu = view.getInt32(at, littleEndian);
    at += 8;
  }
  if (sampleType & PERF_SAMPLE.PERIOD) {
    out.period = readU64(view, at, littleEndian);
    at += 8;
  }

  if (sampleType & PERF_SAMPLE.READ) {
    at = decodeReadFormat(view, at, end, info.readFormat, littleEndian, out);
    if (at < 0) return false;
  }
  if (sampleType & PERF_SAMPLE.CALLCHAIN) {
    if (at + 8 > end) return false;
    const length = readU64(view, at, littleEndian);
    at += 8;
    if (length * 8 > end - at) return false;
    readAddresses(view, at, length, littleEndian, out.callchain);
    out.callchainLength = length;
    out.callchainOffset = at;
    at += 8 * length;
    if (info.mayDeferCallchain) {
      const isIncomplete = isDeferred(out.callchain, length);
      out.deferredCookieOffset = isIncomplete ? at - 8 : -1;
      if (isIncomplete) out.callchainLength = length - 2;
    }
  }
  if (sampleType < PERF_SAMPLE.RAW) return true;
  if (decodeUncommonFields(record, at, info, info.hasBranchHwIndex, out)) return true;
  // The kernel leaves out the hardware index, too, if it has no branches at all for a sample.
  return (
    info.hasBranchHwIndex &&
    out.branchCount === 0 &&
    decodeUncommonFields(record, at, info, false, out) &&
    out.branchCount === 0
  );
}

/**
 * `decodeSample` of a plain sample in words (`wordsOf`). With no byte order to ask for it is small and
 * soon compiled, and before that it runs several times as fast.
 */
function decodePlain(
  words: Uint32Array,
  record: RecordView,
  { sampleType }: ParseInfo,
  out: SampleView,
): boolean {
  let at = (record.offset >> 2) + 2;
  if (sampleType & PERF_SAMPLE.IDENTIFIER) {
    out.id = u64OfWords(words, at);
    at += 2;
  }
  if (sampleType & PERF_SAMPLE.IP) {
    out.ip = addressOfWords(words, at);
    at += 2;
  }
  if (sampleType & PERF_SAMPLE.TID) {
    out.pid = words[at] | 0;
    out.tid = words[at + 1] | 0;
    at += 2;
  }
  if (sampleType & PERF_SAMPLE.TIME) {
    out.timeNs = timeSinceOfWords(words, at, out.start);
    at += 2;
  }
  if (sampleType & PERF_SAMPLE.ADDR) {
    out.addr = addressOfWords(words, at);
    at += 2;
  }
  if (sampleType & PERF_SAMPLE.ID) {
    out.id = u64OfWords(words, at);
    at += 2;
  }
  if (sampleType & PERF_SAMPLE.STREAM_ID) {
    out.streamId = u64OfWords(words, at);
    at += 2;
  }
  if (sampleType & PERF_SAMPLE.CPU) {
    out.cpu = words[at] | 0;
    at += 2;
  }
  if (sampleType & PERF_SAMPLE.PERIOD) {
    out.period = u64OfWords(words, at);
    at += 2;
  }
  if ((sampleType & PERF_SAMPLE.CALLCHAIN) === 0) return true;
  const end = (record.offset + record.size) >> 2;
  if (at + 2 > end) return false;
  const length = u64OfWords(words, at);
  at += 2;
  if (length * 2 > end - at) return false;
  addressesOfWords(words, at, length, out.callchain);
  out.callchainLength = length;
  out.callchainOffset = 4 * at;
  return true;
}

/** The result for a field that does not fit, in place of the offset of the next one. */
const CUT = -1;

/** The fields from RAW on, at `start`, which plain profiles do not have. */
function decodeUncommonFields(
  record: RecordView,
  start: number,
  info: ParseInfo,
  hasBranchHwIndex: boolean,
  out: SampleView,
): boolean {
  const { end } = record;
  const { sampleType } = info;
  let at = start;
  if (sampleType & PERF_SAMPLE.RAW) at = decodeRaw(out, at, end, info);
  if (at !== CUT && sampleType & PERF_SAMPLE.BRANCH_STACK) {
    at = decodeBranchStack(out, at, end, info, hasBranchHwIndex);
  }
  if (at !== CUT && sampleType & PERF_SAMPLE.REGS_USER) {
    at = decodeUserRegisters(out, at, end, info);
  }
  if (at !== CUT && sampleType & PERF_SAMPLE.STACK_USER) {
    at = decodeStackDump(out, at, end, info);
  }
  if (at === CUT || sampleType < PERF_SAMPLE.WEIGHT) return at !== CUT;
  at = decodeMemoryAccess(out, at, end, info);
  if (at !== CUT && sampleType & PERF_SAMPLE.REGS_INTR) {
    at = decodeInterruptRegisters(out, at, end, info);
  }
  if (at !== CUT) at = decodePlace(out, at, end, info);
  if (at !== CUT && sampleType & PERF_SAMPLE.AUX) at = decodeAux(out, at, end, info);
  return at !== CUT;
}

/** struct { u32 size; char data[size]; }, padded so that both together are a multiple of 8 bytes */
function decodeRaw(out: SampleView, at: number, end: number, info: ParseInfo): number {
  const { view } = out;
  const { littleEndian } = info;
  if (at + 4 > end) return CUT;
  const length = view.getUint32(at, littleEndian);
  const start = at + 4;
  if (length > end - start) return CUT;
  out.rawOffset = start;
  out.rawLength = length;
  return start + length;
}

/** struct { u64 nr; u64 hw_idx; { u64 from, to, flags; } lbr[nr]; u64 counters[nr]; } */
function decodeBranchStack(
  out: SampleView,
  start: number,
  end: number,
  info: ParseInfo,
  hasHwIndex: boolean,
): number {
  const { view } = out;
  if (start + 8 > end) return CUT;
  const { littleEndian, hasBranchCounters } = info;
  const count = readU64(view, start, littleEndian);
  let at = start + 8;
  out.branchCount = 0;
  out.branchHwIndex = -1;
  if (hasHwIndex) {
    if (at + 8 > end) return CUT;
    out.branchHwIndex = readAddress(view, at, littleEndian);
    at += 8;
  }
  const entryBytes = hasBranchCounters ? 32 : 24;
  if (count * entryBytes > end - at) return CUT;
  out.branchOffset = at;
  out.branchCount = count;
  at += 24 * count;
  if (hasBranchCounters) {
    out.branchCountersOffset = at;
    at += 8 * count;
  }
  return at;
}

/**
 * struct { u64 abi; u64 regs[weight(mask)]; }, of which there are `inMask` registers, none without an
 * ABI
 *
 * An ABI that is not known is refused: newer kernels mark so that more than the registers of the mask
 * follow.
 */
function countRegisters(
  out: SampleView,
  at: number,
  end: number,
  info: ParseInfo,
  inMask: number,
): number {
  if (at + 8 > end) return CUT;
  const abi = readU64(out.view, at, info.littleEndian);
  if (abi > PERF_SAMPLE_REGS_ABI.ABI_64) return CUT;
  const count = abi === PERF_SAMPLE_REGS_ABI.NONE ? 0 : inMask;
  return count * 8 > end - at - 8 ? CUT : count;
}

function decodeUserRegisters(out: SampleView, at: number, end: number, info: ParseInfo): number {
  const count = countRegisters(out, at, end, info, info.userRegisterCount);
  if (count === CUT) return CUT;
  out.userRegsAbi = readU64(out.view, at, info.littleEndian);
  out.userRegsOffset = at + 8;
  out.userRegsCount = count;
  return at + 8 + 8 * count;
}

function decodeInterruptRegisters(
  out: SampleView,
  at: number,
  end: number,
  info: ParseInfo,
): number {
  const count = countRegisters(out, at, end, info, info.interruptRegisterCount);
  if (count === CUT) return CUT;
  out.interruptRegsAbi = readU64(out.view, at, info.littleEndian);
  out.interruptRegsOffset = at + 8;
  out.interruptRegsCount = count;
  return at + 8 + 8 * count;
}

/** struct { u64 size; char data[size]; u64 dyn_size; }; with size 0 neither data nor dyn_size */
function decodeStackDump(out: SampleView, at: number, end: number, info: ParseInfo): number {
  const { view } = out;
  const { littleEndian } = info;
  if (at + 8 > end) return CUT;
  const size = readU64(view, at, littleEndian);
  const start = at + 8;
  out.stackOffset = start;
  out.stackSize = size;
  out.stackDynamicSize = 0;
  if (size === 0) return start;
  if (size + 8 > end - start) return CUT;
  out.stackDynamicSize = Math.min(readU64(view, start + size, littleEndian), size);
  return start + size + 8;
}

/** { u64 weight; } { u64 data_src; } { u64 transaction; }, each if the event has it */
function decodeMemoryAccess(out: SampleView, start: number, end: number, info: ParseInfo): number {
  const { view } = out;
  const { sampleType, littleEndian } = info;
  let at = start;
  if (sampleType & (PERF_SAMPLE.WEIGHT | PERF_SAMPLE.WEIGHT_STRUCT)) {
    if (at + 8 > end) return CUT;
    if (sampleType & PERF_SAMPLE.WEIGHT) {
      out.weight = readU64(view, at, littleEndian);
    } else {
      // union { u64 full; struct { u32 var1_dw; u16 var2_w; u16 var3_w; } }, from the low end.
      out.weight = view.getUint32(littleEndian ? at : at + 4, littleEndian);
      out.weight2 = view.getUint16(littleEndian ? at + 4 : at + 2, littleEndian);
      out.weight3 = view.getUint16(littleEndian ? at + 6 : at, littleEndian);
    }
    at += 8;
  }
  if (sampleType & PERF_SAMPLE.DATA_SRC) {
    if (at + 8 > end) return CUT;
    out.dataSrc = readU64(view, at, littleEndian);
    at += 8;
  }
  if (sampleType & PERF_SAMPLE.TRANSACTION) {
    if (at + 8 > end) return CUT;
    out.transactionFlags = view.getUint32(littleEndian ? at : at + 4, littleEndian);
    out.transactionAbortCode = view.getUint32(littleEndian ? at + 4 : at, littleEndian);
    at += 8;
  }
  return at;
}

/**
 * { u64 phys_addr; } { u64 cgroup; } { u64 data_page_size; } { u64 code_page_size; }, each if the
 * event has it
 */
function decodePlace(out: SampleView, start: number, end: number, info: ParseInfo): number {
  const { view } = out;
  const { sampleType, littleEndian } = info;
  let at = start;
  if (sampleType & PERF_SAMPLE.PHYS_ADDR) {
    if (at + 8 > end) return CUT;
    out.physAddr = readU64(view, at, littleEndian);
    at += 8;
  }
  if (sampleType & PERF_SAMPLE.CGROUP) {
    if (at + 8 > end) return CUT;
    out.cgroup = readU64(view, at, littleEndian);
    at += 8;
  }
  if (sampleType & PERF_SAMPLE.DATA_PAGE_SIZE) {
    if (at + 8 > end) return CUT;
    out.dataPageSize = readU64(view, at, littleEndian);
    at += 8;
  }
  if (sampleType & PERF_SAMPLE.CODE_PAGE_SIZE) {
    if (at + 8 > end) return CUT;
    out.codePageSize = readU64(view, at, littleEndian);
    at += 8;
  }
  return at;
}

/** struct { u64 size; char data[size]; } */
function decodeAux(out: SampleView, at: number, end: number, info: ParseInfo): number {
  if (at + 8 > end) return CUT;
  const size = readU64(out.view, at, info.littleEndian);
  if (size > end - at - 8) return CUT;
  out.auxOffset = at + 8;
  out.auxSize = size;
  return at + 8 + size;
}

/** Gives every field its absent value; those that `info` has are then written by each sample. */
function clearAbsent(info: ParseInfo, out: SampleView): void {
  out.format = info;
  out.ip = 0;
  out.pid = -1;
  out.tid = -1;
  out.timeNs = Number.NaN;
  out.addr = 0;
  out.id = -1;
  out.streamId = -1;
  out.cpu = -1;
  out.period = info.assumedPeriod;
  out.readCount = 0;
  out.timeEnabled = 0;
  out.timeRunning = 0;
  out.callchainLength = 0;
  out.callchainOffset = -1;
  out.deferredCookieOffset = -1;
  out.rawOffset = -1;
  out.rawLength = 0;
  out.branchOffset = -1;
  out.branchCount = 0;
  out.branchHwIndex = -1;
  out.branchCountersOffset = -1;
  out.userRegsAbi = 0;
  out.userRegsOffset = -1;
  out.userRegsCount = 0;
  out.interruptRegsAbi = 0;
  out.interruptRegsOffset = -1;
  out.interruptRegsCount = 0;
  out.stackOffset = -1;
  out.stackSize = 0;
  out.stackDynamicSize = 0;
  out.weight = 0;
  out.weight2 = 0;
  out.weight3 = 0;
  out.dataSrc = 0;
  out.transactionFlags = 0;
  out.transactionAbortCode = 0;
  out.physAddr = 0;
  out.cgroup = -1;
  out.dataPageSize = 0;
  out.codePageSize = 0;
  out.auxOffset = -1;
  out.auxSize = 0;
}
