import type { Architecture } from './architecture.ts';
import { CFA, type CfiRow, RULE } from './cfi-row.ts';
import type { CfiTable } from './cfi-table.ts';
import type { SectionReader } from './section-reader.ts';
import { KIND, type UnwindRule } from './unwind-rule.ts';

/** DWARF numbers of x86-64 or i386, and the expression that linkers write for PLTs there. */
export type X86Columns = {
  readonly stackPointer: number;
  readonly framePointer: number;
  readonly returnAddress: number;
  /** Bytes of the expression with k at index 6, see `translateExpressionCfa`. */
  readonly pltExpression: readonly number[];
};

/**
 * Translates the rows of an architecture with these columns. The lookup address decides inside a PLT.
 */
export function x86RowTranslator(columns: X86Columns): Architecture['translateRow'] {
  return (row, table, address, rule) => translateRow(columns, row, table, address, rule);
}

function translateRow(
  columns: X86Columns,
  row: CfiRow,
  table: CfiTable,
  address: number,
  rule: UnwindRule,
): void {
  const { stackPointer, returnAddress } = columns;
  const raKind = row.kind[returnAddress];
  if (raKind === RULE.UNDEFINED) {
    rule.set(KIND.ROOT);
    return;
  }
  if (table.isSignalFrame) {
    translateSignalFrame(columns, row, table, rule);
    return;
  }
  const isPlain =
    raKind === RULE.OFFSET &&
    table.returnAddressRegister === returnAddress &&
    row.kind[stackPointer] === RULE.UNSET;
  if (!isPlain) rule.set(KIND.FULL);
  else if (row.cfaKind === CFA.REGISTER) translateRegisterCfa(columns, row, rule);
  else translateExpressionCfa(columns, row, table, address, rule);
}

function translateRegisterCfa(columns: X86Columns, row: CfiRow, rule: UnwindRule): void {
  const { stackPointer, framePointer, returnAddress } = columns;
  const raOffset = row.value[returnAddress];
  const isSp = row.cfaRegister === stackPointer;
  if (!isSp && row.cfaRegister !== framePointer) {
    rule.set(KIND.FULL);
    return;
  }
  const bpKind = row.kind[framePointer];
  if (bpKind === RULE.OFFSET) {
    const kind = isSp ? KIND.SP_SAVED : KIND.FP_SAVED;
    rule.set(kind, row.cfaOffset, row.value[framePointer], raOffset);
  } else if (bpKind === RULE.UNSET || bpKind === RULE.SAME) {
    rule.set(isSp ? KIND.SP : KIND.FP, row.cfaOffset, 0, raOffset);
  } else {
    rule.set(KIND.FULL);
  }
}

/**
 * Two expressions are common. In a PLT, whose entries are 16 bytes and push after the first of them
 * (k is 11, or 10 and less with IBT), `pltExpression`: `8 + ((rip & 15) >= k) * 8` from sp.
 *
 * And in functions that realign their stack, where GCC saves the old one below the frame pointer:
 *
 *   CFA: breg6(rbp) x; deref        rbp: expression breg6(rbp) y
 */
function translateExpressionCfa(
  columns: X86Columns,
  row: CfiRow,
  table: CfiTable,
  address: number,
  rule: UnwindRule,
): void {
  const { framePointer, returnAddress, pltExpression } = columns;
  const raOffset = row.value[returnAddress];
  const reader = table.reader;
  rule.set(KIND.FULL);
  if (reader === null) return;
  const { bytes } = reader;
  const start = row.cfaStart;
  const length = row.cfaEnd - start;
  const bpKind = row.kind[framePointer];

  if (length === 11 && (bpKind === RULE.UNSET || bpKind === RULE.SAME)) {
    const pushAt = bytes[start + 6] - 0x30;
    const isPlt = pltExpression.every((byte, i) => i === 6 || bytes[start + i] === byte);
    if (!isPlt || pushAt < 0 || pushAt > 15) return;
    const inEntry = ((address % 16) + 16) % 16;
    // A call has pushed one word, and the entry's push another.
    const before = pltExpression[1];
    rule.set(KIND.SP, inEntry >= pushAt ? 2 * before : before, 0, raOffset);
    return;
  }
  const breg = BREG0 + framePointer;
  const cfaAt = derefOffset(reader, breg, row.cfaStart, row.cfaEnd);
  const bpAt = savedOffset(reader, breg, row, framePointer);
  if (!Number.isNaN(cfaAt + bpAt)) rule.set(KIND.FP_MEMORY, cfaAt, bpAt, raOffset);
}

/**
 * glibc describes the code that a signal handler returns to by one expression per register, which
 * point into what the kernel saved: CFA breg7(rsp) 160; deref; rbp at breg7 120; rip at breg7 168.
 */
function translateSignalFrame(
  { stackPointer, framePointer, returnAddress }: X86Columns,
  row: CfiRow,
  table: CfiTable,
  rule: UnwindRule,
): void {
  const { reader } = table;
  rule.set(KIND.FULL);
  if (reader === null || row.cfaKind !== CFA.EXPRESSION) return;
  const breg = BREG0 + stackPointer;
  const spAt = derefOffset(reader, breg, row.cfaStart, row.cfaEnd);
  const bpAt = savedOffset(reader, breg, row, framePointer);
  const ipAt = savedOffset(reader, breg, row, returnAddress);
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
  reader.window(row.start[register], row.end[register]);
  const isBreg = reader.u8() === breg;
  const offset = reader.sleb();
  return isBreg && !reader.failed && reader.at === reader.end ? offset : Number.NaN;
}

const BREG0 = 0x70;
const DEREF = 0x06;
