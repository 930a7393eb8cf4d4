import type { AbbreviationTable } from './abbreviations.ts';
import * as dw from './constants.ts';
import { type DwarfReader, damaged } from './dwarf-reader.ts';
import { type FormValue, readForm, resolveAddress, stringOf, ValueKind } from './form-value.ts';
import type { DwarfSections } from './sections.ts';
import type { UnitHeader } from './unit-header.ts';

/** Lengths of 0xfffffff0 and above are reserved; this one announces the 64-bit format. */
const LENGTH_64 = 0xffffffff;
const FIRST_RESERVED_LENGTH = 0xfffffff0;

/** Offsets of the sections of a unit in a package (.dwp) that holds those of many. */
export type Contributions = {
  readonly abbreviations: number;
  readonly stringOffsets: number;
  readonly rangeLists: number;
};

const NO_CONTRIBUTIONS: Contributions = { abbreviations: 0, stringOffsets: 0, rangeLists: 0 };

/**
 * One unit of `.debug_info`, with what its root DIE states.
 *
 * A skeleton unit has only the root DIE, and its code in a split file (`split-units.ts`); the unit
 * in that file takes its line program and the base of its addresses from the skeleton.
 */
export class DwarfUnit {
  readonly offset: number;
  readonly end: number;
  readonly version: number;
  readonly unitType: number;
  readonly addressSize: number;
  readonly is64: boolean;
  readonly rootOffset: number;
  /** The file that the unit lies in. */
  readonly sections: DwarfSections;
  /** The file with addresses and line programs: another one for a split unit. */
  readonly main: DwarfSections;
  /** The alternate file that dwz moved common DIEs to; null if it can't be had. */
  readonly alternate: () => DwarfSections | null;

  /** DW_TAG of the root DIE; 0 before it is read, or where it can't be. */
  rootTag = 0;
  dwoId: string;
  dwoName = '';
  compilationDirectory = '';
  /** DW_LANG of the root DIE; 0 where it is not stated. */
  language = 0;
  /** Offset in `.debug_line`, −1: no line program. */
  lineProgramOffset = -1;
  /** The address that offsets in range lists are relative to. NaN if not stated. */
  lowPc = Number.NaN;
  /** NaN: not stated. */
  highPc = Number.NaN;
  readonly ranges: FormValue = { kind: ValueKind.other, value: 0 };
  stringOffsetsBase = 0;
  addressBase = 0;
  rangeListsBase = 0;
  /** Added to offsets in `.debug_ranges`, in split units of version 4. */
  rangesBase = 0;
  /** The ranges base of a split unit: a skeleton states it, and does not use it itself. */
  splitRangesBase = 0;

  readonly #abbreviationsOffset: number;

  constructor(
    header: UnitHeader,
    sections: DwarfSections,
    alternate: () => DwarfSections | null,
    skeleton: DwarfUnit | null = null,
    contributions: Contributions = NO_CONTRIBUTIONS,
  ) {
    this.offset = header.offset;
    this.end = header.end;
    this.version = header.version;
    this.unitType = header.unitType;
    this.addressSize = header.addressSize;
    this.is64 = header.is64;
    this.rootOffset = header.rootOffset;
    this.dwoId = header.dwoId;
    this.#abbreviationsOffset = header.abbreviationsOffset + contributions.abbreviations;
    this.sections = sections;
    this.main = skeleton === null ? sections : skeleton.main;
    this.alternate = alternate;
    // Where a version 5 unit states no base, its tables start after the section's header.
    const is5 = header.version >= 5;
    this.stringOffsetsBase = contributions.stringOffsets + (is5 ? (header.is64 ? 16 : 8) : 0);
    this.rangeListsBase = contributions.rangeLists + (is5 ? (header.is64 ? 20 : 12) : 0);
    this.addressBase = is5 ? (header.is64 ? 16 : 8) : 0;
    if (skeleton === null) return;
    this.addressBase = skeleton.addressBase;
    this.rangesBase = skeleton.splitRangesBase;
    this.lowPc = skeleton.lowPc;
    this.lineProgramOffset = skeleton.lineProgramOffset;
    this.compilationDirectory = skeleton.compilationDirectory;
  }

  /** Throws `DwarfDamage`. */
  abbreviations(): AbbreviationTable {
    const { sections } = this;
    return sections.abbreviations.get(sections.reader('abbrev'), this.#abbreviationsOffset, this);
  }

  /** Takes what a lookup needs from the root DIE. Throws `DwarfDamage`. */
  readRoot(): void {
    const reader = this.sections.reader('info');
    reader.seek(this.rootOffset);
    const code = reader.uleb();
    if (code === 0) return;
    const { sections } = this;
    const abbrev = sections.reader('abbrev');
    const declaration = sections.abbreviations.declaration(abbrev, this.#abbreviationsOffset, code);
    if (declaration === null) damaged();
    const { tags, attributes, forms, implicitConsts } = declaration;
    this.rootTag = tags[0];
    // Values that need a base may come before it.
    const kept = new Map<number, FormValue>();
    for (let i = 0; i < attributes.length; i++) {
      const value: FormValue = { kind: ValueKind.other, value: 0 };
      readForm(reader, forms[i], implicitConsts[i], this, value);
      kept.set(attributes[i], value);
    }
    this.#takeBases(kept);
    const text = (name: number) => {
      const value = kept.get(name);
      return value === undefined ? '' : stringOf(this, value);
    };
    this.compilationDirectory = text(dw.DW_AT_comp_dir) || this.compilationDirectory;
    this.dwoName = text(dw.DW_AT_dwo_name) || text(dw.DW_AT_GNU_dwo_name);
    const ranges = kept.get(dw.DW_AT_ranges);
    if (ranges !== undefined) Object.assign(this.ranges, ranges);
    const low = kept.get(dw.DW_AT_low_pc);
    if (low === undefined) return;
    this.lowPc = resolveAddress(this, low);
    const high = kept.get(dw.DW_AT_high_pc);
    if (high !== undefined) this.highPc = endOf(this, this.lowPc, high);
  }

  #takeBases(values: Map<number, FormValue>): void {
    const number = (name: number, otherwise: number) => values.get(name)?.value ?? otherwise;
    this.stringOffsetsBase = number(dw.DW_AT_str_offsets_base, this.stringOffsetsBase);
    this.rangeListsBase = number(dw.DW_AT_rnglists_base, this.rangeListsBase);
    this.addressBase = number(dw.DW_AT_addr_base, this.addressBase);
    this.addressBase = number(dw.DW_AT_GNU_addr_base, this.addressBase);
    this.splitRangesBase = number(dw.DW_AT_GNU_ranges_base, 0);
    this.lineProgramOffset = number(dw.DW_AT_stmt_list, this.lineProgramOffset);
    this.language = number(dw.DW_AT_language, 0);
    const id = values.get(dw.DW_AT_GNU_dwo_id);
    if (id !== undefined) this.dwoId = this.#dwoIdText(values);
  }

  /** The id again, as text: read as a number it would be rounded. */
  #dwoIdText(values: Map<number, FormValue>): string {
    const reader = this.sections.reader('info');
    const at = findAttribute(this, reader, dw.DW_AT_GNU_dwo_id);
    return at < 0 || !values.has(dw.DW_AT_GNU_dwo_id) ? '' : idText(reader, at);
  }
}

/** Offset of the value of `wanted` in the root DIE, −1 if it has none. */
function findAttribute(unit: DwarfUnit, reader: DwarfReader, wanted: number): number {
  reader.seek(unit.rootOffset);
  const abbreviations = unit.abbreviations();
  const row = abbreviations.rowOf(reader.uleb());
  const value: FormValue = { kind: 0, value: 0 };
  const end = abbreviations.firstAttribute[row + 1];
  for (let i = abbreviations.firstAttribute[row]; i < end; i++) {
    if (abbreviations.attribute[i] === wanted) return reader.at;
    readForm(reader, abbreviations.form[i], abbreviations.implicitConst[i], unit, value);
  }
  return -1;
}

/** DW_AT_high_pc: an address, or since version 4 the distance from the low one. */
export function endOf(unit: DwarfUnit, lowPc: number, high: FormValue): number {
  const isAddress = high.kind === ValueKind.address || high.kind === ValueKind.addressIndex;
  return isAddress ? resolveAddress(unit, high) : lowPc + high.value;
}

/**
 * The unit header at `offset` of `.debug_info`; null if nothing more can be read there.
 *
 *   version 2…4: length, u16 version, offset abbreviations, u8 address size
 *   version 5:   length, u16 version, u8 unit type, u8 address size, offset abbreviations,
 *                skeleton, split: u64 dwo id; type units: u64 signature, offset type
 */
export function parseUnitHeader(reader: DwarfReader, offset: number): UnitHeader {
  reader.seek(offset);
  let length = reader.u32();
  const is64 = length === LENGTH_64;
  if (is64) length = reader.u64();
  else if (length >= FIRST_RESERVED_LENGTH) damaged();
  const end = Math.min(reader.at + length, reader.size);
  const version = reader.u16();
  if (version < 2 || version > 5) {
    return { ...NO_UNIT, offset, end, version, is64 };
  }
  let unitType: number = dw.DW_UT_compile;
  let addressSize = 0;
  let dwoId = '';
  if (version >= 5) {
    unitType = reader.u8();
    addressSize = reader.u8();
  }
  const abbreviationsOffset = reader.offset(is64);
  if (version < 5) addressSize = reader.u8();
  switch (unitType) {
    case dw.DW_UT_skeleton:
    case dw.DW_UT_split_compile:
      dwoId = idText(reader, reader.at);
      reader.skip(8);
      break;
    case dw.DW_UT_type:
    case dw.DW_UT_split_type:
      reader.skip(8);
      reader.offset(is64);
  }
  const rootOffset = reader.at;
  return {
    offset,
    end,
    version,
    unitType,
    addressSize,
    is64,
    abbreviationsOffset,
    rootOffset,
    dwoId,
  };
}

/** A unit of a version that is not known is passed over. */
const NO_UNIT = { unitType: 0, addressSize: 0, abbreviationsOffset: 0, rootOffset: 0, dwoId: '' };

function idText(reader: DwarfReader, at: number): string {
  let text = '';
  for (const byte of reader.peek(at, 8)) text += byte.toString(16).padStart(2, '0');
  return text;
}
