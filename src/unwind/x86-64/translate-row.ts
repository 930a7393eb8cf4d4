import { CFA, type CfiRow, RULE } from '../cfi-row.ts';
import type { CfiTable } from '../cfi-table.ts';
import type { SectionReader } from '../section-reader.ts';
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
  if (table.isSignalFrame) {
    translateSignalFrame(row, table, rule);
    return;
  }
  const isPlain =
    raKind === RULE.OFFSET &&
    table.returnAddressRegister === RETURN_ADDRESS &&
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
  const cfaAt = derefOffset(reader, BREG6, row.cfaStart, row.cfaEnd);
  const bpAt = savedOffset(reader, BREG6, row, RBP);
  if (!Number.isNaN(cfaAt + bpAt)) rule.set(KIND.FP_MEMORY, cfaAt, bpAt, raOffset);
}

/**
 * glibc describes the code that a signal handler returns to by one expression per register, which
 * point into what the kernel saved: CFA breg7(rsp) 160; deref; rbp at breg7 120; rip at breg7 168.
 */
function translateSignalFrame(row: CfiRow, table: CfiTable, rule: UnwindRule): void {
  const { reader } = table;
  rule.set(KIND.FULL);
  if (reader === null || row.cfaKind !== CFA.EXPRESSION) return;
  const spAt = derefOffset(reader, BREG7, row.cfaStart, row.cfaEnd);
  const bpAt = savedOffset(reader, BREG7, row, RBP);
  const ipAt = savedOffset(reader, BREG7, row, RETURN_ADDRESS);
  if (!Number.isNaN(spAt + bpAt + ipAt)) rule.set(KIND.SIGNAL, spAt, bpAt, ipAt);
}

/** x where the expression is `breg<n> x; deref`, NaN where it is another. */
function derefOffset(reader: SectionReader, breg: number, start: number, end: number): number {
  reader.window(start, end - 1);
  const isBreg = reader.u8() === breg;
  const offset = reader.sleb();
  if (!isBreg || reader.failed || reader.at !== end - 1) return Number.NaN;
  return reader.bytes[end - 1] === DEREF ? offset : Number.NaN;
}

/** x where `register` is saved at `breg<n> x`, NaN where it is not. */
function savedOffset(reader: SectionReader, breg: number, row: CfiRow, register: number): number {
  if (row.kind[register] !== RULE.EXPRESSION) return Number.NaN;
  reader.window(row.start[register] as number, row.end[register] as number);
  const isBreg = reader.u8() === breg;
  const offset = reader.sleb();
  return isBreg && !reader.failed && reader.at === reader.end ? offset : Number.NaN;
}

const BREG6 = 0x76;
const BREG7 = 0x77;
const DEREF = 0x06;
/** With k at index 6. */
const PLT_EXPRESSION = [BREG7, 8, 0x80, 0, 0x3f, 0x1a, 0x3b, 0x2a, 0x33, 0x24, 0x22];
