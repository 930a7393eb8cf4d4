import type { RawTime } from '../../base/u64.ts';
import type { CodeRecord } from '../../code/jit/code-record.ts';
import type { TurnLoop } from '../../profile/turn-table.ts';

/** A visitor of the records of loops, one loop behind the other. */
export type LoopVisitor = {
  begin(loop: TurnLoop): void;
  /** Times begin at `origin`. */
  take(view: DataView, record: CodeRecord, origin: RawTime): void;
};
