import {
  DW_AT_abstract_origin,
  DW_AT_call_column,
  DW_AT_call_file,
  DW_AT_call_line,
  DW_AT_high_pc,
  DW_AT_low_pc,
  DW_AT_ranges,
  DW_FORM_implicit_const,
} from './constants.ts';
import { dieKind } from './die-kind.ts';
import { type DwarfReader, damaged } from './dwarf-reader.ts';
import { skipStep } from './form-size.ts';

/** More than any producer declares; a table that claims more is damage. */
const MAX_DECLARATIONS = 1 << 17;
const MAX_ATTRIBUTES = 1 << 20;

/** Result of `AbbreviationTable.rowOf` for a code that is not declared. */
const NO_ROW = -1;

/**
 * The abbreviations that one unit's DIEs refer to by code, as columns. A row is a declaration; its
 * attributes are the rows `firstAttribute[row]` to `firstAttribute[row + 1]` of `attribute` (DW_AT),
 * `form` (DW_FORM) and `implicitConst`.
 *
 * To go past a DIE without looking at it, its forms are also compiled to steps (`form-size.ts`):
 * the steps `firstStep[row]` to `firstStep[row + 1]` of `step`. Fixed sizes are summed, so most DIEs
 * are one step.
 */
export class AbbreviationTable {
  readonly length: number;
  readonly tag: Uint16Array;
  /** `DIE`: how a walk in search of code treats such a DIE. */
  readonly kind: Uint8Array;
  readonly hasChildren: Uint8Array;
  readonly firstAttribute: Int32Array;
  readonly attribute: Uint16Array;
  readonly form: Uint16Array;
  readonly implicitConst: Float64Array;
  readonly firstStep: Int32Array;
  readonly step: Int32Array;
  /** The step of each attribute by itself. */
  readonly attributeStep: Int8Array;
  /** 1 where an attribute states where the code lies or who was called; others need not be read. */
  readonly isWanted: Uint8Array;
  readonly #dense: Int32Array;
  readonly #sparse: Map<number, number>;

  constructor(rows: Declarations, addressSize: number, version: number, is64: boolean) {
    this.length = rows.tags.length;
    // `from` takes five times as long as these.
    this.tag = new Uint16Array(rows.tags);
    this.kind = new Uint8Array(this.length);
    this.hasChildren = new Uint8Array(rows.hasChildren);
    this.firstAttribute = new Int32Array(rows.firstAttribute);
    this.attribute = new Uint16Array(rows.attributes);
    this.form = new Uint16Array(rows.forms);
    this.implicitConst = new Float64Array(rows.implicitConsts);
    this.isWanted = new Uint8Array(this.attribute.length);
    this.#sparse = new Map();
    this.#dense = new Int32Array(Math.min(rows.maxCode + 1, 4 * this.length + 16)).fill(NO_ROW);
    for (const [row, code] of rows.codes.entries()) {
      if (code >= this.#dense.length) {
        if (!this.#sparse.has(code)) this.#sparse.set(code, row);
      } else if (this.#dense[code] === NO_ROW) this.#dense[code] = row;
    }
    const steps: number[] = [];
    this.attributeStep = new Int8Array(this.form.length);
    this.firstStep = new Int32Array(this.length + 1);
    for (let row = 0; row < this.length; row++) {
      this.firstStep[row] = steps.length;
      const first = this.firstAttribute[row];
      const last = this.firstAttribute[row + 1];
      this.kind[row] = dieKind(this.tag[row], this.attribute, first, last);
      let fixed = 0;
      for (let i = first; i < last; i++) {
        this.isWanted[i] = isWanted(this.attribute[i]) ? 1 : 0;
        const step = skipStep(this.form[i], addressSize, version, is64);
        this.attributeStep[i] = step;
        if (step >= 0) {
          fixed += step;
          continue;
        }
        if (fixed > 0) steps.push(fixed);
        fixed = 0;
        steps.push(step);
      }
      if (fixed > 0) steps.push(fixed);
    }
    this.firstStep[this.length] = steps.length;
    this.step = new Int32Array(steps);
  }

  /** The row that declares `code`, `NO_ROW` if none does. */
  rowOf(code: number): number {
    if (code < this.#dense.length) return this.#dense[code];
    return this.#sparse.get(code) ?? NO_ROW;
  }
}

type Declarations = {
  readonly codes: number[];
  readonly tags: number[];
  readonly hasChildren: number[];
  readonly firstAttribute: number[];
  readonly attributes: number[];
  readonly forms: number[];
  readonly implicitConsts: number[];
  maxCode: number;
};

/** The tag of one declaration, and its attributes in order. */
export type Declaration = Pick<Declarations, 'tags' | 'attributes' | 'forms' | 'implicitConsts'>;

/**
 * The declaration of `code` in the table at `offset` of `.debug_abbrev`; null if there is none. A root
 * DIE needs one of hundreds, and no columns. Throws `DwarfDamage`.
 */
export function findDeclaration(
  reader: DwarfReader,
  offset: number,
  code: number,
): Declaration | null {
  const rows = readDeclarations(reader, offset, code);
  return rows.codes.length === 0 ? null : rows;
}

/** The table at `offset` of `.debug_abbrev`. Throws `DwarfDamage`. */
export function parseAbbreviations(
  reader: DwarfReader,
  offset: number,
  encoding: { readonly addressSize: number; readonly version: number; readonly is64: boolean },
): AbbreviationTable {
  const rows = readDeclarations(reader, offset, null);
  return new AbbreviationTable(rows, encoding.addressSize, encoding.version, encoding.is64);
}

/**
 * Reads declarations up to the table's end or, with `onlyCode`, to the declaration of that code.
 *
 *   declaration: uleb code (0: end of the table), uleb tag, u8 has children,
 *                { uleb attribute, uleb form, [sleb if DW_FORM_implicit_const] } … 0, 0
 */
function readDeclarations(
  reader: DwarfReader,
  offset: number,
  onlyCode: number | null,
): Declarations {
  const rows: Declarations = {
    codes: [],
    tags: [],
    hasChildren: [],
    firstAttribute: [],
    attributes: [],
    forms: [],
    implicitConsts: [],
    maxCode: 0,
  };
  reader.seek(offset);
  for (;;) {
    const code = reader.uleb();
    if (code === 0) break;
    const isKept = onlyCode === null || code === onlyCode;
    const tag = reader.uleb();
    const hasChildren = reader.u8();
    if (isKept) {
      rows.codes.push(code);
      rows.maxCode = Math.max(rows.maxCode, code);
      rows.tags.push(tag);
      rows.hasChildren.push(hasChildren === 0 ? 0 : 1);
      rows.firstAttribute.push(rows.attributes.length);
    }
    parseAttributes(reader, rows, isKept);
    if (rows.codes.length > MAX_DECLARATIONS) damaged();
    if (isKept && onlyCode !== null) break;
  }
  rows.firstAttribute.push(rows.attributes.length);
  return rows;
}

function parseAttributes(reader: DwarfReader, rows: Declarations, isKept: boolean): void {
  for (;;) {
    const attribute = reader.uleb();
    const form = reader.uleb();
    const implicitConst = form === DW_FORM_implicit_const ? reader.sleb() : 0;
    if (attribute === 0 && form === 0) return;
    if (!isKept) continue;
    rows.attributes.push(attribute);
    rows.forms.push(form);
    rows.implicitConsts.push(implicitConst);
    if (rows.attributes.length > MAX_ATTRIBUTES || form > 0xffff) damaged();
  }
}

/** Names are read only of functions that were hit, through their DIE's offset. */
function isWanted(attribute: number): boolean {
  switch (attribute) {
    case DW_AT_low_pc:
    case DW_AT_high_pc:
    case DW_AT_ranges:
    case DW_AT_abstract_origin:
    case DW_AT_call_file:
    case DW_AT_call_line:
    case DW_AT_call_column:
      return true;
    default:
      return false;
  }
}
