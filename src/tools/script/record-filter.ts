import type { PerfData } from '../../formats/perf-data/reader.ts';
import type { SampleView } from '../../kernel/perf-event/sample.ts';
import type { SampleSelection } from '../../profile/analysis/select/filter.ts';
import { findEvents } from '../../profile/find-events.ts';
import type { SpansOfThreads } from '../../profile/spans-of-threads.ts';
import { isInRanges } from '../../profile/time-range.ts';
import { coreTypesOf } from '../../read/facts/core-types.ts';
import type { NamedFrame } from '../../read/frame-namer.ts';
import { spansOf } from '../../read/selector.ts';

/** Facts about a record that is not a sample. */
export type OtherRecord = {
  readonly pid: number | undefined;
  readonly tid: number | undefined;
  readonly comm: string | undefined;
  readonly cpu: number | undefined;
  /** Nanoseconds since the recording's start; NaN without one. */
  readonly timeNs: number;
};

/** `SampleSelection`, asked record by record. */
export class RecordFilter {
  readonly #select: SampleSelection;
  /** 1 for each attr index that is shown; null: all. */
  readonly #events: Uint8Array | null;
  readonly #selectsLeaves: boolean;
  readonly #spans: SpansOfThreads | null;

  /** Throws `UsageError` if no event has that name, or nothing has turns or marks to select by. */
  constructor(
    data: PerfData,
    select: SampleSelection,
    event: string | undefined,
    names: readonly string[],
  ) {
    this.#select = select;
    this.#spans = spansOf(data, select);
    this.#events = event === undefined ? null : new Uint8Array(names.length);
    if (event !== undefined) {
      for (const row of findEvents(names, event, coreTypesOf(data).coreTypes))
        this.#events![row] = 1;
    }
    this.#selectsLeaves = select.dsos !== undefined || select.symbols !== undefined;
  }

  /** All but what the innermost frame decides. */
  admitsSample(sample: SampleView, comm: string, attrIndex: number): boolean {
    if (this.#events !== null && this.#events[attrIndex] === 0) return false;
    const { pid, tid, cpu, timeNs } = sample;
    return this.#admits(pid, tid, comm, cpu, timeNs);
  }

  admitsLeaf(leaf: () => NamedFrame): boolean {
    if (!this.#selectsLeaves) return true;
    const { symbol, dso } = leaf();
    const { symbols, dsos } = this.#select;
    if (symbols !== undefined && !symbols.has(symbol ?? '[unknown]')) return false;
    if (dsos === undefined) return true;
    return dso !== null && (dsos.has(dso) || dsos.has(dso.slice(dso.lastIndexOf('/') + 1)));
  }

  /** Other records are left out where an event or a frame decides. */
  admitsOther({ pid = -1, tid = -1, comm = '', cpu = -1, timeNs }: OtherRecord): boolean {
    if (this.#events !== null || this.#selectsLeaves) return false;
    return this.#admits(pid, tid, comm, cpu, timeNs);
  }

  #admits(pid: number, tid: number, comm: string, cpu: number, timeNs: number): boolean {
    const { times, cpus, pids, tids, comms } = this.#select;
    if (times !== undefined && !isInRanges(times, timeNs)) return false;
    if (cpus !== undefined && !cpus.has(cpu)) return false;
    if (pids !== undefined && !pids.has(pid)) return false;
    if (tids !== undefined && !tids.has(tid)) return false;
    if (this.#spans !== null && !this.#spans.has(tid, timeNs)) return false;
    return comms === undefined || comms.has(comm);
  }
}
