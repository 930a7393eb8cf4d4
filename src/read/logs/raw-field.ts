import { PERF_TYPE } from '../../base/event-type.ts';
import { FEATURE } from '../../formats/perf-data/features.ts';
import type { PerfData } from '../../formats/perf-data/reader.ts';
import type { SampleView } from '../../kernel/perf-event/sample.ts';
import { TracepointFormats } from '../../kernel/tracepoint/tracepoint-formats.ts';

/** The place of a field in the raw data of a tracepoint. */
export type RawField = { readonly offset: number; readonly size: number };

/** The field's lower 4 bytes; null if the sample does not have it. */
export function lower32(
  sample: SampleView,
  field: RawField | null,
  littleEndian: boolean,
): number | null {
  if (field === null || sample.rawOffset < 0) return null;
  const low = field.offset + (littleEndian ? 0 : field.size - 4);
  if (low < 0 || low + 4 > sample.rawLength) return null;
  return sample.view.getUint32(sample.rawOffset + low, littleEndian);
}

/** Null where the event is no tracepoint, or its format is not known. */
export function findField(data: PerfData, attrIndex: number, name: string): RawField | null {
  const attr = data.attrs[attrIndex]?.attr;
  const section = attr?.type === PERF_TYPE.TRACEPOINT ? tracingData(data) : null;
  if (attr === undefined || section === null) return null;
  const formats = TracepointFormats.parse(section, { diagnostics: data.diagnostics });
  const format = formats?.of(Number(attr.config)) ?? null;
  const all = format === null ? [] : [...format.commonFields, ...format.fieldList];
  const field = all.find((one) => one.name === name);
  return field === undefined ? null : { offset: field.offset, size: field.size };
}

function tracingData(data: PerfData): Uint8Array | null {
  return data.sections.bytes(FEATURE.TRACING_DATA);
}
