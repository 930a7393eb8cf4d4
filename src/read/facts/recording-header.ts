import type { PerfData } from '../../formats/perf-data/reader.ts';

/**
 * The facts about the machine and the recording in the header's feature sections, for JSON: numbers
 * that may have all 64 bits are strings. A section that the file does not have is absent.
 */
export type RecordingHeader = Readonly<Record<string, unknown>>;

/** Features that `info` has keys of its own for, by older rules. */
const ELSEWHERE = new Set(['hostname', 'osRelease', 'arch', 'commandLine', 'eventDescriptions']);

export function describeHeader({ features }: PerfData): RecordingHeader {
  const header: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(features)) {
    if (value === null || ELSEWHERE.has(name)) continue;
    header[name] = forJson(value);
  }
  return header;
}

/** Bigints as decimal strings, however deep they lie. */
function forJson(value: unknown): unknown {
  if (typeof value === 'bigint') return value.toString();
  if (Array.isArray(value)) return value.map(forJson);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, forJson(inner)]));
}
