import { CFA, type CfiRow, RULE } from '../cfi-row.ts';
import type { CfiTable } from '../cfi-table.ts';
import { KIND, type UnwindRule } from '../unwind-rule.ts';
import { FP, LR, SP } from './registers.ts';

/** Translates a row to a rule. */
export function translateRow(
  row: CfiRow,
  table: CfiTable,
  _address: number,
  rule: UnwindRule,
): void {
  const lrKind = row.kind[LR] as number;
  if (lrKind === RULE.UNDEFINED) {
    rule.set(KIND.ROOT);
    return;
  }
  rule.set(KIND.FULL);
  if (row.cfaKind !== CFA.REGISTER || table.returnAddressRegister !== LR) return;
  if (table.isSignalFrame || row.kind[SP] !== RULE.UNSET) return;
  const isSp = row.cfaRegister === SP;
  if (!isSp && row.cfaRegister !== FP) return;
  const fpKind = row.kind[FP] as number;
  const isFpSaved = fpKind === RULE.OFFSET;
  if (!isFpSaved && fpKind !== RULE.UNSET && fpKind !== RULE.SAME) return;
  const fpOffset = isFpSaved ? (row.value[FP] as number) : 0;
  if (lrKind === RULE.OFFSET) {
    const plain = isSp ? KIND.SP : KIND.FP;
    const saved = isSp ? KIND.SP_SAVED : KIND.FP_SAVED;
    rule.set(isFpSaved ? saved : plain, row.cfaOffset, fpOffset, row.value[LR] as number);
  } else if ((lrKind === RULE.UNSET || lrKind === RULE.SAME) && isSp) {
    rule.set(isFpSaved ? KIND.SP_SAVED_LR : KIND.SP_LR, row.cfaOffset, fpOffset);
  }
}
