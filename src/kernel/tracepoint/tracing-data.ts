import { ByteCursor } from '../../base/byte-cursor.ts';
import { PerfDataError } from '../../base/errors.ts';
import { decodeText } from '../../base/text.ts';
import { parseFormatFile } from './format-file.ts';

/** The content of a TRACING_DATA section or record, as texts. */
export type TracingDataParts = {
  /** Version of the format, `0.6`. */
  readonly version: string;
  readonly littleEndian: boolean;
  /** `sizeof(long)` of the recorded machine's kernel. */
  readonly longSize: number;
  readonly pageSize: number;
  readonly headerPage: string;
  readonly headerEvent: string;
  /** Format files of the events of ftrace itself, and of the tracepoints. */
  readonly formats: readonly { readonly system: string; readonly text: string }[];
  readonly kallsyms: Uint8Array;
  readonly printkFormats: string;
  /** `pid comm` per line; from version 0.6 on. */
  readonly savedCmdlines: string;
  /** The part that the bytes ended before; null if all is there. */
  readonly cutAt: string | null;
};

const MAGIC = [23, 8, 68, 0x74, 0x72, 0x61, 0x63, 0x69, 0x6e, 0x67];
/** A name longer than this is none. */
const MOST_NAME = 4096;

/**
 * Splits a trace-cmd header, versions 0.5 and 0.6:
 *
 *   u8 magic[10] = { 23, 8, 68, 't', 'r', 'a', 'c', 'i', 'n', 'g' };
 *   char version[] = "0.6";
 *   u8 endian;                                    // 0: little
 *   u8 long_size;
 *   u32 page_size;
 *   char name[] = "header_page";  u64 size; char data[size];
 *   char name[] = "header_event"; u64 size; char data[size];
 *   u32 nr_ftrace_events;         { u64 size; char data[size]; } [nr]
 *   u32 nr_systems;
 *   { char system[]; u32 nr_events; { u64 size; char format[size]; } [nr] } [nr]
 *   u32 kallsyms_size;            char data[size];
 *   u32 printk_formats_size;      char data[size];
 *   u64 saved_cmdlines_size;      char data[size];      // from 0.6 on
 *
 * Null if it does not begin like one. What is cut keeps what was whole.
 * tools/perf/util/trace-event-read.c
 */
export function parseTracingData(bytes: Uint8Array): TracingDataParts | null {
  if (bytes.length < MAGIC.length + 8 || MAGIC.some((byte, i) => bytes[i] !== byte)) return null;
  const versionEnd = bytes.indexOf(0, MAGIC.length);
  if (versionEnd < 0 || versionEnd + 6 >= bytes.length) return null;
  const version = decodeText(bytes.subarray(MAGIC.length, versionEnd));
  const littleEndian = bytes[versionEnd + 1] === 0;
  const longSize = bytes[versionEnd + 2] === 4 ? 4 : 8;
  const cursor = new ByteCursor(bytes.subarray(versionEnd + 3), littleEndian);
  const parts = new PartsReader(cursor);
  const pageSize = cursor.u32();
  parts.readAll(version);
  const { headerPage, headerEvent, formats, kallsyms, printkFormats, savedCmdlines, cutAt } = parts;
  return {
    version,
    littleEndian,
    longSize,
    pageSize,
    headerPage,
    headerEvent,
    formats,
    kallsyms,
    printkFormats,
    savedCmdlines,
    cutAt,
  };
}

class PartsReader {
  headerPage = '';
  headerEvent = '';
  readonly formats: { system: string; text: string }[] = [];
  kallsyms: Uint8Array = new Uint8Array(0);
  printkFormats = '';
  savedCmdlines = '';
  cutAt: string | null = null;
  readonly #cursor: ByteCursor;

  constructor(cursor: ByteCursor) {
    this.#cursor = cursor;
  }

  readAll(version: string): void {
    const cursor = this.#cursor;
    let part = 'header_page';
    try {
      this.headerPage = this.#named();
      part = 'header_event';
      this.headerEvent = this.#named();
      part = 'events of ftrace';
      const ftraceEvents = cursor.u32();
      for (let i = 0; i < ftraceEvents; i++) {
        this.formats.push({ system: 'ftrace', text: this.#text64() });
      }
      part = 'tracepoints';
      const systems = cursor.u32();
      for (let i = 0; i < systems; i++) this.#system();
      part = 'kallsyms';
      this.kallsyms = cursor.bytes(cursor.u32());
      part = 'printk_formats';
      this.printkFormats = cursor.text(cursor.u32());
      part = 'saved_cmdlines';
      if (version !== '0.5') this.savedCmdlines = cursor.text(cursor.u64());
    } catch (error) {
      if (!(error instanceof PerfDataError)) throw error;
      this.cutAt = part;
    }
  }

  #system(): void {
    const system = this.#name();
    const events = this.#cursor.u32();
    for (let i = 0; i < events; i++) this.formats.push({ system, text: this.#text64() });
  }

  /** A NUL-terminated name and a text behind it. */
  #named(): string {
    this.#name();
    return this.#text64();
  }

  #text64(): string {
    return this.#cursor.text(this.#cursor.u64());
  }

  #name(): string {
    const bytes: number[] = [];
    for (let byte = this.#cursor.u8(); byte !== 0; byte = this.#cursor.u8()) {
      if (bytes.length === MOST_NAME) throw new PerfDataError('short', 'a name has no end');
      bytes.push(byte);
    }
    return decodeText(Uint8Array.from(bytes));
  }
}

/**
 * `system:name` of each tracepoint in a TRACING_DATA section or record, by id; empty where the bytes
 * are none. Pipes of perf before 4.0 name their events nowhere else.
 */
export function readTracepointNames(tracingData: Uint8Array): ReadonlyMap<number, string> {
  const names = new Map<number, string>();
  const parts = parseTracingData(tracingData);
  if (parts === null) return names;
  for (const { system, text } of parts.formats) {
    const file = parseFormatFile(text, parts.longSize);
    if (file !== null && !names.has(file.id)) names.set(file.id, `${system}:${file.name}`);
  }
  return names;
}
