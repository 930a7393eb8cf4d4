import type { Diagnostics } from '../../base/diagnostics.ts';
import { GrowableFloat64, GrowableInt32 } from '../../base/growable-columns.ts';
import { SWITCH_STATE, type SwitchTable } from '../../export/recording-marks.ts';
import { OFF_CPU_EVENT, pairSwitches } from '../../off-cpu/switch-pairs.ts';
import type { Waits } from '../../off-cpu/wait-reasons.ts';
import { hasEnded, STATE_PREEMPTED, STATE_UNKNOWN } from '../../off-cpu/wait-states.ts';
import { FEATURE } from '../../perf-data/features.ts';
import type { PerfData } from '../../perf-data/reader.ts';
import { PERF_TYPE } from '../../perf-event/constants.ts';
import type { SampleView } from '../../perf-event/sample.ts';
import { TracepointFormats } from '../../tracepoint/tracepoint-formats.ts';

/** Where `prev_state` lies in raw data of `sched:sched_switch`. */
type StateField = { readonly offset: number; readonly size: number };

/** Collects the samples of an `off-cpu` event, and gives them their times in the end. */
export class OffCpuLog {
  readonly #littleEndian: boolean;
  readonly #stateField: StateField | null;
  readonly #row = new GrowableInt32();
  readonly #tid = new GrowableInt32();
  readonly #timeNs = new GrowableFloat64();
  readonly #state = new GrowableInt32();

  private constructor(littleEndian: boolean, stateField: StateField | null) {
    this.#littleEndian = littleEndian;
    this.#stateField = stateField;
  }

  /** Index of the recording's `off-cpu` event among its attrs, −1 without one; and its log. */
  static find(data: PerfData): { attrIndex: number; log: OffCpuLog } {
    const attrIndex = data.attrs.findIndex(({ name }) => name === OFF_CPU_EVENT);
    const attr = data.attrs[attrIndex]?.attr;
    const field = attr?.type === PERF_TYPE.TRACEPOINT ? findState(data, Number(attr.config)) : null;
    return { attrIndex, log: new OffCpuLog(data.littleEndian, field) };
  }

  /**
   * `prev_state` of a sample, `STATE_UNKNOWN` where it has none. Null: no wait begins with it, for the
   * thread has ended or is a CPU's idle task.
   */
  stateOf(view: DataView, sample: SampleView): number | null {
    if (sample.tid === 0) return null;
    const field = this.#stateField;
    if (field === null || sample.rawOffset < 0) return STATE_UNKNOWN;
    // The number may have 8 bytes; the states are in its lower 4.
    const low = field.offset + (this.#littleEndian ? 0 : field.size - 4);
    if (low < 0 || low + 4 > sample.rawLength) return STATE_UNKNOWN;
    const state = view.getUint32(sample.rawOffset + low, this.#littleEndian);
    return hasEnded(state) ? null : state;
  }

  // Hot: once per sample.
  note(row: number, state: number, { tid, timeNs }: SampleView): void {
    this.#row.push(row);
    this.#tid.push(tid);
    this.#timeNs.push(timeNs);
    this.#state.push(state);
  }

  /** Writes the waits into the samples' periods. Returns them with their states. */
  finish(
    periodEvents: Float64Array,
    switches: SwitchTable,
    lastSampleNs: number,
    diagnostics: Diagnostics,
  ): Waits {
    const { length } = this.#row;
    const row = this.#row.finish();
    const state = this.#state.finish();
    if (length === 0) return { length, row, state };
    const isIn = switches.state.map((kind) => (kind === SWITCH_STATE.IN ? 1 : 0));
    const outs = { length, tid: this.#tid.finish(), timeNs: this.#timeNs.finish() };
    const endNs = Math.max(lastSampleNs, switches.timeNs[switches.length - 1] ?? 0);
    const pairs = pairSwitches(outs, { ...switches, isIn }, endNs);
    for (let i = 0; i < length; i++) periodEvents[row[i] as number] = pairs.offCpuNs[i] as number;
    if (this.#stateField === null) markPreempted(outs, switches, state);
    if (pairs.unpaired > 0) {
      diagnostics.count('waits whose end was lost', 'they count for nothing', pairs.unpaired);
    }
    return { length, row, state };
  }
}

/**
 * Without `prev_state` the record of the switch says at least whether the thread could have gone on.
 * The sample is taken right before it.
 */
function markPreempted(
  outs: { readonly length: number; readonly tid: Int32Array; readonly timeNs: Float64Array },
  switches: SwitchTable,
  state: Int32Array,
): void {
  const last = new Map<number, number>();
  let next = 0;
  for (let i = 0; i < switches.length; i++) {
    const timeNs = switches.timeNs[i] as number;
    for (; next < outs.length && (outs.timeNs[next] as number) <= timeNs; next++) {
      last.set(outs.tid[next] as number, next);
    }
    if (switches.state[i] !== SWITCH_STATE.PREEMPTED) continue;
    const row = last.get(switches.tid[i] as number);
    if (row !== undefined) state[row] = STATE_PREEMPTED;
  }
}

function findState(data: PerfData, id: number): StateField | null {
  const section = data.sections.bytes(FEATURE.TRACING_DATA);
  if (section === null) return null;
  const format = TracepointFormats.parse(section, { diagnostics: data.diagnostics })?.of(id);
  const field = format?.fieldList.find(({ name }) => name === 'prev_state');
  return field === undefined ? null : { offset: field.offset, size: field.size };
}
