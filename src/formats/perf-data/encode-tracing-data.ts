import { ByteWriter } from '../../base/byte-writer.ts';

/** The texts of tracefs about the tracepoints of a recording; all texts as read, unchanged. */
export type TracingData = {
  /** `events/header_page`: layout of a trace page. */
  readonly headerPage: string;
  /** `events/header_event`: layout of an entry's head. */
  readonly headerEvent: string;
  /** `events/SYSTEM/NAME/format` of every recorded tracepoint. */
  readonly formats: readonly { readonly system: string; readonly text: string }[];
  /** Bytes of a page of the recorded machine. */
  readonly pageSize: number;
  /** `sizeof(long)` of the recorded machine's kernel; 8 if left out. */
  readonly longSize?: number;
  readonly littleEndian?: boolean;
};

/**
 * The TRACING_DATA section: a trace-cmd header of version 0.6, by which readers print the raw
 * fields of tracepoint samples.
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
 *   u64 saved_cmdlines_size;      char data[size];
 *
 * tools/perf/util/trace-event-info.c
 */
export function encodeTracingData(data: TracingData): Uint8Array {
  const littleEndian = data.littleEndian ?? true;
  const out = new ByteWriter(littleEndian);
  out.u8(23).u8(8).u8(68).text('tracing');
  name(out, '0.6');
  out.u8(littleEndian ? 0 : 1).u8(data.longSize ?? 8);
  out.u32(data.pageSize);
  name(out, 'header_page');
  sizedText(out, data.headerPage);
  name(out, 'header_event');
  sizedText(out, data.headerEvent);
  const noFtraceEvents = 0;
  out.u32(noFtraceEvents);
  const systems = [...new Set(data.formats.map(({ system }) => system))];
  out.u32(systems.length);
  for (const system of systems) {
    const formats = data.formats.filter((format) => format.system === system);
    name(out, system);
    out.u32(formats.length);
    for (const { text } of formats) sizedText(out, text);
  }
  const noKallsyms = 0;
  const noPrintkFormats = 0;
  const noSavedCommandLines = 0;
  return out.u32(noKallsyms).u32(noPrintkFormats).u64(noSavedCommandLines).finish();
}

function name(out: ByteWriter, text: string): void {
  out.text(text).u8(0);
}

/** A size of 64 bits, filled in when the text's bytes are there. */
function sizedText(out: ByteWriter, text: string): void {
  const sizeAt = out.length;
  out.u64(0).text(text);
  out.patchU64(sizeAt, out.length - sizeAt - 8);
}
