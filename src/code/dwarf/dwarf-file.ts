import { NONE } from '../../base/brand.ts';
import type { Diagnostics } from '../../base/diagnostics.ts';
import { type StringIndex, StringTable } from '../../base/string-table.ts';
import { readFunctionName } from './die-names.ts';
import { findSpan } from './function-spans.ts';
import { type FunctionTree, FunctionTreeReader } from './function-tree.ts';
import { filePath } from './line-header.ts';
import { findLineRow, LineProgram, type LineTable } from './line-table.ts';
import { DwarfSections, type SectionProvider } from './sections.ts';
import { type SplitProvider, SplitUnits } from './split-units.ts';
import type { DwarfUnit } from './unit.ts';
import { UnitIndex } from './unit-index.ts';
import { countDamage, newUnitRoom, UnitList, type UnitRoom } from './unit-list.ts';

/** More calls than this are not inlined into each other by any compiler. */
const MAX_FRAMES = 256;
/** Bytes that parsed units may hold; beyond, some are let go, and read again if needed. */
const MAX_KEPT_BYTES = 56 * 2 ** 20;
const BYTES_PER_LINE_ROW = 12;
const BYTES_PER_FUNCTION = 28;
const BYTES_PER_SPAN = 8;

export type DwarfFileOptions = {
  readonly sections: SectionProvider;
  readonly littleEndian: boolean;
  readonly diagnostics: Diagnostics;
  /** Sections of the file that dwz moved common parts to; asked at the first need, once. */
  readonly alternate?: () => SectionProvider | null;
  /** Shared with other files; absent: all that one list of units may take. */
  readonly unitRoom?: UnitRoom;
  /** Absent: split units stay without functions. */
  readonly split?: SplitProvider;
};

/**
 * The frames at one address, innermost first: row 0 is where the address is, each further row is
 * where the row before it was called, and the last is the function that exists. Valid until
 * the next lookup.
 */
export class SourceFrames {
  length = 0;
  /** Index into `DwarfFile.strings`: linkage name, else name; 0 (empty) where it is not known. */
  readonly name: Int32Array = new Int32Array(MAX_FRAMES);
  /** Index into `DwarfFile.strings`: path; 0 (empty) where it is not known. */
  readonly file: Int32Array = new Int32Array(MAX_FRAMES);
  /** Line from 1; 0 where the compiler states that no line made this code, or where it is not known. */
  readonly line: Int32Array = new Int32Array(MAX_FRAMES);
  /** Column from 1; 0 where it is not known. */
  readonly column: Int32Array = new Int32Array(MAX_FRAMES);
}

/** The tables read so far of a unit with code. */
type UnitCode = {
  readonly unit: DwarfUnit;
  readonly lines: LineTable | null;
  /** Index into `strings` by index of the file, −1 before it is asked for. */
  readonly fileText: Int32Array;
  readonly functions: FunctionTree;
  /** Index into `strings` by row of `functions`, −1 before it is asked for. */
  readonly nameText: Int32Array;
  /** Index into `strings` by offset of the origin: many calls of one function. */
  readonly nameOfOrigin: Map<number, StringIndex>;
  readonly bytes: number;
};

/**
 * Lines and inlined calls of one file's code.
 *
 * Read as late as can be: at the first lookup where each unit's code is (`unit-index.ts`), then of
 * each unit that an address falls into its line program and its tree of functions, then the names
 * of those functions that were hit. Failures are remembered like results. Nothing throws; damage is counted
 * in `diagnostics`.
 */
export class DwarfFile {
  readonly strings = new StringTable();
  readonly #options: DwarfFileOptions;
  readonly #sections: DwarfSections;
  readonly #lineProgram = new LineProgram();
  readonly #treeReader = new FunctionTreeReader();
  readonly #split: SplitUnits | null;
  readonly #candidates: DwarfUnit[] = [];
  readonly #codes = new Map<DwarfUnit, UnitCode>();
  /** The keys of `#codes`. */
  readonly #kept: DwarfUnit[] = [];
  #keptBytes = 0;
  #random = 1;
  readonly #index: UnitIndex;
  readonly #unitRoom: UnitRoom;
  #alternate: DwarfSections | null | undefined;
  #alternateUnits: UnitList | null = null;
  /** Sections of line programs are read whole; units in a row mostly share none. */
  #lastUnit: DwarfUnit | null = null;
  #lastCode: UnitCode | null = null;

  constructor(options: DwarfFileOptions) {
    this.#options = options;
    this.#sections = new DwarfSections(options.sections, options.littleEndian);
    const { diagnostics, unitRoom = newUnitRoom() } = options;
    this.#unitRoom = unitRoom;
    this.#index = new UnitIndex(this.#sections, this.#openAlternate, diagnostics, unitRoom);
    this.#split =
      options.split === undefined
        ? null
        : new SplitUnits(options.split, options.littleEndian, options.diagnostics);
  }

  /**
   * The frames at `address` (as written in the file, signed form) into `out`; returns how many, 0
   * where nothing is known.
   */
  // Hot: once per address.
  find(address: number, out: SourceFrames): number {
    out.length = 0;
    const count = this.#index.find(address, this.#candidates);
    let fallback: UnitCode | null = null;
    for (let i = 0; i < count; i++) {
      const code = this.#code(this.#candidates[i]);
      const row = findSpan(code.functions.spans, address);
      if (row !== NONE) return this.#addFrames(code, row, address, out);
      if (fallback === null && code.lines !== null && findLineRow(code.lines, address) !== NONE) {
        fallback = code;
      }
    }
    // Assembly has lines, and mostly no functions.
    return fallback === null ? 0 : this.#addFrames(fallback, NONE, address, out);
  }

  #addFrames(code: UnitCode, innermost: number, address: number, out: SourceFrames): number {
    const { functions, lines } = code;
    const lineRow = lines === null ? NONE : findLineRow(lines, address);
    let file = 0;
    let line = 0;
    let column = 0;
    if (lines !== null && lineRow !== NONE) {
      file = this.#file(code, lines.file[lineRow]);
      line = lines.line[lineRow];
      column = lines.column[lineRow];
    }
    let row = innermost;
    let length = 0;
    for (;;) {
      out.name[length] = row === NONE ? 0 : this.#name(code, row);
      out.file[length] = file;
      out.line[length] = line;
      out.column[length] = column;
      length++;
      if (row === NONE || functions.isInlined[row] === 0 || length === MAX_FRAMES) break;
      file = this.#file(code, functions.callFile[row]);
      line = functions.callLine[row];
      column = functions.callColumn[row];
      row = functions.parent[row];
      if (row === NONE) break;
    }
    out.length = length;
    return length;
  }

  #file(code: UnitCode, index: number): number {
    if (!(index >= 0 && index < code.fileText.length)) return 0;
    const known = code.fileText[index];
    if (known !== NONE) return known;
    const { unit, lines } = code;
    const path =
      lines === null
        ? ''
        : filePath(lines.header, index, unit.compilationDirectory, unit.main, unit.alternate);
    const text = this.strings.intern(path);
    code.fileText[index] = text;
    return text;
  }

  #name(code: UnitCode, row: number): number {
    const known = code.nameText[row];
    if (known !== NONE) return known;
    const { functions, unit } = code;
    const isAlternate = functions.isOriginAlternate[row] === 1;
    const origin = functions.origin[row];
    const key = isAlternate ? -origin : origin;
    let text = code.nameOfOrigin.get(key);
    if (text === undefined) {
      text = this.strings.intern(readFunctionName(unit, origin, isAlternate, this.#findUnit));
      code.nameOfOrigin.set(key, text);
    }
    code.nameText[row] = text;
    return text;
  }

  readonly #findUnit = (
    offset: number,
    isAlternate: boolean,
    from: DwarfUnit,
  ): DwarfUnit | null => {
    const sections = isAlternate ? this.#openAlternate() : from.sections;
    if (sections === null) return null;
    if (sections === this.#sections) return this.#index.unitAt(offset);
    if (sections !== this.#alternate) return null;
    const { diagnostics } = this.#options;
    this.#alternateUnits ??= new UnitList(sections, () => null, diagnostics, this.#unitRoom);
    return this.#alternateUnits.holding(offset);
  };

  readonly #openAlternate = (): DwarfSections | null => {
    if (this.#alternate !== undefined) return this.#alternate;
    const provide = this.#options.alternate?.() ?? null;
    if (provide === null) {
      this.#options.diagnostics.count('dwarf-alternate-missing');
    }
    this.#alternate =
      provide === null ? null : new DwarfSections(provide, this.#options.littleEndian);
    return this.#alternate;
  };

  #code(unit: DwarfUnit): UnitCode {
    if (unit === this.#lastUnit && this.#lastCode !== null) return this.#lastCode;
    let code = this.#codes.get(unit);
    if (code === undefined) {
      code = this.#readCode(unit);
      this.#keep(unit, code);
    }
    this.#lastUnit = unit;
    this.#lastCode = code;
    return code;
  }

  /**
   * Addresses are asked for in order, and linkers put the rarely run code of all units before the rest
   * of all units: they are gone through several times. Were the oldest let go, each would be gone by
   * the time that it is needed again; so it is any, and what fits stays.
   */
  #keep(unit: DwarfUnit, code: UnitCode): void {
    const kept = this.#kept;
    this.#keptBytes += code.bytes;
    while (this.#keptBytes > MAX_KEPT_BYTES && kept.length > 0) {
      this.#random = (Math.imul(this.#random, 1664525) + 1013904223) >>> 0;
      const place = Math.floor((this.#random / 2 ** 32) * kept.length);
      const released = kept[place];
      kept[place] = kept[kept.length - 1];
      kept.length--;
      this.#keptBytes -= this.#codes.get(released)?.bytes ?? 0;
      this.#codes.delete(released);
    }
    kept.push(unit);
    this.#codes.set(unit, code);
  }

  #readCode(own: DwarfUnit): UnitCode {
    const { diagnostics } = this.#options;
    const unit = (own.dwoName !== '' && this.#split?.find(own)) || own;
    let lines: LineTable | null = null;
    if (unit.lineProgramOffset >= 0) {
      try {
        const reader = unit.main.reader('line');
        lines = this.#lineProgram.run(reader, unit.lineProgramOffset, unit.addressSize);
        if (lines.isDamaged) {
          diagnostics.count('dwarf-line-program-damaged', `unit at offset ${own.offset}`);
        }
      } catch (error) {
        countDamage(error, 'dwarf-line-program-damaged', own, diagnostics);
      }
    }
    const functions = this.#treeReader.read(unit);
    if (functions.isDamaged) {
      diagnostics.count('dwarf-unit-damaged', `unit at offset ${own.offset}`);
    }
    return {
      unit,
      lines,
      fileText: new Int32Array(lines === null ? 0 : lines.header.files.section.length).fill(NONE),
      functions,
      nameText: new Int32Array(functions.length).fill(NONE),
      nameOfOrigin: new Map(),
      bytes:
        (lines?.offset.length ?? 0) * BYTES_PER_LINE_ROW +
        functions.length * BYTES_PER_FUNCTION +
        functions.spans.start.length * BYTES_PER_SPAN,
    };
  }
}
