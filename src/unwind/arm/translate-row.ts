import type { CfiRow } from '../cfi-row.ts';
import type { CfiTable } from '../cfi-table.ts';
import { translateLinkRow } from '../translate-link-row.ts';
import type { UnwindRule } from '../unwind-rule.ts';
import { FP, LR, SP } from './registers.ts';

const COLUMNS = { stackPointer: SP, framePointer: FP, link: LR };

/** Translates a row to a rule. Frames that hang on r7, Thumb's frame pointer, need all registers. */
export function translateRow(
  row: CfiRow,
  table: CfiTable,
  _address: number,
  rule: UnwindRule,
): void {
  translateLinkRow(COLUMNS, row, table, rule);
}
