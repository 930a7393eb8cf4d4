import { GrowableFloat64, GrowableInt32, GrowableUint8 } from '../../base/growable-columns.ts';
import { SWITCH_STATE, type SwitchTable } from '../../formats/export/recording-marks.ts';

/** Collects SWITCH records, in time order. */
export class SwitchLog {
  readonly #pid = new GrowableInt32();
  readonly #tid = new GrowableInt32();
  readonly #cpu = new GrowableInt32();
  readonly #timeNs = new GrowableFloat64();
  readonly #state = new GrowableUint8();

  /** `task` is whom the record's trailer names: who came or went. */
  note(
    { isOut, isPreempted }: { readonly isOut: boolean; readonly isPreempted: boolean },
    task: {
      readonly pid: number;
      readonly tid: number;
      readonly cpu: number;
      readonly timeNs: number;
    },
  ): void {
    this.#pid.push(task.pid);
    this.#tid.push(task.tid);
    this.#cpu.push(task.cpu);
    this.#timeNs.push(task.timeNs);
    this.#state.push(
      isOut ? (isPreempted ? SWITCH_STATE.PREEMPTED : SWITCH_STATE.OUT) : SWITCH_STATE.IN,
    );
  }

  finish(): SwitchTable {
    return {
      length: this.#pid.length,
      pid: this.#pid.finish(),
      tid: this.#tid.finish(),
      cpu: this.#cpu.finish(),
      timeNs: this.#timeNs.finish(),
      state: this.#state.finish(),
    };
  }
}
