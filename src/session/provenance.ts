import { FEATURE } from '../perf-data/features.ts';
import type { PerfData } from '../perf-data/reader.ts';
import type { KernelLimits } from '../period/types.ts';

/**
 * What perf has no record for, in one feature section of our own: a JSON document in UTF-8.
 * Readers skip feature bits that they don't know; perf's own end below 64, simpleperf's begin at
 * 128.
 */
export const PROVENANCE_FEATURE = FEATURE.PERF_TS;

export type Provenance = {
  readonly version: 1;
  /** Version of perf-ts that recorded. */
  readonly recorder: string;
  /** What was substituted, lowered or left out, one sentence each. */
  readonly notes: readonly string[];
  /** Limits of the kernel before and after the recording. */
  readonly kernel: KernelLimits;
  /** Final value of each event's counter over all its instances, read when it was closed. */
  readonly totals: Readonly<Record<string, number>>;
};

export function encodeProvenance(provenance: Provenance): Uint8Array {
  return new TextEncoder().encode(JSON.stringify(provenance));
}

const MAX_BYTES = 1 << 20;

/** The section of a recording by perf-ts; null in every other file, or if it is damaged. */
export function readProvenance(data: PerfData): Provenance | null {
  const bytes = data.sections.bytes(PROVENANCE_FEATURE);
  if (bytes === null || bytes.length > MAX_BYTES) return null;
  try {
    const document: unknown = JSON.parse(new TextDecoder().decode(bytes));
    return isProvenance(document) ? document : null;
  } catch {
    return null;
  }
}

function isProvenance(document: unknown): document is Provenance {
  if (typeof document !== 'object' || document === null) return false;
  const { version, notes, kernel, totals } = document as Partial<Provenance>;
  return (
    version === 1 &&
    Array.isArray(notes) &&
    notes.every((note) => typeof note === 'string') &&
    typeof kernel === 'object' &&
    kernel !== null &&
    typeof totals === 'object' &&
    totals !== null
  );
}
