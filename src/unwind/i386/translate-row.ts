import type { CfiRow } from '../cfi-row.ts';
import type { CfiTable } from '../cfi-table.ts';
import type { UnwindRule } from '../unwind-rule.ts';
import { translateX86Row, type X86Columns } from '../x86-64/translate-row.ts';
import { EBP, ESP, RETURN_ADDRESS } from './registers.ts';

const COLUMNS: X86Columns = {
  stackPointer: ESP,
  framePointer: EBP,
  returnAddress: RETURN_ADDRESS,
  // breg4(esp) 4; breg8(eip) 0; lit15; and; lit<k>; ge; lit2; shl; plus
  pltExpression: [0x74, 4, 0x78, 0, 0x3f, 0x1a, 0x3b, 0x2a, 0x32, 0x24, 0x22],
};

/** Translates a row to a rule. `address` is the lookup address, which decides inside a PLT. */
export function translateRow(
  row: CfiRow,
  table: CfiTable,
  address: number,
  rule: UnwindRule,
): void {
  translateX86Row(COLUMNS, row, table, address, rule);
}
