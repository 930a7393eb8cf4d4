import type { Architecture } from './architecture.ts';
import { CFA, type CfiRow, RULE } from './cfi-row.ts';
import type { CfiTable } from './cfi-table.ts';
import { KIND, type UnwindRule } from './unwind-rule.ts';

/** DWARF numbers of an architecture whose calls leave the return address in a register. */
export type LinkColumns = {
  readonly stackPointer: number;
  readonly framePointer: number;
  readonly link: number;
};

/** Translates the rows of an architecture with these columns. */
export function linkRowTranslator(columns: LinkColumns): Architecture['translateRow'] {
  return (row, table, _address, rule) => translateRow(columns, row, table, rule);
}

function translateRow(
  { stackPointer, framePointer, link }: LinkColumns,
  row: CfiRow,
  table: CfiTable,
  rule: UnwindRule,
): void {
  const lrKind = row.kind[link];
  if (lrKind === RULE.UNDEFINED) {
    rule.set(KIND.ROOT);
    return;
  }
  rule.set(KIND.FULL);
  if (row.cfaKind !== CFA.REGISTER || table.returnAddressRegister !== link) return;
  if (table.isSignalFrame || row.kind[stackPointer] !== RULE.UNSET) return;
  const isSp = row.cfaRegister === stackPointer;
  if (!isSp && row.cfaRegister !== framePointer) return;
  const fpKind = row.kind[framePointer];
  const isFpSaved = fpKind === RULE.OFFSET;
  if (!isFpSaved && fpKind !== RULE.UNSET && fpKind !== RULE.SAME) return;
  const fpOffset = isFpSaved ? row.value[framePointer] : 0;
  if (lrKind === RULE.OFFSET) {
    const plain = isSp ? KIND.SP : KIND.FP;
    const saved = isSp ? KIND.SP_SAVED : KIND.FP_SAVED;
    rule.set(isFpSaved ? saved : plain, row.cfaOffset, fpOffset, row.value[link]);
  } else if ((lrKind === RULE.UNSET || lrKind === RULE.SAME) && isSp) {
    rule.set(isFpSaved ? KIND.SP_SAVED_LR : KIND.SP_LR, row.cfaOffset, fpOffset);
  }
}
