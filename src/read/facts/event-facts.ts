import type { PerfData } from '../../formats/perf-data/reader.ts';
import type { EventAttr } from '../../kernel/perf-event/attr.ts';
import { PERF_FORMAT } from '../../kernel/perf-event/constants.ts';
import type { SampleView } from '../../kernel/perf-event/sample.ts';

/** Facts that the samples of one event tell before any profile is built. */
export type SampledFacts = {
  /** Range and sum of the periods as recorded; null without samples. */
  readonly period: { readonly min: number; readonly max: number; readonly sum: number } | null;
  readonly threads: number;
  readonly cpus: number;
  /** Callchains, context markers left out; null for an event without them. */
  readonly deepestCallchain: number | null;
};

/** Collects the facts of every event, sample by sample. */
export class EventFacts {
  readonly #min: Float64Array;
  readonly #max: Float64Array;
  readonly #sum: Float64Array;
  readonly #depth: Int32Array;
  readonly #threads: Set<number>[];
  readonly #cpus: Set<number>[];

  constructor({ attrs }: Pick<PerfData, 'attrs'>) {
    this.#min = new Float64Array(attrs.length).fill(Number.POSITIVE_INFINITY);
    this.#max = new Float64Array(attrs.length).fill(Number.NEGATIVE_INFINITY);
    this.#sum = new Float64Array(attrs.length);
    this.#depth = new Int32Array(attrs.length).fill(-1);
    this.#threads = attrs.map(() => new Set());
    this.#cpus = attrs.map(() => new Set());
  }

  /** Hot: once per sample. */
  note(
    attrIndex: number,
    { period, tid, cpu, callchainLength, callchainOffset }: SampleView,
  ): void {
    this.#min[attrIndex] = Math.min(this.#min[attrIndex], period);
    this.#max[attrIndex] = Math.max(this.#max[attrIndex], period);
    this.#sum[attrIndex] = this.#sum[attrIndex] + period;
    if (callchainOffset >= 0 && callchainLength > this.#depth[attrIndex]) {
      this.#depth[attrIndex] = callchainLength;
    }
    if (tid >= 0) this.#threads[attrIndex]?.add(tid);
    if (cpu >= 0) this.#cpus[attrIndex]?.add(cpu);
  }

  of(attrIndex: number): SampledFacts {
    const [min, max, sum] = [this.#min, this.#max, this.#sum].map(
      (column) => column[attrIndex],
    ) as [number, number, number];
    const depth = this.#depth[attrIndex];
    return {
      period: Number.isFinite(min) ? { min, max, sum } : null,
      threads: this.#threads[attrIndex]?.size ?? 0,
      cpus: this.#cpus[attrIndex]?.size ?? 0,
      deepestCallchain: depth < 0 ? null : depth,
    };
  }
}

/** The attr's single bits that are set, by the kernel's names: `inherit`, `exclude_kernel`. */
export function flagNames({ flags }: EventAttr): string[] {
  return Object.entries(flags)
    .filter(([, value]) => value === true)
    .map(([name]) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`));
}

export function readFormatNames({ readFormat }: EventAttr): string[] {
  return Object.entries(PERF_FORMAT)
    .filter(([, bit]) => (readFormat & bit) !== 0)
    .map(([name]) => name);
}
