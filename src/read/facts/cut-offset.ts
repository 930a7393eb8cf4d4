import type { PerfData } from '../../formats/perf-data/reader.ts';

/**
 * Returns the offset at which a recording was cut, as the JSON of docs/contract.md has it. Our recorder
 * keeps the data size current and writes the sections last: a file that ends with its records, without
 * any section, is of a recorder that was killed.
 */
export function cutOffset(data: PerfData): number | null {
  if (data.truncatedAt >= 0) return data.truncatedAt;
  const { pipe, dataOffset, dataSize, sections, source } = data;
  const end = dataOffset + dataSize;
  const isUnfinished = !pipe && dataSize > 0 && end === source.size && sections.names.length === 0;
  return isUnfinished ? end : null;
}
