import * as dw from './constants.ts';
import { type DwarfReader, damaged } from './dwarf-reader.ts';
import { skipStep, skipValue } from './form-size.ts';
import type { DwarfSections } from './sections.ts';
import type { UnitHeader } from './unit-header.ts';

/** The unit that a value stands in: its encoding, and the sections that indexes and offsets lead to. */
export type FormUnit = Pick<UnitHeader, 'offset' | 'version' | 'addressSize' | 'is64'> & {
  readonly stringOffsetsBase: number;
  readonly addressBase: number;
  readonly sections: DwarfSections;
  /** The file with addresses: another one for a split unit. */
  readonly main: DwarfSections;
  readonly alternate: () => DwarfSections | null;
};

/** The meaning of the number of a `FormValue`. */
export const ValueKind = {
  /** Nothing that a lookup needs: blocks, location lists. */
  other: 0,
  /** An address in signed form. */
  address: 1,
  /** Index into `.debug_addr`. */
  addressIndex: 2,
  /** An integer or a flag. */
  constant: 3,
  /** Offset in the section that the attribute implies. */
  sectionOffset: 4,
  /** Offset of a DIE in the unit's own `.debug_info`. */
  reference: 5,
  /** Offset of a DIE in the alternate file's `.debug_info`. */
  alternateReference: 6,
  /** Offset of a string that lies in `.debug_info` itself. */
  inlineString: 7,
  /** Offset in `.debug_str`. */
  string: 8,
  /** Offset in `.debug_line_str`. */
  lineString: 9,
  /** Index into `.debug_str_offsets`. */
  stringIndex: 10,
  /** Offset in the alternate file's `.debug_str`. */
  alternateString: 11,
  /** Index into the offsets of `.debug_rnglists`. */
  rangeListIndex: 12,
} as const;

/** One attribute's value; `readForm` writes into the one it is given. */
export type FormValue = { kind: number; value: number };

/**
 * Reads a value of `form` in a DIE of `unit`; returns its kind. Throws `DwarfDamage`.
 */
export function readForm(
  reader: DwarfReader,
  form: number,
  implicitConst: number,
  unit: FormUnit,
  out: FormValue,
): number {
  switch (form) {
    case dw.DW_FORM_addr:
      return set(out, ValueKind.address, reader.address(unit.addressSize));
    case dw.DW_FORM_addrx:
    case dw.DW_FORM_GNU_addr_index:
      return set(out, ValueKind.addressIndex, reader.uleb());
    case dw.DW_FORM_addrx1:
      return set(out, ValueKind.addressIndex, reader.u8());
    case dw.DW_FORM_addrx2:
      return set(out, ValueKind.addressIndex, reader.u16());
    case dw.DW_FORM_addrx3:
      return set(out, ValueKind.addressIndex, reader.u24());
    case dw.DW_FORM_addrx4:
      return set(out, ValueKind.addressIndex, reader.u32());
    case dw.DW_FORM_data1:
    case dw.DW_FORM_flag:
      return set(out, ValueKind.constant, reader.u8());
    case dw.DW_FORM_data2:
      return set(out, ValueKind.constant, reader.u16());
    // Before version 4 offsets in sections had no form of their own.
    case dw.DW_FORM_data4:
      return set(out, constantOrOffset(unit), reader.u32());
    case dw.DW_FORM_data8:
      return set(out, constantOrOffset(unit), reader.u64());
    case dw.DW_FORM_udata:
      return set(out, ValueKind.constant, reader.uleb());
    case dw.DW_FORM_sdata:
      return set(out, ValueKind.constant, reader.sleb());
    case dw.DW_FORM_implicit_const:
      return set(out, ValueKind.constant, implicitConst);
    case dw.DW_FORM_flag_present:
      return set(out, ValueKind.constant, 1);
    case dw.DW_FORM_sec_offset:
      return set(out, ValueKind.sectionOffset, reader.offset(unit.is64));
    case dw.DW_FORM_ref1:
      return set(out, ValueKind.reference, unit.offset + reader.u8());
    case dw.DW_FORM_ref2:
      return set(out, ValueKind.reference, unit.offset + reader.u16());
    case dw.DW_FORM_ref4:
      return set(out, ValueKind.reference, unit.offset + reader.u32());
    case dw.DW_FORM_ref8:
      return set(out, ValueKind.reference, unit.offset + reader.u64());
    case dw.DW_FORM_ref_udata:
      return set(out, ValueKind.reference, unit.offset + reader.uleb());
    case dw.DW_FORM_ref_addr: {
      const target =
        unit.version <= 2 ? reader.address(unit.addressSize) : reader.offset(unit.is64);
      return set(out, ValueKind.reference, target);
    }
    case dw.DW_FORM_ref_sup4:
      return set(out, ValueKind.alternateReference, reader.u32());
    case dw.DW_FORM_ref_sup8:
      return set(out, ValueKind.alternateReference, reader.u64());
    case dw.DW_FORM_GNU_ref_alt:
      return set(out, ValueKind.alternateReference, reader.offset(unit.is64));
    case dw.DW_FORM_string: {
      const start = reader.at;
      reader.skipString();
      return set(out, ValueKind.inlineString, start);
    }
    case dw.DW_FORM_strp:
      return set(out, ValueKind.string, reader.offset(unit.is64));
    case dw.DW_FORM_line_strp:
      return set(out, ValueKind.lineString, reader.offset(unit.is64));
    case dw.DW_FORM_strp_sup:
    case dw.DW_FORM_GNU_strp_alt:
      return set(out, ValueKind.alternateString, reader.offset(unit.is64));
    case dw.DW_FORM_strx:
    case dw.DW_FORM_GNU_str_index:
      return set(out, ValueKind.stringIndex, reader.uleb());
    case dw.DW_FORM_strx1:
      return set(out, ValueKind.stringIndex, reader.u8());
    case dw.DW_FORM_strx2:
      return set(out, ValueKind.stringIndex, reader.u16());
    case dw.DW_FORM_strx3:
      return set(out, ValueKind.stringIndex, reader.u24());
    case dw.DW_FORM_strx4:
      return set(out, ValueKind.stringIndex, reader.u32());
    case dw.DW_FORM_rnglistx:
      return set(out, ValueKind.rangeListIndex, reader.uleb());
    case dw.DW_FORM_indirect: {
      const inner = reader.uleb();
      if (inner === dw.DW_FORM_indirect) damaged();
      return readForm(reader, inner, 0, unit, out);
    }
    default:
      skipValue(
        reader,
        skipStep(form, unit.addressSize, unit.version, unit.is64),
        unit.addressSize,
        unit.version,
        unit.is64,
      );
      return set(out, ValueKind.other, 0);
  }
}

function set(out: FormValue, kind: number, value: number): number {
  out.kind = kind;
  out.value = value;
  return kind;
}

/** Which one it is, the attribute knows: both kinds are taken for either. */
function constantOrOffset(unit: FormUnit): number {
  return unit.version < 4 ? ValueKind.sectionOffset : ValueKind.constant;
}

/** The string that `value` stands for; empty if there is none at its place. */
export function stringOf(unit: FormUnit, { kind, value }: FormValue): string {
  const { sections } = unit;
  switch (kind) {
    case ValueKind.inlineString:
      return sections.string('info', value);
    case ValueKind.string:
      return sections.string('str', value);
    case ValueKind.lineString:
      return sections.string('line_str', value);
    case ValueKind.alternateString:
      return unit.alternate()?.string('str', value) ?? '';
    case ValueKind.stringIndex: {
      const offsets = sections.reader('str_offsets');
      const at = unit.stringOffsetsBase + value * (unit.is64 ? 8 : 4);
      if (!(at + (unit.is64 ? 8 : 4) <= offsets.size)) return '';
      offsets.seek(at);
      return sections.string('str', offsets.offset(unit.is64));
    }
    default:
      return '';
  }
}

/** The address that `value` stands for, in signed form; NaN if there is none. */
export function resolveAddress(unit: FormUnit, { kind, value }: FormValue): number {
  if (kind === ValueKind.address) return value;
  if (kind !== ValueKind.addressIndex) return Number.NaN;
  return indexedAddress(unit, value);
}

/** Entry `index` of `.debug_addr`, which lies in the main file also for a split unit. */
export function indexedAddress(unit: FormUnit, index: number): number {
  const reader = unit.main.reader('addr');
  const at = unit.addressBase + index * unit.addressSize;
  if (!(at + unit.addressSize <= reader.size)) return Number.NaN;
  reader.seek(at);
  return reader.address(unit.addressSize);
}
