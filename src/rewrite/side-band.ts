import { ByteWriter } from '../base/byte-writer.ts';
import { decodeText } from '../base/text.ts';
import { PERF_RECORD, PERF_RECORD_MISC } from '../kernel/perf-event/constants.ts';
import { hasMmapBuildId } from '../kernel/perf-event/mmap-build-id.ts';
import type { RecordView } from '../kernel/perf-event/record-view.ts';
import type { BuildIdChange } from '../options/inject.ts';
import {
  isKernelAddressAt,
  KERNEL_MAP_OFFSET,
  KERNEL_MAP_SIZE,
  KERNEL_MAP_START,
  type KernelAddresses,
} from './kernel-marker.ts';
import type { Labels } from './labels.ts';
import { isKernelMode } from './sample-rewriter.ts';

/** A record as it will be; the same bytes where nothing changes; null: it goes. */
export type Rewritten = Uint8Array | 'same' | null;

// Where the texts begin, and other fields; the structs are in perf-event/record-body.ts.
const ADDRESS_AT = 16;
const FILE_ID_AT = 40;
const FILE_ID_SIZE = 24;
const TEXT_AT: Readonly<Record<number, number>> = {
  [PERF_RECORD.MMAP]: 40,
  [PERF_RECORD.MMAP2]: 72,
  [PERF_RECORD.COMM]: 16,
  [PERF_RECORD.CGROUP]: 16,
  [PERF_RECORD.KSYMBOL]: 24,
};
const THREAD_MAP_COMM_SIZE = 16;

/** Changes the records that describe what was running: names, and where the kernel was. */
export class SideBandRewriter {
  readonly #kernel: KernelAddresses | null;
  readonly #labels: Labels | null;
  readonly #removeBuildIds: boolean;
  readonly #littleEndian: boolean;

  constructor(
    kernel: KernelAddresses | null,
    labels: Labels | null,
    buildIds: BuildIdChange,
    littleEndian: boolean,
  ) {
    this.#kernel = kernel;
    this.#labels = labels;
    this.#removeBuildIds = buildIds === 'remove';
    this.#littleEndian = littleEndian;
  }

  /** `trailerSize`: bytes of its sample-id trailer. */
  rewrite(record: RecordView, trailerSize: number): Rewritten {
    const kernel = this.#kernel;
    const isClean = kernel === null && this.#labels === null;
    switch (record.type) {
      case PERF_RECORD.MMAP:
      case PERF_RECORD.MMAP2:
        return this.#map(record, trailerSize);
      case PERF_RECORD.COMM:
        return this.#named(record, trailerSize, (comm) => this.#labels?.comm(comm) ?? comm);
      case PERF_RECORD.CGROUP:
        return this.#named(record, trailerSize, (path) => this.#labels?.cgroup(path) ?? path);
      case PERF_RECORD.KSYMBOL:
        // Its address is all that it is for.
        if (kernel !== null) return null;
        return this.#named(record, trailerSize, (name) => this.#labels?.kernelSymbol(name) ?? name);
      case PERF_RECORD.TEXT_POKE:
        return kernel === null ? 'same' : null;
      case PERF_RECORD.THREAD_MAP:
        return this.#labels === null ? 'same' : this.#threadMap(record, this.#labels);
      case PERF_RECORD.BPF_METADATA:
        return isClean ? 'same' : null;
      default:
        return isClean || isKnownType(record.type) ? 'same' : null;
    }
  }

  #map(record: RecordView, trailerSize: number): Rewritten {
    const { view, offset, size, type, misc } = record;
    const textAt = TEXT_AT[type];
    if (textAt + trailerSize > size) return 'same';
    const name = textOf(record, textAt, trailerSize);
    const isKernel =
      this.#kernel !== null &&
      (isKernelMode(misc) || isKernelAddressAt(view, offset + ADDRESS_AT, this.#kernel));
    const isImage = /^\[(kernel|guest\.kernel)\.kallsyms/.test(name);
    if (isKernel && !isImage) return null;
    const hasBuildId = type === PERF_RECORD.MMAP2 && hasMmapBuildId(record);
    const losesBuildId = hasBuildId && this.#removeBuildIds;
    if (!isKernel && !losesBuildId && this.#labels === null) return 'same';

    const out = new ByteWriter(this.#littleEndian);
    out.bytes(record.bytes(0, textAt));
    if (isKernel) {
      out.patchU64(ADDRESS_AT, KERNEL_MAP_START);
      out.patchU64(ADDRESS_AT + 8, KERNEL_MAP_SIZE);
      out.patchU64(ADDRESS_AT + 16, KERNEL_MAP_OFFSET);
    }
    if (losesBuildId) out.patchU16(4, misc - PERF_RECORD_MISC.MMAP_BUILD_ID);
    // Device and inode find the file on the machine, and tell apart what the label tells apart.
    if (type === PERF_RECORD.MMAP2 && (losesBuildId || (this.#labels !== null && !hasBuildId))) {
      for (let at = FILE_ID_AT; at < FILE_ID_AT + FILE_ID_SIZE; at += 8) out.patchU64(at, 0);
    }
    return this.#finish(out, this.#labels?.dso(name) ?? name, record, trailerSize);
  }

  #named(record: RecordView, trailerSize: number, rename: (name: string) => string): Rewritten {
    const textAt = TEXT_AT[record.type];
    if (this.#labels === null || textAt + trailerSize > record.size) return 'same';
    const out = new ByteWriter(this.#littleEndian).bytes(record.bytes(0, textAt));
    return this.#finish(out, rename(textOf(record, textAt, trailerSize)), record, trailerSize);
  }

  /** The text, padded to 8 bytes, and the trailer as it was. */
  #finish(out: ByteWriter, text: string, record: RecordView, trailerSize: number): Uint8Array {
    const { size } = record;
    out
      .text(text)
      .u8(0)
      .align(8)
      .bytes(record.bytes(size - trailerSize));
    out.patchU16(6, out.length);
    return out.finish();
  }

  /** struct { header; u64 nr; struct { u64 pid; char comm[16]; } entries[nr]; } */
  #threadMap(record: RecordView, labels: Labels): Uint8Array {
    const bytes = record.bytes().slice();
    for (let at = 24; at + THREAD_MAP_COMM_SIZE <= bytes.length; at += 8 + THREAD_MAP_COMM_SIZE) {
      const field = bytes.subarray(at, at + THREAD_MAP_COMM_SIZE);
      const label = new TextEncoder().encode(labels.comm(decodeText(field)));
      field.fill(0);
      field.set(label);
    }
    return bytes;
  }
}

const KNOWN = new Set<number>(Object.values(PERF_RECORD));

/** A record of an unknown type may hold a name or an address. */
export function isKnownType(type: number): boolean {
  return KNOWN.has(type);
}

/** The name that a MMAP, MMAP2, COMM, CGROUP or KSYMBOL record ends in. */
export function recordText(record: RecordView, trailerSize: number): string | null {
  const textAt = TEXT_AT[record.type];
  return textAt === undefined || textAt + trailerSize > record.size
    ? null
    : textOf(record, textAt, trailerSize);
}

function textOf(record: RecordView, textAt: number, trailerSize: number): string {
  return decodeText(record.bytes(textAt, record.size - trailerSize));
}
