import type { ByteSource } from '../../base/byte-source.ts';
import type { Diagnostics } from '../../base/diagnostics.ts';
import { GrowableFloat64, GrowableInt32 } from '../../base/growable-columns.ts';
import { type RawTime, readAddress, readTimeSince, readU64 } from '../../base/u64.ts';
import { ByteStore } from './byte-store.ts';
import type { CodeTable, CodeUnwinding } from './code-table.ts';
import { DebugEntries } from './jitdump-lines.ts';
import { BEFORE_RECORDING } from './perf-map.ts';

const MAX_JITDUMP_BYTES = 2 ** 32;
const MAX_JITDUMP_RECORDS = 5_000_000;
/** Maximum bytes of names, of lines and of unwind tables in memory; code stays in the file. */
const MAX_KEPT_BYTES = 256 * 2 ** 20;
const MAX_NAME_BYTES = 64 * 1024;
/** Maximum bytes of one code object's tables: V8 writes 100. A lookup reads all of them. */
const MAX_TABLE_BYTES = 64 * 1024;

const MAGIC = 0x4a695444;
const HEADER_BYTES = 40;
const PREFIX_BYTES = 16;
const FLAG_ARCH_TIMESTAMP = 1;
const RECORD = { CODE_LOAD: 0, MOVE: 1, DEBUG_INFO: 2, CLOSE: 3, UNWINDING_INFO: 4 } as const;

/** Records that are read to their end, or to that of the name. */
const KEPT_WHOLE: ReadonlySet<number> = new Set([
  RECORD.CODE_LOAD,
  RECORD.MOVE,
  RECORD.DEBUG_INFO,
  RECORD.UNWINDING_INFO,
]);
/** Frame tables lie behind the code at the next multiple of so many bytes from its start. */
const TABLE_ALIGNMENT = 8;

/** A range of bytes in the dump. */
export type DumpRange = { readonly offset: number; readonly size: number };

export type Jitdump = CodeTable & {
  readonly dump: string;
  /** ELF machine, EM_*. */
  readonly machine: number;
  /** The machine code of a row, as it was when the JIT wrote it. */
  readonly code: (row: number) => DumpRange;
};

export type JitdumpOptions = {
  readonly diagnostics: Diagnostics;
  /** Name used in messages. */
  readonly name: string;
  /** The pid that the file must be of, by which the process knows itself. */
  readonly pid: number;
  /** Null: the dump's clock is not that of the recording, so its times are unusable. */
  readonly startTime: RawTime | null;
};

/**
 * A jitdump (tools/perf/Documentation/jitdump-specification.txt), in the byte order of its writer:
 *
 *   struct { u32 magic, version, total_size, elf_mach, pad1, pid; u64 timestamp, flags; }
 *   records: struct { u32 id, total_size; u64 timestamp; … }
 *     CODE_LOAD       u32 pid, tid; u64 vma, code_addr, code_size, code_index; char name[]; code[]
 *     MOVE            u32 pid, tid; u64 vma, old_code_addr, new_code_addr, code_size, code_index
 *     DEBUG_INFO      u64 code_addr, nr_entry; entries      of the CODE_LOAD that follows
 *     UNWINDING_INFO  u64 unwinding_size, eh_frame_hdr_size, mapped_size; data[]         likewise;
 *                     data: .eh_frame, and as its last eh_frame_hdr_size bytes .eh_frame_hdr
 *
 * Null, with the reason counted, for a file that is not one. What a damaged or unfinished one has
 * before the damage is kept.
 */
export function readJitdump(source: ByteSource, options: JitdumpOptions): Jitdump | null {
  const { diagnostics, name } = options;
  const refuse = (reason: string): null => {
    diagnostics.count('jitdump-unused', `${name}: ${reason}`);
    return null;
  };
  const bytes = source.read(0, HEADER_BYTES);
  if (bytes.length < HEADER_BYTES) return refuse('shorter than its header');
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const littleEndian = view.getUint32(0, true) === MAGIC;
  if (!littleEndian && view.getUint32(0, false) !== MAGIC) return refuse('no jitdump (magic)');
  const version = view.getUint32(4, littleEndian);
  if (version !== 1) return refuse(`version ${version}, 1 is known`);
  const headerSize = view.getUint32(8, littleEndian);
  if (headerSize < HEADER_BYTES || headerSize > source.size) {
    return refuse(`header of ${headerSize} bytes`);
  }
  const pid = view.getUint32(20, littleEndian);
  if (pid !== options.pid) return refuse(`written by process ${pid}, not ${options.pid}`);
  const hasArchTime = (readU64(view, 32, littleEndian) & FLAG_ARCH_TIMESTAMP) !== 0;
  if (hasArchTime) diagnostics.count('jitdump-times-in-cycles', name);
  const startTime = hasArchTime ? null : options.startTime;
  const reader = new RecordReader(source, littleEndian, { ...options, startTime });
  reader.run(headerSize);
  return reader.finish(view.getUint32(12, littleEndian));
}

class RecordReader {
  readonly #source: ByteSource;
  readonly #littleEndian: boolean;
  readonly #options: JitdumpOptions;
  readonly #timeNs = new GrowableFloat64();
  readonly #start = new GrowableFloat64();
  readonly #end = new GrowableFloat64();
  readonly #nameAt = new GrowableInt32();
  readonly #nameEnd = new GrowableInt32();
  readonly #codeAt = new GrowableFloat64();
  readonly #codeSize = new GrowableFloat64();
  /** Address of the code when its lines were written: a MOVE keeps them. */
  readonly #origin = new GrowableFloat64();
  /** Offset of the tables in `#unwind`; size 0: none. */
  readonly #unwindAt = new GrowableFloat64();
  readonly #unwindSize = new GrowableFloat64();
  readonly #unwindHeader = new GrowableFloat64();
  readonly #unwind = new ByteStore(MAX_KEPT_BYTES);
  readonly #lines: DebugEntries;
  readonly #names = new ByteStore(MAX_KEPT_BYTES);
  /** Start of live code -> its last row. */
  readonly #rowAt = new Map<number, number>();
  #lastNs = BEFORE_RECORDING;
  #unwinding = { at: 0, size: 0, header: 0 };
  #badRecords = 0;

  constructor(source: ByteSource, littleEndian: boolean, options: JitdumpOptions) {
    this.#source = source;
    this.#littleEndian = littleEndian;
    this.#options = options;
    this.#lines = new DebugEntries(littleEndian, MAX_KEPT_BYTES);
  }

  run(firstRecord: number): void {
    const { diagnostics, name } = this.#options;
    const size = Math.min(this.#source.size, MAX_JITDUMP_BYTES);
    const window = new SourceWindow(this.#source);
    let at = firstRecord;
    let records = 0;
    while (at + PREFIX_BYTES <= size) {
      if (records++ === MAX_JITDUMP_RECORDS) {
        diagnostics.count('jitdump-too-many-records', name);
        break;
      }
      let view = window.view(at, PREFIX_BYTES);
      const id = view.getUint32(0, this.#littleEndian);
      const total = view.getUint32(4, this.#littleEndian);
      if (total < PREFIX_BYTES) {
        diagnostics.count('jitdump-record-damaged', `${name} at ${at}`);
        break;
      }
      // The process may still have been writing, or was killed.
      if (at + total > size) {
        diagnostics.count('jitdump-cut', name);
        break;
      }
      if (id === RECORD.CLOSE) break;
      const kept = id === RECORD.CODE_LOAD ? Math.min(total, 56 + MAX_NAME_BYTES) : total;
      const isKnown = KEPT_WHOLE.has(id) && kept <= MAX_KEPT_BYTES;
      const wanted = isKnown ? kept : Math.min(total, 40);
      view = window.view(at, wanted);
      if (view.byteLength < wanted) {
        diagnostics.count('jitdump-cut', name);
        break;
      }
      if (!this.#read(id, view, at, total)) this.#badRecords++;
      at += total;
    }
    if (this.#badRecords > 0) {
      diagnostics.count('jitdump-record-malformed', name, this.#badRecords);
    }
  }

  /** One record, whose end may lie behind `view`'s; false if it makes no sense. */
  #read(id: number, view: DataView, at: number, total: number): boolean {
    switch (id) {
      case RECORD.CODE_LOAD:
        return this.#load(view, at, total);
      case RECORD.MOVE:
        return total >= 64 && this.#move(view);
      case RECORD.DEBUG_INFO:
        return total >= 32 && this.#lines.announce(view, total);
      case RECORD.UNWINDING_INFO:
        return total >= 40 && this.#announceUnwinding(view);
      default:
        // Records of a newer writer are skipped.
        return true;
    }
  }

  #load(view: DataView, at: number, total: number): boolean {
    const little = this.#littleEndian;
    const { at: unwindAt, size: unwindSize, header } = this.#unwinding;
    this.#unwinding = { at: 0, size: 0, header: 0 };
    const lines = this.#lines.take();
    if (total < 57) return false;
    const start = readAddress(view, 32, little);
    const size = readU64(view, 40, little);
    let nameEnd = 56;
    while (nameEnd < view.byteLength && view.getUint8(nameEnd) !== 0) nameEnd++;
    if (nameEnd === view.byteLength) return false;
    if (!isCode(start, size) || nameEnd + 1 + size > total) return false;
    const nameAt = this.#names.length;
    if (!this.#names.add(new Uint8Array(view.buffer, view.byteOffset + 56, nameEnd - 56))) {
      return false;
    }
    const row = this.#add(view, start, size, nameAt, this.#names.length);
    this.#codeAt.push(at + nameEnd + 1);
    this.#codeSize.push(size);
    this.#origin.push(start);
    this.#unwindAt.push(unwindAt);
    this.#unwindSize.push(unwindSize);
    this.#unwindHeader.push(header);
    this.#lines.give(row, lines, start, start + size);
    return true;
  }

  #move(view: DataView): boolean {
    const little = this.#littleEndian;
    const from = this.#rowAt.get(readAddress(view, 32, little));
    const start = readAddress(view, 40, little);
    const size = readU64(view, 48, little);
    if (from === undefined || !isCode(start, size)) return false;
    const nameAt = this.#nameAt.array[from];
    const row = this.#add(view, start, size, nameAt, this.#nameEnd.array[from]);
    for (const column of [
      this.#codeAt,
      this.#codeSize,
      this.#origin,
      this.#unwindAt,
      this.#unwindSize,
      this.#unwindHeader,
    ]) {
      column.push(column.array[from]);
    }
    this.#lines.share(row, from);
    return true;
  }

  #add(view: DataView, start: number, size: number, nameAt: number, nameEnd: number): number {
    const { startTime } = this.#options;
    // Threads write their records a little out of order.
    if (startTime !== null) {
      const timeNs = readTimeSince(view, 8, this.#littleEndian, startTime);
      this.#lastNs = Math.max(this.#lastNs, timeNs);
    }
    const row = this.#start.length;
    this.#timeNs.push(this.#lastNs);
    this.#start.push(start);
    this.#end.push(start + size);
    this.#nameAt.push(nameAt);
    this.#nameEnd.push(nameEnd);
    this.#rowAt.set(start, row);
    return row;
  }

  #announceUnwinding(view: DataView): boolean {
    const size = readU64(view, 16, this.#littleEndian);
    const header = readU64(view, 24, this.#littleEndian);
    if (size > view.byteLength - 40 || header > size) return false;
    // V8 writes an empty .eh_frame_hdr for code of which it knows nothing.
    if (size === header) return true;
    if (size > MAX_TABLE_BYTES) {
      const { diagnostics, name } = this.#options;
      diagnostics.count('jitdump-frame-tables-too-large', name);
      return true;
    }
    const at = this.#unwind.length;
    if (!this.#unwind.add(new Uint8Array(view.buffer, view.byteOffset + 40, size))) return false;
    this.#unwinding = { at, size, header };
    return true;
  }

  finish(machine: number): Jitdump {
    const nameAt = this.#nameAt.finish();
    const nameEnd = this.#nameEnd.finish();
    const origin = this.#origin.finish();
    const start = this.#start.finish();
    const names = this.#names;
    const lines = this.#lines;
    const at = (column: GrowableFloat64, row: number) => column.array[row];
    return {
      dump: this.#options.name,
      machine,
      length: start.length,
      timeNs: this.#timeNs.finish(),
      start,
      end: this.#end.finish(),
      restarts: [],
      name: (row) => names.text(nameAt[row], nameEnd[row]),
      hasSameName: (a, b) => names.areEqual(nameAt[a], nameEnd[a], nameAt[b], nameEnd[b]),
      line: (row, address) => lines.find(row, address - start[row] + origin[row]),
      lines: (row) => lines.all(row),
      code: (row) => ({ offset: at(this.#codeAt, row), size: at(this.#codeSize, row) }),
      ...(this.#unwind.length > 0 && {
        unwinding: (row: number) => this.#unwindingOf(row, start[row]),
      }),
    };
  }

  #unwindingOf(row: number, start: number): CodeUnwinding | null {
    const size = this.#unwindSize.array[row];
    if (size === 0) return null;
    const from = this.#unwindAt.array[row];
    const to = from + size;
    const header = to - this.#unwindHeader.array[row];
    const codeSize = this.#codeSize.array[row];
    return {
      address: start + Math.ceil(codeSize / TABLE_ALIGNMENT) * TABLE_ALIGNMENT,
      ehFrame: this.#unwind.bytes(from, header),
      ehFrameHdr: this.#unwind.bytes(header, to),
    };
  }
}

/** Code lies in user space and has bytes. */
function isCode(start: number, size: number): boolean {
  return start >= 0 && size > 0 && Number.isSafeInteger(start + size);
}

const WINDOW_BYTES = 1 << 20;

/** Small reads that go forward through a large source, a megabyte at a time. */
class SourceWindow {
  readonly #source: ByteSource;
  #at = 0;
  #bytes: Uint8Array = new Uint8Array(0);

  constructor(source: ByteSource) {
    this.#source = source;
  }

  /** The bytes [offset, offset + length), which the source must have; valid until the next call. */
  view(offset: number, length: number): DataView {
    if (offset < this.#at || offset + length > this.#at + this.#bytes.length) {
      this.#bytes = this.#source.read(offset, Math.max(length, WINDOW_BYTES));
      this.#at = offset;
    }
    const first = this.#bytes.byteOffset + offset - this.#at;
    const there = Math.min(length, this.#bytes.length - (offset - this.#at));
    return new DataView(this.#bytes.buffer, first, there);
  }
}
