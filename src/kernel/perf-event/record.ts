import type { AbsoluteAddress } from '../../base/brand.ts';
import { toHex } from '../../base/hex.ts';
import {
  PERF_FORMAT,
  PERF_RECORD,
  PERF_RECORD_MISC,
  PERF_RECORD_USER_TYPE_START,
} from './constants.ts';
import type { Cookie } from './deferred-callchain.ts';
import { hasMmapBuildId } from './mmap-build-id.ts';
import type { ParseInfo } from './parse-info.ts';
import { decodeReadFormat } from './read-format.ts';
import { RecordBody } from './record-body.ts';
import { RECORD_HEADER_SIZE, type RecordView } from './record-view.ts';
import { decodeUserRecord, type UserRecordFields } from './user-record.ts';

/** Device and inode of a mapped file; generation tells reuses of the inode apart. */
export type FileId = {
  readonly major: number;
  readonly minor: number;
  /** Decimal: both have 64 bits, and overlays use the upper ones. */
  readonly inode: string;
  readonly inodeGeneration: string;
};

/** A mapping was made: `filename` from `fileOffset` on at [address, address + length). */
export type MmapRecord = {
  readonly kind: 'mmap' | 'mmap2';
  /** −1 for the kernel and its modules. */
  readonly pid: number;
  readonly tid: number;
  readonly address: AbsoluteAddress;
  readonly length: number;
  /** Page offset in bytes; for `[kernel.kallsyms]_text` the address of the symbol. */
  readonly fileOffset: number;
  readonly filename: string;
  /** Not executable. */
  readonly isData: boolean;
  /** `PERF_RECORD_MISC` CPU mode: whose mapping it is, kernel, user or guest. */
  readonly cpuMode: number;
  /** MMAP2 without a build ID. */
  readonly fileId: FileId | null;
  /** MMAP2 with a build ID, lower-case hex. */
  readonly buildId: string | null;
  /** `PROT_…` and `MAP_…` bits; 0 in MMAP and in the first MMAP2. */
  readonly prot: number;
  readonly flags: number;
};

/** Device and inode of a file in /proc/PID/ns, which state which namespace a task is in. */
export type NamespaceLink = {
  readonly name: string;
  readonly device: number;
  readonly inode: number;
};

export type TaskRecord = {
  readonly kind: 'fork' | 'exit';
  readonly pid: number;
  readonly parentPid: number;
  readonly tid: number;
  readonly parentTid: number;
};

/** Every record of the kernel that is not a sample, decoded. The sample-id trailer is apart. */
export type KernelRecord =
  | MmapRecord
  | TaskRecord
  | {
      readonly kind: 'comm';
      readonly pid: number;
      readonly tid: number;
      readonly comm: string;
      /** The name comes from an exec, so the process has a new image. */
      readonly isExec: boolean;
    }
  /** `lost` records did not fit into the ring of event `id`. */
  | { readonly kind: 'lost'; readonly id: number; readonly lost: number }
  | {
      readonly kind: 'lostSamples';
      readonly lost: number;
      /** Dropped on purpose, by a BPF filter. */
      readonly isFiltered: boolean;
    }
  | {
      readonly kind: 'throttle' | 'unthrottle';
      readonly id: number;
      readonly streamId: number;
    }
  | {
      readonly kind: 'read';
      readonly pid: number;
      readonly tid: number;
      /** Leader first; nanoseconds for the times. */
      readonly values: readonly number[];
      /** Parallel to the values; empty without PERF_FORMAT_ID. */
      readonly ids: readonly number[];
      /** Samples that did not fit, parallel to the values; empty without PERF_FORMAT_LOST. */
      readonly lost: readonly number[];
      readonly timeEnabled: number;
      readonly timeRunning: number;
    }
  | {
      readonly kind: 'aux';
      readonly auxOffset: number;
      readonly auxSize: number;
      readonly flags: number;
    }
  | { readonly kind: 'itraceStart'; readonly pid: number; readonly tid: number }
  | {
      readonly kind: 'switch';
      readonly isOut: boolean;
      readonly isPreempted: boolean;
    }
  | {
      readonly kind: 'switchCpuWide';
      readonly isOut: boolean;
      readonly isPreempted: boolean;
      /** The thread that comes next (out) or was before (in). */
      readonly otherPid: number;
      readonly otherTid: number;
    }
  | {
      readonly kind: 'namespaces';
      readonly pid: number;
      readonly tid: number;
      readonly links: readonly NamespaceLink[];
    }
  | {
      readonly kind: 'ksymbol';
      readonly address: AbsoluteAddress;
      readonly length: number;
      /** 1: BPF program, 2: out-of-line code. */
      readonly symbolType: number;
      readonly isUnregister: boolean;
      readonly name: string;
    }
  | {
      readonly kind: 'bpfEvent';
      /** 1: load, 2: unload. */
      readonly eventType: number;
      readonly flags: number;
      readonly programId: number;
      /** Hex. */
      readonly tag: string;
    }
  | { readonly kind: 'cgroup'; readonly id: number; readonly path: string }
  | {
      readonly kind: 'textPoke';
      readonly address: AbsoluteAddress;
      readonly oldBytes: Uint8Array;
      readonly newBytes: Uint8Array;
    }
  /** Names the hardware trace of an event whose data go to the AUX area; all 64 bits as `0x…`. */
  | { readonly kind: 'auxOutputHwId'; readonly hwId: string }
  | {
      readonly kind: 'callchainDeferred';
      /** Equals the cookie of the samples that this completes. */
      readonly cookie: Cookie;
      readonly callchain: Float64Array;
    }
  /** Written by perf, type ≥ 64; without fields if the type has no name here or it is cut. */
  | {
      readonly kind: 'user';
      readonly type: number;
      readonly size: number;
      readonly fields?: UserRecordFields;
    }
  /** A kernel record of a type that has no name here. */
  | { readonly kind: 'unknown'; readonly type: number; readonly size: number }
  /** Shorter than the fields of its type: nothing in it can be trusted. */
  | { readonly kind: 'malformed'; readonly type: number; readonly size: number };

/** Decodes any record but SAMPLE. Fields beyond its end are never read. */
export function decodeRecord(record: RecordView, info: ParseInfo): KernelRecord {
  const { type, size } = record;
  if (type >= PERF_RECORD_USER_TYPE_START) {
    const fields = decodeUserRecord(record, info.littleEndian);
    return { kind: 'user', type, size, ...(fields !== null && { fields }) };
  }
  const start = record.offset + RECORD_HEADER_SIZE;
  const end = record.end - info.trailerSize;
  if (end < start) return { kind: 'malformed', type, size };
  const decode = DECODERS[type];
  if (decode === undefined) return { kind: 'unknown', type, size };
  const body = new RecordBody(record.view, start, end, info.littleEndian);
  return decode(body, record, info) ?? { kind: 'malformed', type, size };
}

/** Decodes the fields between header and trailer; null if the body is too short for them. */
type Decoder = (body: RecordBody, record: RecordView, info: ParseInfo) => KernelRecord | null;

/** The structs of `enum perf_event_type`. */
const DECODERS: Readonly<Partial<Record<number, Decoder>>> = {
  [PERF_RECORD.MMAP]: decodeMmap,
  [PERF_RECORD.MMAP2]: decodeMmap,
  // struct { header; u32 pid, tid; char comm[]; struct sample_id; }
  [PERF_RECORD.COMM]: (body, { misc }) =>
    body.has(8)
      ? {
          kind: 'comm',
          pid: body.i32(0),
          tid: body.i32(4),
          comm: body.text(8),
          isExec: (misc & PERF_RECORD_MISC.COMM_EXEC) !== 0,
        }
      : null,
  [PERF_RECORD.FORK]: decodeTask,
  [PERF_RECORD.EXIT]: decodeTask,
  // struct { header; u64 id; u64 lost; struct sample_id; }
  [PERF_RECORD.LOST]: (body) =>
    body.has(16) ? { kind: 'lost', id: body.u64(0), lost: body.u64(8) } : null,
  // struct { header; u64 lost; struct sample_id; }
  [PERF_RECORD.LOST_SAMPLES]: (body, { misc }) =>
    body.has(8)
      ? {
          kind: 'lostSamples',
          lost: body.u64(0),
          isFiltered: (misc & PERF_RECORD_MISC.LOST_SAMPLES_BPF) !== 0,
        }
      : null,
  [PERF_RECORD.THROTTLE]: decodeThrottle,
  [PERF_RECORD.UNTHROTTLE]: decodeThrottle,
  [PERF_RECORD.READ]: decodeRead,
  // struct { header; u64 aux_offset; u64 aux_size; u64 flags; struct sample_id; }
  [PERF_RECORD.AUX]: (body) =>
    body.has(24)
      ? { kind: 'aux', auxOffset: body.u64(0), auxSize: body.u64(8), flags: body.u64(16) }
      : null,
  // struct { header; u32 pid; u32 tid; struct sample_id; }
  [PERF_RECORD.ITRACE_START]: (body) =>
    body.has(8) ? { kind: 'itraceStart', pid: body.i32(0), tid: body.i32(4) } : null,
  // struct { header; struct sample_id; }
  [PERF_RECORD.SWITCH]: (_body, { misc }) => ({ kind: 'switch', ...switchFlags(misc) }),
  // struct { header; u32 next_prev_pid; u32 next_prev_tid; struct sample_id; }
  [PERF_RECORD.SWITCH_CPU_WIDE]: (body, { misc }) =>
    body.has(8)
      ? {
          kind: 'switchCpuWide',
          ...switchFlags(misc),
          otherPid: body.i32(0),
          otherTid: body.i32(4),
        }
      : null,
  [PERF_RECORD.NAMESPACES]: decodeNamespaces,
  // struct { header; u64 addr; u32 len; u16 ksym_type; u16 flags; char name[]; struct sample_id; }
  [PERF_RECORD.KSYMBOL]: (body) =>
    body.has(16)
      ? {
          kind: 'ksymbol',
          address: body.address(0),
          length: body.u32(8),
          symbolType: body.u16(12),
          isUnregister: (body.u16(14) & 1) !== 0,
          name: body.text(16),
        }
      : null,
  // struct { header; u16 type; u16 flags; u32 id; u8 tag[8]; struct sample_id; }
  [PERF_RECORD.BPF_EVENT]: (body) =>
    body.has(16)
      ? {
          kind: 'bpfEvent',
          eventType: body.u16(0),
          flags: body.u16(2),
          programId: body.u32(4),
          tag: toHex(body.bytes(8, 8)),
        }
      : null,
  // struct { header; u64 id; char path[]; struct sample_id; }
  [PERF_RECORD.CGROUP]: (body) =>
    body.has(8) ? { kind: 'cgroup', id: body.u64(0), path: body.text(8) } : null,
  [PERF_RECORD.TEXT_POKE]: decodeTextPoke,
  // struct { header; u64 hw_id; struct sample_id; }
  [PERF_RECORD.AUX_OUTPUT_HW_ID]: (body) =>
    body.has(8) ? { kind: 'auxOutputHwId', hwId: body.hex64(0) } : null,
  [PERF_RECORD.CALLCHAIN_DEFERRED]: decodeCallchainDeferred,
};

/** struct { header; u32 pid, ppid; u32 tid, ptid; u64 time; struct sample_id; } */
function decodeTask(body: RecordBody, { type }: RecordView): KernelRecord | null {
  if (!body.has(16)) return null;
  return {
    kind: type === PERF_RECORD.FORK ? 'fork' : 'exit',
    pid: body.i32(0),
    parentPid: body.i32(4),
    tid: body.i32(8),
    parentTid: body.i32(12),
  };
}

/** struct { header; u64 time; u64 id; u64 stream_id; struct sample_id; } */
function decodeThrottle(body: RecordBody, { type }: RecordView): KernelRecord | null {
  if (!body.has(24)) return null;
  return {
    kind: type === PERF_RECORD.THROTTLE ? 'throttle' : 'unthrottle',
    id: body.u64(8),
    streamId: body.u64(16),
  };
}

/**
 *   struct {
 *     struct perf_event_header header;
 *     u32 pid, tid;
 *     u64 addr;
 *     u64 len;
 *     u64 pgoff;
 *     // MMAP2 only:
 *     union {
 *       struct { u32 maj; u32 min; u64 ino; u64 ino_generation; };
 *       struct { u8 build_id_size; u8 __reserved_1; u16 __reserved_2; u8 build_id[20]; };
 *     };                                  // which: `hasMmapBuildId`
 *     u32 prot, flags;                    // not in the first kernels with MMAP2
 *     // both:
 *     char filename[];
 *     struct sample_id sample_id;
 *   };
 */
function decodeMmap(body: RecordBody, record: RecordView): KernelRecord | null {
  const { misc } = record;
  const isMmap2 = record.type === PERF_RECORD.MMAP2;
  const hasBuildId = isMmap2 && hasMmapBuildId(record, body.end);
  const hasRights = isMmap2 && (hasBuildId || !isNameAt(body, 56));
  const filenameAt = hasRights ? 64 : isMmap2 ? 56 : 32;
  if (!body.has(filenameAt)) return null;
  return {
    kind: isMmap2 ? 'mmap2' : 'mmap',
    pid: body.i32(0),
    tid: body.i32(4),
    address: body.address(8),
    length: body.u64(16),
    // Signed form, because the kernel's own mapping has an address here.
    fileOffset: body.address(24),
    filename: body.text(filenameAt),
    isData: (misc & PERF_RECORD_MISC.MMAP_DATA) !== 0,
    cpuMode: misc & PERF_RECORD_MISC.CPUMODE_MASK,
    fileId:
      isMmap2 && !hasBuildId
        ? {
            major: body.u32(32),
            minor: body.u32(36),
            inode: body.decimal64(40),
            inodeGeneration: body.decimal64(48),
          }
        : null,
    buildId: hasBuildId ? toHex(body.bytes(36, body.u8(32))) : null,
    prot: hasRights ? body.u32(56) : 0,
    flags: hasRights ? body.u32(60) : 0,
  };
}

const SLASH = 0x2f;
const BRACKET = 0x5b;

/**
 * Whether a file name begins where `prot` should be: the first kernels with MMAP2 (3.12-rc, and
 * 3.10 of RHEL 7 to this day) wrote neither `prot` nor `flags`. Every name of theirs begins with
 * `/` or `[`; as a `prot` that would be more bits than there are.
 */
function isNameAt(body: RecordBody, at: number): boolean {
  if (!body.has(at + 2)) return false;
  const first = body.u8(at);
  const second = body.u8(at + 1);
  return (first === SLASH || first === BRACKET) && second >= 0x20 && second < 0x7f;
}

/** struct { header; u32 pid, tid; struct read_format values; struct sample_id; } */
function decodeRead(body: RecordBody, _record: RecordView, info: ParseInfo): KernelRecord | null {
  if (!body.has(8)) return null;
  const most = Math.max(1, Math.floor(body.length / 8));
  const counters = {
    readCount: 0,
    timeEnabled: 0,
    timeRunning: 0,
    readValues: new Float64Array(most),
    readIds: new Float64Array(most),
    readLost: new Float64Array(most),
  };
  const column = (values: Float64Array, format: number): number[] =>
    format !== 0 && (info.readFormat & format) === 0
      ? []
      : [...values.subarray(0, counters.readCount)];
  const start = body.start + 8;
  const { view, end, littleEndian } = body;
  if (decodeReadFormat(view, start, end, info.readFormat, littleEndian, counters) < 0) return null;
  return {
    kind: 'read',
    pid: body.i32(0),
    tid: body.i32(4),
    values: column(counters.readValues, 0),
    ids: column(counters.readIds, PERF_FORMAT.ID),
    lost: column(counters.readLost, PERF_FORMAT.LOST),
    timeEnabled: counters.timeEnabled,
    timeRunning: counters.timeRunning,
  };
}

/** Namespaces in the order of the kernel's `…_NS_INDEX`. */
const NAMESPACES = ['net', 'uts', 'ipc', 'pid', 'user', 'mnt', 'cgroup'];

/**
 *   struct {
 *     header; u32 pid, tid; u64 nr_namespaces;
 *     { u64 dev, inode; } [nr_namespaces];
 *     struct sample_id;
 *   };
 */
function decodeNamespaces(body: RecordBody): KernelRecord | null {
  if (!body.has(16)) return null;
  const count = body.u64(8);
  if (!body.has(16 + 16 * count)) return null;
  const links: NamespaceLink[] = [];
  for (let i = 0; i < count; i++) {
    const name = NAMESPACES[i] ?? `namespace ${i}`;
    links.push({ name, device: body.u64(16 + 16 * i), inode: body.u64(24 + 16 * i) });
  }
  return { kind: 'namespaces', pid: body.i32(0), tid: body.i32(4), links };
}

/** struct { header; u64 addr; u16 old_len; u16 new_len; u8 bytes[]; struct sample_id; } */
function decodeTextPoke(body: RecordBody): KernelRecord | null {
  if (!body.has(12)) return null;
  const oldLength = body.u16(8);
  const newLength = body.u16(10);
  if (!body.has(12 + oldLength + newLength)) return null;
  return {
    kind: 'textPoke',
    address: body.address(0),
    oldBytes: body.bytes(12, oldLength),
    newBytes: body.bytes(12 + oldLength, newLength),
  };
}

/** struct { header; u64 cookie; u64 nr; u64 ips[nr]; struct sample_id; } */
function decodeCallchainDeferred(body: RecordBody): KernelRecord | null {
  if (!body.has(16)) return null;
  const length = body.u64(8);
  if (!body.has(16 + 8 * length)) return null;
  const callchain = new Float64Array(length);
  for (let i = 0; i < length; i++) callchain[i] = body.address(16 + 8 * i);
  return { kind: 'callchainDeferred', cookie: body.hex64(0), callchain };
}

function switchFlags(misc: number): { isOut: boolean; isPreempted: boolean } {
  return {
    isOut: (misc & PERF_RECORD_MISC.SWITCH_OUT) !== 0,
    isPreempted: (misc & PERF_RECORD_MISC.SWITCH_OUT_PREEMPT) !== 0,
  };
}
