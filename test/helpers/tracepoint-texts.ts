// Texts of the tracepoint samples of a recording: ours, and those of Debian's perf.

import { execFileSync } from 'node:child_process';
import { toRawTime } from '../../src/base/u64.ts';
import { FEATURE } from '../../src/formats/perf-data/features.ts';
import { type PerfData, walkRecords } from '../../src/formats/perf-data/reader.ts';
import { PERF_RECORD } from '../../src/kernel/perf-event/constants.ts';
import { decodeSample, SampleView } from '../../src/kernel/perf-event/sample.ts';
import type { KernelSymbolOf } from '../../src/kernel/tracepoint/kernel-names.ts';
import { TracepointFormats } from '../../src/kernel/tracepoint/tracepoint-formats.ts';

/** One sample: `system:name`, when and where it was, and its line. */
export type TracepointText = { readonly event: string; readonly at: string; readonly text: string };

/** Every sample that has a format, in file order. */
export function ourTexts(data: PerfData, symbolOf?: KernelSymbolOf): TracepointText[] {
  const section = data.sections.bytes(FEATURE.TRACING_DATA);
  let formats = section === null ? null : TracepointFormats.parse(section, { symbolOf });
  const texts: TracepointText[] = [];
  const sample = new SampleView(data.startTime);
  walkRecords(data, {
    record(record) {
      const { view, offset, size, type } = record;
      if (type === SIMPLE_PERF_RECORD_TRACING_DATA) {
        const bytes = simpleperfTracingData(view, offset, size, data.littleEndian);
        if (bytes !== null) formats = TracepointFormats.parse(bytes, { symbolOf });
      }
      if (type !== PERF_RECORD.SAMPLE || formats === null) return;
      const { attr, info } = data.attrs[data.lookup.attrIndexOf(record)];
      if (!decodeSample(record, info, sample)) return;
      const { rawOffset, rawLength } = sample;
      const format = formats.ofSample(view, rawOffset, rawLength, Number(attr.config));
      if (format === null) return;
      texts.push({
        event: `${format.system}:${format.name}`,
        at: `${sample.cpu} ${toRawTime(data.startTime, sample.timeNs)}`,
        text: oneLine(format.text(view, rawOffset, rawLength, data.littleEndian)),
      });
    },
  });
  return texts;
}

/** What `perf script` prints for them, in its order of time. */
export function perfTexts(file: string): TracepointText[] {
  const columns = ['--ns', '-F', 'cpu,time,event,trace'];
  const output = execFileSync('perf', ['script', '-i', file, ...columns], {
    encoding: 'latin1',
    maxBuffer: 2 ** 30,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const LINE = /^\[(\d+)\]\s+(\d+)\.(\d{9}):\s+(\w+:\w+): (.*)$/gm;
  return [...output.matchAll(LINE)].map(([, cpu, seconds, nanos, event, text]) => ({
    event: event,
    at: `${Number(cpu)} ${BigInt(seconds) * 1_000_000_000n + BigInt(nanos)}`,
    text: oneLine(text),
  }));
}

/** Print fmts may end in blanks and line ends, of which perf prints some. */
function oneLine(text: string): string {
  return text.replaceAll('\n', ' ').trimEnd();
}

/** Record type of simpleperf, which puts tracing data among its records. */
const SIMPLE_PERF_RECORD_TRACING_DATA = 32777;

/**
 * The tracing data in the record at [offset, offset + size) of simpleperf's type; null if its length
 * doesn't fit.
 *
 *   struct { struct perf_event_header header; u32 size; char data[size]; };
 *
 * system/extras/simpleperf/record.h
 */
function simpleperfTracingData(
  view: DataView,
  offset: number,
  size: number,
  littleEndian: boolean,
): Uint8Array | null {
  if (size < 12) return null;
  const length = view.getUint32(offset + 8, littleEndian);
  if (length > size - 12) return null;
  return new Uint8Array(view.buffer, view.byteOffset + offset + 12, length);
}
