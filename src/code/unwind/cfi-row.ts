/** How the caller's value of one register is found. */
export const RULE = {
  /** Not mentioned: as `SAME`, since a function that changes it must state so. */
  UNSET: 0,
  SAME: 1,
  UNDEFINED: 2,
  /** Saved at CFA + value. */
  OFFSET: 3,
  /** Is CFA + value. */
  VAL_OFFSET: 4,
  /** Saved in the register whose number is the value. */
  REGISTER: 5,
  /** Saved at the address that the expression yields. */
  EXPRESSION: 6,
  VAL_EXPRESSION: 7,
} as const;

/** How the CFA is found. */
export const CFA = { NONE: 0, REGISTER: 1, EXPRESSION: 2 } as const;

/** Columns that are kept: the general registers of both architectures. Others don't matter. */
const COLUMNS = 34;
/** More than any compiler nests `DW_CFA_remember_state`. */
const DEEPEST_STATES = 64;

/**
 * One row of a function's table: for one address, where the CFA is and where each register of the
 * caller. Expressions are ranges of the section that the row was read from.
 */
export class CfiRow {
  cfaKind = 0;
  cfaRegister = 0;
  cfaOffset = 0;
  cfaStart = 0;
  cfaEnd = 0;
  /** `RULE`, and its value; by DWARF register number. */
  readonly kind = new Uint8Array(COLUMNS);
  readonly value = new Float64Array(COLUMNS);
  /** Offset of the expression. */
  readonly start = new Float64Array(COLUMNS);
  readonly end = new Float64Array(COLUMNS);

  clear(): void {
    this.cfaKind = CFA.NONE;
    this.kind.fill(RULE.UNSET);
  }

  set(register: number, kind: number, value: number): void {
    if (!(register < COLUMNS)) return;
    this.kind[register] = kind;
    this.value[register] = value;
  }

  setExpression(register: number, kind: number, start: number, end: number): void {
    if (!(register < COLUMNS)) return;
    this.kind[register] = kind;
    this.start[register] = start;
    this.end[register] = end;
  }

  setCfa(register: number, offset: number): void {
    this.cfaKind = CFA.REGISTER;
    this.cfaRegister = register;
    this.cfaOffset = offset;
  }

  /** Makes the rule of `register` what it is in `from`. */
  restore(register: number, from: CfiRow): void {
    if (!(register < COLUMNS)) return;
    this.kind[register] = from.kind[register];
    this.value[register] = from.value[register];
    this.start[register] = from.start[register];
    this.end[register] = from.end[register];
  }

  copyFrom(from: CfiRow): void {
    this.cfaKind = from.cfaKind;
    this.cfaRegister = from.cfaRegister;
    this.cfaOffset = from.cfaOffset;
    this.cfaStart = from.cfaStart;
    this.cfaEnd = from.cfaEnd;
    this.kind.set(from.kind);
    this.value.set(from.value);
    this.start.set(from.start);
    this.end.set(from.end);
  }
}

/** The rows that `DW_CFA_remember_state` keeps; made when first needed, then reused. */
export class RowStates {
  readonly #rows: CfiRow[] = [];
  #depth = 0;

  clear(): void {
    this.#depth = 0;
  }

  /** False if nested deeper than any compiler does. */
  push(row: CfiRow): boolean {
    if (this.#depth === DEEPEST_STATES) return false;
    let state = this.#rows[this.#depth];
    if (state === undefined) {
      state = new CfiRow();
      this.#rows.push(state);
    }
    state.copyFrom(row);
    this.#depth++;
    return true;
  }

  /** False if nothing is kept. */
  pop(row: CfiRow): boolean {
    if (this.#depth === 0) return false;
    this.#depth--;
    row.copyFrom(this.#rows[this.#depth]);
    return true;
  }
}
