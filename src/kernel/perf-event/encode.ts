import { ByteWriter } from '../../base/byte-writer.ts';
import { fromHex } from '../../base/hex.ts';
import { LARGEST_RECORD, PERF_RECORD, PERF_RECORD_MISC, PERF_SAMPLE } from './constants.ts';
import type { FileId, TaskRecord } from './record.ts';

/** The place and time of a made-up record; fields that are left out are 0, as perf writes them. */
export type TrailerFields = {
  readonly pid?: number;
  readonly tid?: number;
  /** Raw time of the recording's clock, nanoseconds. 0: before everything else. */
  readonly time?: bigint | number;
  readonly id?: bigint | number;
  readonly streamId?: bigint | number;
  readonly cpu?: number;
};

/** The format that the trailers of an event's records have; `ParseInfo` and `EventAttr.flags` say. */
export type RecordFormat = {
  readonly littleEndian: boolean;
  readonly sampleType: number;
  readonly sampleIdAll: boolean;
};

export type MmapFields = {
  readonly pid: number;
  readonly tid: number;
  /** Signed form. */
  readonly address: number | bigint;
  readonly length: number | bigint;
  readonly fileOffset: number | bigint;
  readonly filename: string;
  /** `PERF_RECORD_MISC.USER` if left out. */
  readonly cpuMode?: number;
  readonly isData?: boolean;
};

export type Mmap2Fields = MmapFields & {
  readonly prot: number;
  readonly flags: number;
  /** Either the file's numbers or its build ID as hex. */
  readonly fileId?: FileId;
  readonly buildId?: string;
};

export type TaskFields = Omit<TaskRecord, 'kind'> & { readonly time?: bigint | number };

/**
 * Writes the kernel's side-band records: to describe what was there before the recording began,
 * and for tests. The structs are those of `record.ts`; each record ends in the trailer of
 * `format`.
 */
export class RecordEncoder {
  readonly format: RecordFormat;

  constructor(format: RecordFormat) {
    this.format = format;
  }

  comm(
    fields: { pid: number; tid: number; comm: string; isExec?: boolean },
    trailer: TrailerFields = {},
  ): Uint8Array {
    const misc = fields.isExec ? PERF_RECORD_MISC.COMM_EXEC : 0;
    return this.record(
      PERF_RECORD.COMM,
      misc,
      (out) => paddedText(out.u32(fields.pid).u32(fields.tid), fields.comm),
      { pid: fields.pid, tid: fields.tid, ...trailer },
    );
  }

  mmap(fields: MmapFields, trailer: TrailerFields = {}): Uint8Array {
    return this.record(
      PERF_RECORD.MMAP,
      mmapMisc(fields),
      (out) => paddedText(mmapHead(out, fields), fields.filename),
      { pid: fields.pid, tid: fields.tid, ...trailer },
    );
  }

  mmap2(fields: Mmap2Fields, trailer: TrailerFields = {}): Uint8Array {
    const buildId = fields.buildId === undefined ? null : buildIdBytes(fields.buildId);
    const misc = mmapMisc(fields) | (buildId === null ? 0 : PERF_RECORD_MISC.MMAP_BUILD_ID);
    return this.record(
      PERF_RECORD.MMAP2,
      misc,
      (out) => {
        mmapHead(out, fields);
        if (buildId !== null) {
          out
            .u8(buildId.length)
            .zeros(3)
            .bytes(buildId)
            .zeros(20 - buildId.length);
        } else {
          const file = fields.fileId ?? { major: 0, minor: 0, inode: '0', inodeGeneration: '0' };
          out.u32(file.major).u32(file.minor);
          out.u64(BigInt(file.inode)).u64(BigInt(file.inodeGeneration));
        }
        paddedText(out.u32(fields.prot).u32(fields.flags), fields.filename);
      },
      { pid: fields.pid, tid: fields.tid, ...trailer },
    );
  }

  fork(fields: TaskFields, trailer: TrailerFields = {}): Uint8Array {
    return this.#task(PERF_RECORD.FORK, fields, trailer);
  }

  exit(fields: TaskFields, trailer: TrailerFields = {}): Uint8Array {
    return this.#task(PERF_RECORD.EXIT, fields, trailer);
  }

  /** The links in the order of the kernel's `*_NS_INDEX`: net, uts, ipc, pid, user, mnt, cgroup. */
  namespaces(
    fields: {
      pid: number;
      tid: number;
      links: readonly { readonly device: bigint; readonly inode: bigint }[];
    },
    trailer: TrailerFields = {},
  ): Uint8Array {
    const { pid, tid, links } = fields;
    return this.record(
      PERF_RECORD.NAMESPACES,
      0,
      (out) => {
        out.u32(pid).u32(tid).u64(links.length);
        for (const { device, inode } of links) out.u64(device).u64(inode);
      },
      { pid, tid, ...trailer },
    );
  }

  cgroup(fields: { cgroupId: bigint; path: string }, trailer: TrailerFields = {}): Uint8Array {
    return this.record(
      PERF_RECORD.CGROUP,
      0,
      (out) => paddedText(out.u64(fields.cgroupId), fields.path),
      trailer,
    );
  }

  /** The event's own count of what it could not write, read when it was closed. */
  lostSamples(lost: number | bigint, trailer: TrailerFields = {}): Uint8Array {
    return this.record(PERF_RECORD.LOST_SAMPLES, 0, (out) => out.u64(lost), trailer);
  }

  lost(id: number | bigint, lost: number | bigint, trailer: TrailerFields = {}) {
    return this.record(PERF_RECORD.LOST, 0, (out) => out.u64(id).u64(lost), { id, ...trailer });
  }

  /** Any other kernel record: `body` writes what stands between header and trailer. */
  record(
    type: number,
    misc: number,
    body: (out: ByteWriter) => void,
    trailer: TrailerFields = {},
  ): Uint8Array {
    const out = new ByteWriter(this.format.littleEndian);
    out.u32(type).u16(misc).u16(0);
    body(out);
    out.align(8);
    writeTrailer(out, this.format, trailer);
    if (out.length > LARGEST_RECORD) {
      throw new RangeError(`a record of ${out.length} bytes is over ${LARGEST_RECORD}`);
    }
    out.patchU16(6, out.length);
    return out.finish();
  }

  #task(type: number, fields: TaskFields, trailer: TrailerFields): Uint8Array {
    const { pid, parentPid, tid, parentTid } = fields;
    const time = fields.time ?? trailer.time ?? 0;
    return this.record(
      type,
      0,
      (out) => out.u32(pid).u32(parentPid).u32(tid).u32(parentTid).u64(time),
      { pid, tid, time, ...trailer },
    );
  }
}

function mmapHead(out: ByteWriter, fields: MmapFields): ByteWriter {
  out.u32(fields.pid).u32(fields.tid);
  return out.u64(fields.address).u64(fields.length).u64(fields.fileOffset);
}

function mmapMisc(fields: MmapFields): number {
  const cpuMode = fields.cpuMode ?? PERF_RECORD_MISC.USER;
  return cpuMode | (fields.isData ? PERF_RECORD_MISC.MMAP_DATA : 0);
}

function buildIdBytes(hex: string): Uint8Array {
  const bytes = fromHex(hex);
  if (bytes === null || bytes.length > 20) {
    throw new RangeError(`a build ID has up to 40 hex digits: '${hex}'`);
  }
  return bytes;
}

/** NUL-terminated, then up to a multiple of 8, as the kernel writes names. */
function paddedText(out: ByteWriter, text: string): ByteWriter {
  return out.text(text).u8(0).align(8);
}

/** `struct sample_id`, see parse-info. */
function writeTrailer(out: ByteWriter, format: RecordFormat, fields: TrailerFields): void {
  if (!format.sampleIdAll) return;
  const { sampleType } = format;
  if (sampleType & PERF_SAMPLE.TID) out.u32(fields.pid ?? 0).u32(fields.tid ?? 0);
  if (sampleType & PERF_SAMPLE.TIME) out.u64(fields.time ?? 0);
  if (sampleType & PERF_SAMPLE.ID) out.u64(fields.id ?? 0);
  if (sampleType & PERF_SAMPLE.STREAM_ID) out.u64(fields.streamId ?? 0);
  if (sampleType & PERF_SAMPLE.CPU) out.u32(fields.cpu ?? 0).u32(0);
  if (sampleType & PERF_SAMPLE.IDENTIFIER) out.u64(fields.id ?? 0);
}
