import { CFA, type CfiRow, RULE } from '../cfi-row.ts';
import type { CfiTable } from '../cfi-table.ts';
import { KIND, type UnwindRule } from '../unwind-rule.ts';
import { RBP, RETURN_ADDRESS, RSP } from './registers.ts';

/** Translates a row to a rule. `address` is the lookup address, which decides inside a PLT. */
export function translateRow(
  row: CfiRow,
  table: CfiTable,
  address: number,
  rule: UnwindRule,
): void {
  const raKind = row.kind[RETURN_ADDRESS] as number;
  if (raKind === RULE.UNDEFINED) {
    rule.set(KIND.ROOT);
    return;
  }
  const isPlain =
    raKind === RULE.OFFSET &&
    table.returnAddressRegister === RETURN_ADDRESS &&
    !table.isSignalFrame &&
    row.kind[RSP] === RULE.UNSET;
  if (!isPlain) rule.set(KIND.FULL);
  else if (row.cfaKind === CFA.REGISTER) translateRegisterCfa(row, rule);
  else translateExpressionCfa(row, table, address, rule);
}

function translateRegisterCfa(row: CfiRow, rule: UnwindRule): void {
  const raOffset = row.value[RETURN_ADDRESS] as number;
  const isSp = row.cfaRegister === RSP;
  if (!isSp && row.cfaRegister !== RBP) {
    rule.set(KIND.FULL);
    return;
  }
  const bpKind = row.kind[RBP] as number;
  if (bpKind === RULE.OFFSET) {
    const kind = isSp ? KIND.SP_SAVED : KIND.FP_SAVED;
    rule.set(kind, row.cfaOffset, row.value[RBP] as number, raOffset);
  } else if (bpKind === RULE.UNSET || bpKind === RULE.SAME) {
    rule.set(isSp ? KIND.SP : KIND.FP, row.cfaOffset, 0, raOffset);
  } else {
    rule.set(KIND.FULL);
  }
}

/**
 * Two expressions are common. In a PLT, whose entries are 16 bytes and push after the first of them
 * (k is 11, or 10 and less with IBT):
 *
 *   breg7(rsp) 8; breg16(rip) 0; lit15; and; lit<k>; ge; lit3; shl; plus
 *
 * And in functions that realign their stack, where GCC saves the old one below the frame pointer:
 *
 *   CFA: breg6(rbp) x; deref        rbp: expression breg6(rbp) y
 */
function translateExpressionCfa(
  row: CfiRow,
  table: CfiTable,
  address: number,
  rule: UnwindRule,
): void {
  const raOffset = row.value[RETURN_ADDRESS] as number;
  const reader = table.reader;
  rule.set(KIND.FULL);
  if (reader === null) return;
  const { bytes } = reader;
  const start = row.cfaStart;
  const length = row.cfaEnd - start;
  const bpKind = row.kind[RBP] as number;

  if (length === 11 && (bpKind === RULE.UNSET || bpKind === RULE.SAME)) {
    const pushAt = (bytes[start + 6] as number) - 0x30;
    const isPlt = PLT_EXPRESSION.every((byte, i) => i === 6 || bytes[start + i] === byte);
    if (!isPlt || pushAt < 0 || pushAt > 15) return;
    const inEntry = ((address % 16) + 16) % 16;
    rule.set(KIND.SP, inEntry >= pushAt ? 16 : 8, 0, raOffset);
    return;
  }
  if (bytes[start] !== BREG6 || bpKind !== RULE.EXPRESSION) return;
  const bpStart = row.start[RBP] as number;
  if (bytes[bpStart] !== BREG6) return;
  reader.window(start + 1, row.cfaEnd);
  const cfaAt = reader.sleb();
  if (reader.failed || reader.at !== row.cfaEnd - 1 || bytes[reader.at] !== DEREF) return;
  reader.window(bpStart + 1, row.end[RBP] as number);
  const bpAt = reader.sleb();
  if (reader.failed || reader.at !== reader.end) return;
  rule.set(KIND.FP_MEMORY, cfaAt, bpAt, raOffset);
}

const BREG6 = 0x76;
const DEREF = 0x06;
/** With k at index 6. */
const PLT_EXPRESSION = [0x77, 8, 0x80, 0, 0x3f, 0x1a, 0x3b, 0x2a, 0x33, 0x24, 0x22];
