import { describeDiagnostics } from '../../findings/diagnostic-text.ts';
import type { Finding } from '../../findings/finding.ts';
import { judgeFile } from '../../findings/judge-file.ts';
import type { PerfData } from '../../formats/perf-data/reader.ts';

/**
 * Findings on what is wrong with a file, for those who walk its records and build no profile.
 * Complete after one walk.
 */
export function findingsOfData(data: PerfData, lostSideband = 0): Finding[] {
  return judgeFile({
    truncatedAt: cutOffset(data),
    skippedBytes: data.skippedBytes,
    dataBytes: data.dataSize,
    lostSideband,
    diagnostics: describeDiagnostics(data.diagnostics),
  });
}

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
