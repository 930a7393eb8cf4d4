import { NONE } from '../../base/brand.ts';
import { GrowableFloat64, GrowableInt32, GrowableUint8 } from '../../base/growable-columns.ts';
import type { AbbreviationTable } from './abbreviations.ts';
import { AddressRanges, isRemoved, readRanges } from './address-ranges.ts';
import * as dw from './constants.ts';
import { DIE, hasNoCodeInClasses } from './die-kind.ts';
import { DwarfDamage, type DwarfReader } from './dwarf-reader.ts';
import { skipValue } from './form-size.ts';
import { type FormValue, readForm, resolveAddress, ValueKind } from './form-value.ts';
import { type FunctionSpans, paintSpans } from './function-spans.ts';
import { type DwarfUnit, endOf } from './unit.ts';

/** Deeper nesting than any compiler writes. */
const MAX_DEPTH = 1 << 12;
/** Range lists may be shared by DIEs, so a small file could claim many ranges. */
const MOST_RANGES_PER_BYTE = 1;
const MAX_COLUMN = 0xffff;
const FEW_RANGES = 1 << 16;
/** Not even one without code, which is `NONE`. */
const NO_FUNCTION = -2;

/**
 * The functions of a unit that have code, and the calls inlined into them. A row is a
 * DW_TAG_subprogram or DW_TAG_inlined_subroutine; callers come before what is inlined into them.
 */
export type FunctionTree = {
  readonly length: number;
  /** Offset of the DIE that has the name, as `nameReference` found it: its origin, or itself. */
  readonly origin: Float64Array;
  /** 1: `origin` lies in the alternate file. */
  readonly isOriginAlternate: Uint8Array;
  /** 1: an inlined call; 0: a function that exists. */
  readonly isInlined: Uint8Array;
  /** Row of the function around it, −1 for the outermost. */
  readonly parent: Int32Array;
  /** The call that was inlined: index of a file of the unit's line program, line and column. */
  readonly callFile: Int32Array;
  readonly callLine: Int32Array;
  readonly callColumn: Uint16Array;
  /** Which row is the innermost at an address. */
  readonly spans: FunctionSpans;
  /** The unit could not be read to its end. */
  readonly isDamaged: boolean;
};

/** Reads function trees. One for a file: it keeps the memory that columns grow in. */
export class FunctionTreeReader {
  readonly #origin = new GrowableFloat64();
  readonly #isOriginAlternate = new GrowableUint8();
  readonly #isInlined = new GrowableUint8();
  readonly #parent = new GrowableInt32();
  readonly #callFile = new GrowableInt32();
  readonly #callLine = new GrowableInt32();
  readonly #callColumn = new GrowableInt32();
  /** Ranges of all rows, with the row of each. */
  readonly #ranges = new AddressRanges();
  readonly #rangeRow = new GrowableInt32();
  readonly #value: FormValue = { kind: 0, value: 0 };
  /** Row of the innermost function around each depth of the walk; `NONE`: it has no code. */
  readonly #rowAtDepth = new Int32Array(MAX_DEPTH + 1);
  #lowPc = Number.NaN;
  readonly #highPc: FormValue = { kind: 0, value: 0 };
  readonly #rangesValue: FormValue = { kind: 0, value: 0 };

  /** Walks all DIEs of `unit`. What can't be read ends the walk; what came before is kept. */
  read(unit: DwarfUnit): FunctionTree {
    for (const column of this.#columns()) column.length = 0;
    this.#ranges.clear();
    let isDamaged = false;
    try {
      this.#walk(unit);
    } catch (error) {
      if (!(error instanceof DwarfDamage)) throw error;
      isDamaged = true;
    }
    return {
      length: this.#origin.length,
      origin: this.#origin.finish(),
      isOriginAlternate: this.#isOriginAlternate.finish(),
      isInlined: this.#isInlined.finish(),
      parent: this.#parent.finish(),
      callFile: this.#callFile.finish(),
      callLine: this.#callLine.finish(),
      callColumn: new Uint16Array(this.#callColumn.finish()),
      spans: paintSpans(this.#ranges, this.#rangeRow.array),
      isDamaged,
    };
  }

  #columns(): { length: number }[] {
    return [
      this.#origin,
      this.#isOriginAlternate,
      this.#isInlined,
      this.#parent,
      this.#callFile,
      this.#callLine,
      this.#callColumn,
      this.#rangeRow,
    ];
  }

  // Hot: once per DIE.
  #walk(unit: DwarfUnit): void {
    const reader = unit.sections.reader('info');
    const abbreviations = unit.abbreviations();
    const { kind, hasChildren, firstStep, step } = abbreviations;
    const { addressSize, version, is64, end } = unit;
    const classesPassedIn = hasNoCodeInClasses(unit.language) ? NO_FUNCTION : Number.NaN;
    const rowAtDepth = this.#rowAtDepth;
    rowAtDepth[0] = NO_FUNCTION;
    let depth = 0;
    reader.seek(unit.rootOffset, end);
    while (!reader.isAtEnd) {
      const die = reader.at;
      const code = reader.uleb();
      if (code === 0) {
        if (--depth <= 0) return;
        continue;
      }
      const row = abbreviations.rowOf(code);
      if (row < 0) throw new DwarfDamage(`no abbreviation ${code}`);
      const dieKind = kind[row];
      let around = rowAtDepth[depth];
      if (dieKind === DIE.CODE) {
        around = this.#readFunction(unit, reader, abbreviations, die, row, around);
      } else if (dieKind === DIE.TYPE || (dieKind === DIE.CLASS && around === classesPassedIn)) {
        if (this.#passType(unit, reader, abbreviations, row)) continue;
      } else {
        if (dieKind === DIE.DECLARATION) around = NONE;
        const lastStep = firstStep[row + 1];
        for (let i = firstStep[row]; i < lastStep; i++) {
          const size = step[i];
          if (size >= 0) reader.skip(size);
          else skipValue(reader, size, addressSize, version, is64);
        }
      }
      if (hasChildren[row] === 1) {
        if (++depth > MAX_DEPTH) throw new DwarfDamage('DIEs nest too deep');
        rowAtDepth[depth] = around;
      } else if (depth === 0) return;
    }
  }

  /**
   * Goes past a type's attributes, and to the DIE that it says comes next; false if that can't be, so
   * that what is below the type is to be walked.
   */
  #passType(
    unit: DwarfUnit,
    reader: DwarfReader,
    abbreviations: AbbreviationTable,
    row: number,
  ): boolean {
    const { attribute, attributeStep, form, firstAttribute } = abbreviations;
    let next = 0;
    const last = firstAttribute[row + 1];
    for (let i = firstAttribute[row]; i < last; i++) {
      const size = attributeStep[i];
      if (attribute[i] === dw.DW_AT_sibling) {
        readForm(reader, form[i], 0, unit, this.#value);
        if (this.#value.kind === ValueKind.reference) next = this.#value.value;
      } else if (size >= 0) reader.skip(size);
      else skipValue(reader, size, unit.addressSize, unit.version, unit.is64);
    }
    // Only forwards, so that the walk ends.
    if (!(next > reader.at && next < unit.end)) return false;
    reader.skip(next - reader.at);
    return true;
  }

  /** Adds the function at `die` if it has code; returns the row for what lies in it. */
  #readFunction(
    unit: DwarfUnit,
    reader: DwarfReader,
    abbreviations: AbbreviationTable,
    die: number,
    row: number,
    around: number,
  ): number {
    const { attribute, attributeStep, form, implicitConst, isWanted, firstAttribute } =
      abbreviations;
    const isInlined = abbreviations.tag[row] === dw.DW_TAG_inlined_subroutine;
    const value = this.#value;
    this.#lowPc = Number.NaN;
    this.#highPc.kind = ValueKind.other;
    this.#rangesValue.kind = ValueKind.other;
    let origin = die;
    let isOriginAlternate = 0;
    let callFile = 0;
    let callLine = 0;
    let callColumn = 0;
    const last = firstAttribute[row + 1];
    for (let i = firstAttribute[row]; i < last; i++) {
      if (isWanted[i] === 0) {
        const size = attributeStep[i];
        if (size >= 0) reader.skip(size);
        else skipValue(reader, size, unit.addressSize, unit.version, unit.is64);
        continue;
      }
      readForm(reader, form[i], implicitConst[i], unit, value);
      switch (attribute[i]) {
        case dw.DW_AT_low_pc:
          // A table may lie behind the address; the reader of DIEs stands still meanwhile.
          this.#lowPc = resolveAddress(unit, value);
          break;
        case dw.DW_AT_high_pc:
          copyValue(value, this.#highPc);
          break;
        case dw.DW_AT_ranges:
          copyValue(value, this.#rangesValue);
          break;
        case dw.DW_AT_abstract_origin:
          if (value.kind === ValueKind.reference) origin = value.value;
          else if (value.kind === ValueKind.alternateReference) {
            origin = value.value;
            isOriginAlternate = 1;
          }
          break;
        case dw.DW_AT_call_file:
          callFile = value.value;
          break;
        case dw.DW_AT_call_line:
          callLine = value.value;
          break;
        case dw.DW_AT_call_column:
          callColumn = value.value;
          break;
      }
    }
    const next = this.#origin.length;
    if (!this.#addRanges(unit, next)) {
      // Without code of its own it is a declaration or a template of inlined calls.
      return isInlined ? around : NONE;
    }
    this.#origin.push(origin);
    this.#isOriginAlternate.push(isOriginAlternate);
    this.#isInlined.push(isInlined ? 1 : 0);
    this.#parent.push(Math.max(around, NONE));
    this.#callFile.push(callFile);
    this.#callLine.push(callLine);
    this.#callColumn.push(callColumn > MAX_COLUMN ? 0 : callColumn);
    return next;
  }

  /** The ranges of the DIE just read; false if it has none. */
  #addRanges(unit: DwarfUnit, row: number): boolean {
    const ranges = this.#ranges;
    const before = ranges.length;
    if (this.#rangesValue.kind !== ValueKind.other) {
      const most = FEW_RANGES + (unit.end - unit.offset) * MOST_RANGES_PER_BYTE - before;
      try {
        readRanges(unit, this.#rangesValue, Math.max(0, most), ranges);
      } catch (error) {
        if (!(error instanceof DwarfDamage)) throw error;
      }
    } else if (!Number.isNaN(this.#lowPc) && !isRemoved(this.#lowPc)) {
      ranges.add(this.#lowPc, endOf(unit, this.#lowPc, this.#highPc));
    }
    for (let i = before; i < ranges.length; i++) this.#rangeRow.push(row);
    return ranges.length > before;
  }
}

function copyValue(from: FormValue, to: FormValue): void {
  to.kind = from.kind;
  to.value = from.value;
}
