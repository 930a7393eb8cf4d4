// Hot: once per record.

import { NONE } from '../base/brand.ts';
import { FailedError } from '../base/errors.ts';
import { decodeText } from '../base/text.ts';
import { readTimeSince, toRawTime } from '../base/u64.ts';
import { words } from '../base/words.ts';
import { type PerfData, walkRecords } from '../formats/perf-data/reader.ts';
import { PERF_RECORD, PERF_SAMPLE } from '../kernel/perf-event/constants.ts';
import { UNKNOWN_EVENT } from '../kernel/perf-event/event-lookup.ts';
import type { RecordView } from '../kernel/perf-event/record-view.ts';
import { decodeTrailer, TrailerView } from '../kernel/perf-event/trailer.ts';
import { RECORD_SELECTION, type RecordSelection } from '../options/reading.ts';
import { selectedSpans } from '../profile/analysis/select/selected-spans.ts';
import type { SpansOfThreads } from '../profile/spans-of-threads.ts';
import { isInRanges, parseTimeRanges, type TimeRange } from '../profile/time-range.ts';
import { recordedTime } from './facts/recorded-time.ts';
import { decodeLoops, readLoopStreams } from './jit/loop-streams.ts';

/** Says of each sample, and of what else has a time and a thread, whether it is selected. */
export class Selector {
  readonly #data: PerfData;
  readonly #times: readonly TimeRange[] | null;
  readonly #cpus: ReadonlySet<number> | null;
  readonly #pids: ReadonlySet<number> | null;
  readonly #tids: ReadonlySet<number> | null;
  readonly #comms: ReadonlySet<string> | null;
  readonly #names: CommHistory | null;
  readonly #spans: SpansOfThreads | null;
  readonly #trailer: TrailerView;
  /** Whether there is anything to select by. */
  readonly isActive: boolean;
  /** Whether only a part of a thread's course stays: counts over all of it no longer fit. */
  readonly cutsThreads: boolean;

  /**
   * Walks the records where times are percentages or comms are asked for. Throws `FailedError` if
   * samples are to be selected by what they don't have, `UsageError` where there are no turns or marks to select by.
   */
  static open(data: PerfData, select: RecordSelection): Selector {
    const times = select.time === undefined ? null : timesOf(data, select.time);
    requireFields(data, select);
    const names = select.comms === undefined ? null : CommHistory.read(data);
    return new Selector(data, select, times, names);
  }

  /** `open` makes one. */
  constructor(
    data: PerfData,
    select: RecordSelection,
    times: readonly TimeRange[] | null,
    names: CommHistory | null,
  ) {
    this.#data = data;
    this.#times = times;
    this.#cpus = select.cpus ?? null;
    this.#pids = select.pids ?? null;
    this.#tids = select.tids ?? null;
    this.#comms = select.comms ?? null;
    this.#names = names;
    this.#spans = spansOf(data, select);
    this.cutsThreads = [times, this.#cpus, this.#comms, this.#spans].some((by) => by !== null);
    this.isActive = this.cutsThreads || this.#pids !== null || this.#tids !== null;
    this.#trailer = new TrailerView(data.startTime);
  }

  sample(record: RecordView, event: number): boolean {
    if (!this.isActive) return true;
    const info = this.#data.attrs[event]?.info;
    if (info === undefined || info.sampleFixedSize > record.size) return false;
    const { view, offset } = record;
    const { littleEndian, startTime } = this.#data;
    const { sampleTidOffset: tidAt, sampleTimeOffset: timeAt, sampleCpuOffset: cpuAt } = info;
    return this.#admits(
      tidAt < 0 ? NONE : view.getInt32(offset + tidAt, littleEndian),
      tidAt < 0 ? NONE : view.getInt32(offset + tidAt + 4, littleEndian),
      timeAt < 0 ? Number.NaN : readTimeSince(view, offset + timeAt, littleEndian, startTime),
      cpuAt < 0 ? NONE : view.getInt32(offset + cpuAt, littleEndian),
    );
  }

  /** Whether a record with a sample-id trailer is selected; one without stays. */
  other(record: RecordView, event: number): boolean {
    const info = this.#data.attrs[event]?.info;
    if (!this.isActive || info === undefined) return true;
    const trailer = this.#trailer;
    if (!decodeTrailer(record, info, trailer)) return true;
    return this.#admits(trailer.pid, trailer.tid, trailer.timeNs, trailer.cpu);
  }

  #admits(pid: number, tid: number, timeNs: number, cpu: number): boolean {
    if (this.#times !== null && !isInRanges(this.#times, timeNs)) return false;
    if (this.#cpus !== null && !this.#cpus.has(cpu)) return false;
    if (this.#pids !== null && !this.#pids.has(pid)) return false;
    if (this.#tids !== null && !this.#tids.has(tid)) return false;
    if (this.#spans !== null && !this.#spans.has(tid, timeNs)) return false;
    return this.#comms === null || this.#comms.has(this.#names?.commAt(tid, timeNs) ?? '');
  }
}

/** The fields that samples need for each way of selecting them. */
const REQUIRED = [
  ['time', 'times', PERF_SAMPLE.TIME],
  ['cpus', 'CPUs', PERF_SAMPLE.CPU],
  ['pids', 'threads', PERF_SAMPLE.TID],
  ['tids', 'threads', PERF_SAMPLE.TID],
  ['comms', 'threads', PERF_SAMPLE.TID],
  ['inTurnsOver', 'times', PERF_SAMPLE.TIME],
  ['inTurnsOver', 'threads', PERF_SAMPLE.TID],
  ['inMark', 'times', PERF_SAMPLE.TIME],
  ['inMark', 'threads', PERF_SAMPLE.TID],
] as const;

/** The turns and marks that are selected by, for tids; null: samples are not selected so. */
export function spansOf(
  data: PerfData,
  select: Pick<RecordSelection, 'inTurnsOver' | 'inMark'>,
): SpansOfThreads | null {
  if (select.inTurnsOver === undefined && select.inMark === undefined) return null;
  const { startTime, diagnostics } = data;
  const loops = readLoopStreams(data, diagnostics);
  const endNs = Number.POSITIVE_INFINITY;
  const { turns, marks } = decodeLoops(loops, startTime, [], endNs, diagnostics);
  const tables = { ...(turns !== null && { turns }), ...(marks !== null && { marks }) };
  return selectedSpans(tables, select, ({ tid }) => tid);
}

function requireFields({ attrs }: PerfData, select: RecordSelection): void {
  for (const [key, what, bit] of REQUIRED) {
    if (select[key] === undefined) continue;
    if (attrs.every(({ attr }) => (attr.sampleType & bit) !== 0)) continue;
    const option = RECORD_SELECTION[key];
    throw new FailedError(words`${option}: samples of this recording have no ${what}`, [
      words`leave ${option} away`,
    ]);
  }
}

/** Percentages are of the time that samples were taken in, which takes a walk to find out. */
function timesOf(data: PerfData, text: string): TimeRange[] {
  if (text.includes('%')) return parseTimeRanges(text, recordedTime(data));
  const startTime = toRawTime(data.startTime, 0);
  return parseTimeRanges(text, { startTime, firstNs: Number.NaN, lastNs: Number.NaN });
}

type Renaming = {
  readonly timeNs: number;
  readonly tid: number;
  readonly comm: string | null;
  readonly from: number;
};

/** Which comm each thread had when; from one walk over the COMM and FORK records. */
class CommHistory {
  readonly #byTid = new Map<number, { timeNs: number; comm: string }[]>([
    [0, [{ timeNs: Number.NEGATIVE_INFINITY, comm: 'swapper' }]],
  ]);

  static read(data: PerfData): CommHistory {
    const renamings: Renaming[] = [];
    const trailer = new TrailerView(data.startTime);
    const { littleEndian } = data;
    walkRecords(data, {
      record(record) {
        const { view, offset, size, type } = record;
        if (type !== PERF_RECORD.COMM && type !== PERF_RECORD.FORK) return;
        const event = data.lookup.attrIndexOf(record);
        const info = data.attrs[event === UNKNOWN_EVENT ? 0 : event]?.info;
        const hasTime = info !== undefined && decodeTrailer(record, info, trailer);
        const timeNs = hasTime && trailer.timeNs >= 0 ? trailer.timeNs : Number.NEGATIVE_INFINITY;
        if (type === PERF_RECORD.COMM && size >= 16) {
          const end = size - (info?.trailerSize ?? 0);
          const text = record.bytes(16, Math.max(16, end));
          const tid = view.getInt32(offset + 12, littleEndian);
          renamings.push({ timeNs, tid, comm: decodeText(text), from: NONE });
        } else if (type === PERF_RECORD.FORK && size >= 24) {
          const tid = view.getInt32(offset + 16, littleEndian);
          const from = view.getInt32(offset + 20, littleEndian);
          renamings.push({ timeNs, tid, comm: null, from });
        }
      },
    });
    // What was there before the recording has no time and comes first, in the order of the file.
    renamings.sort((a, b) => (a.timeNs === b.timeNs ? 0 : a.timeNs - b.timeNs));
    const history = new CommHistory();
    for (const { timeNs, tid, comm, from } of renamings) {
      const name = comm ?? history.commAt(from, timeNs);
      if (name !== null) history.#add(tid, timeNs, name);
    }
    return history;
  }

  /** Null for a thread that nothing named. */
  commAt(tid: number, timeNs: number): string | null {
    const names = this.#byTid.get(tid);
    if (names === undefined) return null;
    let last = names.length - 1;
    while (last > 0 && (names[last]?.timeNs ?? 0) > timeNs) last--;
    return names[last]?.comm ?? null;
  }

  #add(tid: number, timeNs: number, comm: string): void {
    const names = this.#byTid.get(tid);
    if (names === undefined) this.#byTid.set(tid, [{ timeNs, comm }]);
    else names.push({ timeNs, comm });
  }
}
