import { CFA, CfiRow, RowStates, RULE } from './cfi-row.ts';
import type { Cie, Fde } from './frame-entries.ts';
import type { PointerBases, SectionReader } from './section-reader.ts';

/** DWARF 5 section 7.24, and the extensions of GNU and Arm. */
const DW_CFA = {
  ADVANCE_LOC: 0x40,
  OFFSET: 0x80,
  RESTORE: 0xc0,
  NOP: 0x00,
  SET_LOC: 0x01,
  ADVANCE_LOC1: 0x02,
  ADVANCE_LOC2: 0x03,
  ADVANCE_LOC4: 0x04,
  OFFSET_EXTENDED: 0x05,
  RESTORE_EXTENDED: 0x06,
  UNDEFINED: 0x07,
  SAME_VALUE: 0x08,
  REGISTER: 0x09,
  REMEMBER_STATE: 0x0a,
  RESTORE_STATE: 0x0b,
  DEF_CFA: 0x0c,
  DEF_CFA_REGISTER: 0x0d,
  DEF_CFA_OFFSET: 0x0e,
  DEF_CFA_EXPRESSION: 0x0f,
  EXPRESSION: 0x10,
  OFFSET_EXTENDED_SF: 0x11,
  DEF_CFA_SF: 0x12,
  DEF_CFA_OFFSET_SF: 0x13,
  VAL_OFFSET: 0x14,
  VAL_OFFSET_SF: 0x15,
  VAL_EXPRESSION: 0x16,
  /** Return address signing on or off, with the program counter signed too; no operands. */
  AARCH64_NEGATE_RA_STATE_WITH_PC: 0x2c,
  /** Return address signing on or off. Its bits are taken away whether on or off. */
  AARCH64_NEGATE_RA_STATE: 0x2d,
  GNU_ARGS_SIZE: 0x2e,
  GNU_NEGATIVE_OFFSET_EXTENDED: 0x2f,
} as const;

/** One lookup takes no more instructions than this; real functions have up to some thousands. */
const MOST_STEPS = 100_000;

/** Evaluates the programs of CIE and FDE to the row of one address. */
export class CfiProgram {
  readonly #initial = new CfiRow();
  readonly #states = new RowStates();
  #steps = 0;

  /**
   * Leaves in `row` what holds at the file address `address`, which lies in `fde`. False if the
   * program is damaged, has unknown instructions or too many.
   */
  evaluate(
    reader: SectionReader,
    fde: Fde,
    bases: PointerBases,
    address: number,
    row: CfiRow,
  ): boolean {
    const { cie } = fde;
    if (cie === null) return false;
    this.#steps = 0;
    this.#states.clear();
    row.clear();
    reader.window(cie.programStart, cie.programEnd);
    if (!this.#run(reader, cie, bases, 0, Number.POSITIVE_INFINITY, row)) return false;
    this.#initial.copyFrom(row);
    reader.window(fde.programStart, fde.programEnd);
    return this.#run(reader, cie, bases, fde.start, address, row) && row.cfaKind !== CFA.NONE;
  }

  /** Runs from `location` to the last instruction that holds at `address`. */
  #run(
    reader: SectionReader,
    cie: Cie,
    bases: PointerBases,
    location: number,
    address: number,
    row: CfiRow,
  ): boolean {
    const { codeAlignment, dataAlignment } = cie;
    let at = location;
    while (reader.at < reader.end) {
      if (++this.#steps > MOST_STEPS) return false;
      const opcode = reader.u8();
      const operand = opcode & 0x3f;
      switch (opcode & 0xc0) {
        case DW_CFA.ADVANCE_LOC:
          at += operand * codeAlignment;
          if (at > address) return true;
          continue;
        case DW_CFA.OFFSET:
          row.set(operand, RULE.OFFSET, reader.uleb() * dataAlignment);
          continue;
        case DW_CFA.RESTORE:
          row.restore(operand, this.#initial);
          continue;
      }
      switch (opcode) {
        case DW_CFA.NOP:
        case DW_CFA.AARCH64_NEGATE_RA_STATE:
        case DW_CFA.AARCH64_NEGATE_RA_STATE_WITH_PC:
          break;
        case DW_CFA.SET_LOC:
          at = reader.pointer(cie.addressEncoding, bases);
          break;
        case DW_CFA.ADVANCE_LOC1:
          at += reader.u8() * codeAlignment;
          break;
        case DW_CFA.ADVANCE_LOC2:
          at += reader.u16() * codeAlignment;
          break;
        case DW_CFA.ADVANCE_LOC4:
          at += reader.u32() * codeAlignment;
          break;
        default:
          if (!this.#setRule(opcode, reader, dataAlignment, row)) return false;
      }
      if (reader.failed || Number.isNaN(at)) return false;
      if (at > address) return true;
    }
    return !reader.failed;
  }

  /** The instructions that change the row. False for unknown ones. */
  #setRule(opcode: number, reader: SectionReader, dataAlignment: number, row: CfiRow): boolean {
    switch (opcode) {
      case DW_CFA.OFFSET_EXTENDED:
        row.set(reader.uleb(), RULE.OFFSET, reader.uleb() * dataAlignment);
        return true;
      case DW_CFA.OFFSET_EXTENDED_SF:
        row.set(reader.uleb(), RULE.OFFSET, reader.sleb() * dataAlignment);
        return true;
      case DW_CFA.GNU_NEGATIVE_OFFSET_EXTENDED:
        row.set(reader.uleb(), RULE.OFFSET, -reader.uleb() * dataAlignment);
        return true;
      case DW_CFA.VAL_OFFSET:
        row.set(reader.uleb(), RULE.VAL_OFFSET, reader.uleb() * dataAlignment);
        return true;
      case DW_CFA.VAL_OFFSET_SF:
        row.set(reader.uleb(), RULE.VAL_OFFSET, reader.sleb() * dataAlignment);
        return true;
      case DW_CFA.RESTORE_EXTENDED:
        row.restore(reader.uleb(), this.#initial);
        return true;
      case DW_CFA.UNDEFINED:
        row.set(reader.uleb(), RULE.UNDEFINED, 0);
        return true;
      case DW_CFA.SAME_VALUE:
        row.set(reader.uleb(), RULE.SAME, 0);
        return true;
      case DW_CFA.REGISTER:
        row.set(reader.uleb(), RULE.REGISTER, reader.uleb());
        return true;
      case DW_CFA.EXPRESSION:
        return setExpression(reader, RULE.EXPRESSION, row);
      case DW_CFA.VAL_EXPRESSION:
        return setExpression(reader, RULE.VAL_EXPRESSION, row);
      case DW_CFA.REMEMBER_STATE:
        return this.#states.push(row);
      case DW_CFA.RESTORE_STATE:
        return this.#states.pop(row);
      case DW_CFA.GNU_ARGS_SIZE:
        reader.uleb();
        return true;
      default:
        return setCfa(opcode, reader, dataAlignment, row);
    }
  }
}

function setExpression(reader: SectionReader, kind: number, row: CfiRow): boolean {
  const register = reader.uleb();
  const length = reader.uleb();
  const start = reader.at;
  reader.skip(length);
  row.setExpression(register, kind, start, start + length);
  return !reader.failed;
}

function setCfa(
  opcode: number,
  reader: SectionReader,
  dataAlignment: number,
  row: CfiRow,
): boolean {
  switch (opcode) {
    case DW_CFA.DEF_CFA:
      row.setCfa(reader.uleb(), reader.uleb());
      return true;
    case DW_CFA.DEF_CFA_SF:
      row.setCfa(reader.uleb(), reader.sleb() * dataAlignment);
      return true;
    // The other half stays, so there must be one.
    case DW_CFA.DEF_CFA_REGISTER:
      if (row.cfaKind !== CFA.REGISTER) return false;
      row.cfaRegister = reader.uleb();
      return true;
    case DW_CFA.DEF_CFA_OFFSET:
      if (row.cfaKind !== CFA.REGISTER) return false;
      row.cfaOffset = reader.uleb();
      return true;
    case DW_CFA.DEF_CFA_OFFSET_SF:
      if (row.cfaKind !== CFA.REGISTER) return false;
      row.cfaOffset = reader.sleb() * dataAlignment;
      return true;
    case DW_CFA.DEF_CFA_EXPRESSION: {
      const length = reader.uleb();
      row.cfaKind = CFA.EXPRESSION;
      row.cfaStart = reader.at;
      row.cfaEnd = reader.at + length;
      reader.skip(length);
      return !reader.failed;
    }
    default:
      return false;
  }
}
