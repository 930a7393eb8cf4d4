import * as dw from './constants.ts';
import { type DwarfReader, damaged } from './dwarf-reader.ts';

// Steps of variable size; a step of 0 or more is that many bytes.
const SKIP_LEB = -1;
const SKIP_STRING = -2;
const SKIP_BLOCK1 = -3;
const SKIP_BLOCK2 = -4;
const SKIP_BLOCK4 = -5;
const SKIP_BLOCK = -6;
const SKIP_INDIRECT = -7;
const SKIP_UNKNOWN = -8;

/** How to go past a value of `form`: its size in bytes, or one of the SKIP constants. */
export function skipStep(
  form: number,
  addressSize: number,
  version: number,
  is64: boolean,
): number {
  const offsetSize = is64 ? 8 : 4;
  switch (form) {
    case dw.DW_FORM_flag_present:
    case dw.DW_FORM_implicit_const:
      return 0;
    case dw.DW_FORM_data1:
    case dw.DW_FORM_flag:
    case dw.DW_FORM_ref1:
    case dw.DW_FORM_strx1:
    case dw.DW_FORM_addrx1:
      return 1;
    case dw.DW_FORM_data2:
    case dw.DW_FORM_ref2:
    case dw.DW_FORM_strx2:
    case dw.DW_FORM_addrx2:
      return 2;
    case dw.DW_FORM_strx3:
    case dw.DW_FORM_addrx3:
      return 3;
    case dw.DW_FORM_data4:
    case dw.DW_FORM_ref4:
    case dw.DW_FORM_ref_sup4:
    case dw.DW_FORM_strx4:
    case dw.DW_FORM_addrx4:
      return 4;
    case dw.DW_FORM_data8:
    case dw.DW_FORM_ref8:
    case dw.DW_FORM_ref_sig8:
    case dw.DW_FORM_ref_sup8:
      return 8;
    case dw.DW_FORM_data16:
      return 16;
    case dw.DW_FORM_addr:
      return addressSize;
    case dw.DW_FORM_ref_addr:
      // In DWARF 2 a reference to another unit had the size of an address.
      return version <= 2 ? addressSize : offsetSize;
    case dw.DW_FORM_strp:
    case dw.DW_FORM_line_strp:
    case dw.DW_FORM_sec_offset:
    case dw.DW_FORM_strp_sup:
    case dw.DW_FORM_GNU_ref_alt:
    case dw.DW_FORM_GNU_strp_alt:
      return offsetSize;
    case dw.DW_FORM_sdata:
    case dw.DW_FORM_udata:
    case dw.DW_FORM_ref_udata:
    case dw.DW_FORM_strx:
    case dw.DW_FORM_addrx:
    case dw.DW_FORM_loclistx:
    case dw.DW_FORM_rnglistx:
    case dw.DW_FORM_GNU_addr_index:
    case dw.DW_FORM_GNU_str_index:
      return SKIP_LEB;
    case dw.DW_FORM_string:
      return SKIP_STRING;
    case dw.DW_FORM_block1:
      return SKIP_BLOCK1;
    case dw.DW_FORM_block2:
      return SKIP_BLOCK2;
    case dw.DW_FORM_block4:
      return SKIP_BLOCK4;
    case dw.DW_FORM_block:
    case dw.DW_FORM_exprloc:
      return SKIP_BLOCK;
    case dw.DW_FORM_indirect:
      return SKIP_INDIRECT;
    default:
      return SKIP_UNKNOWN;
  }
}

/** Goes past one value. Throws `DwarfDamage`, also for a form of unknown size. */
export function skipValue(
  reader: DwarfReader,
  step: number,
  addressSize: number,
  version: number,
  is64: boolean,
): void {
  switch (step) {
    case SKIP_LEB:
      reader.skipLeb();
      return;
    case SKIP_STRING:
      reader.skipString();
      return;
    case SKIP_BLOCK1:
      reader.skip(reader.u8());
      return;
    case SKIP_BLOCK2:
      reader.skip(reader.u16());
      return;
    case SKIP_BLOCK4:
      reader.skip(reader.u32());
      return;
    case SKIP_BLOCK:
      reader.skip(reader.uleb());
      return;
    case SKIP_INDIRECT: {
      const inner = skipStep(reader.uleb(), addressSize, version, is64);
      if (inner === SKIP_INDIRECT) damaged();
      skipValue(reader, inner, addressSize, version, is64);
      return;
    }
    case SKIP_UNKNOWN:
      damaged();
      return;
    default:
      reader.skip(step);
      return;
  }
}
