import { GrowableFloat64 } from '../../base/growable-columns.ts';
import { sortedOrder } from '../../base/sorted-order.ts';
import { Spans } from '../../base/spans.ts';
import * as dw from './constants.ts';
import { type FormValue, indexedAddress, ValueKind } from './form-value.ts';
import type { DwarfUnit } from './unit.ts';

/** Ranges [start, end) of addresses, signed form, as columns. */
export class AddressRanges {
  readonly start = new GrowableFloat64(64);
  readonly end = new GrowableFloat64(64);

  get length(): number {
    return this.start.length;
  }

  clear(): void {
    this.start.length = 0;
    this.end.length = 0;
  }

  /**
   * Leaves out what is empty, and code that the linker removed: it puts 0, 1 or the highest
   * addresses where removed code would start, and no file has code there.
   */
  add(start: number, end: number): void {
    if (!(start < end) || isRemoved(start)) return;
    this.start.push(start);
    this.end.push(end);
  }
}

/** Sorted, those that overlap or touch as one. */
export function mergeRanges(ranges: AddressRanges): Spans {
  const merged = new Spans();
  for (const row of sortedOrder(ranges.start.array, ranges.length)) {
    merged.add(ranges.start.array[row], ranges.end.array[row]);
  }
  return merged;
}

/** Whether `merged` has all of each of `ranges`. */
export function areWithin(ranges: AddressRanges, merged: Spans): boolean {
  for (let row = 0; row < ranges.length; row++) {
    if (!merged.has(ranges.start.array[row], ranges.end.array[row])) return false;
  }
  return true;
}

const LAST_32 = 0xffffffff;

/** True for the address of code that the linker removed. */
export function isRemoved(address: number): boolean {
  return (address >= -2 && address <= 1) || address === LAST_32 || address === LAST_32 - 1;
}

/**
 * Adds to `out` the ranges that a DW_AT_ranges of `unit` stands for, at most `limit` of them. Throws
 * `DwarfDamage`; what came before stays in `out`.
 */
export function readRanges(
  unit: DwarfUnit,
  value: FormValue,
  limit: number,
  out: AddressRanges,
): void {
  if (value.kind === ValueKind.rangeListIndex) {
    const reader = unit.sections.reader('rnglists');
    reader.seek(unit.rangeListsBase + value.value * (unit.is64 ? 8 : 4));
    readRangeList(unit, unit.rangeListsBase + reader.offset(unit.is64), limit, out);
  } else if (unit.version >= 5) {
    readRangeList(unit, value.value, limit, out);
  } else {
    readOldRanges(unit, value.value + unit.rangesBase, limit, out);
  }
}

/** `.debug_ranges`: pairs of addresses; (highest, base) sets a base, (0, 0) ends. */
function readOldRanges(unit: DwarfUnit, offset: number, limit: number, out: AddressRanges): void {
  const reader = unit.main.reader('ranges');
  const { addressSize } = unit;
  const highest = addressSize === 8 ? -1 : LAST_32;
  let base = Number.isNaN(unit.lowPc) ? 0 : unit.lowPc;
  reader.seek(offset);
  for (let i = 0; i < limit; i++) {
    const start = reader.address(addressSize);
    const end = reader.address(addressSize);
    if (start === 0 && end === 0) return;
    if (start === highest) base = end;
    else if (!(base === 0 && isRemoved(start))) out.add(base + start, base + end);
  }
}

/** `.debug_rnglists`: entries of a kind each. */
function readRangeList(unit: DwarfUnit, offset: number, limit: number, out: AddressRanges): void {
  const reader = unit.sections.reader('rnglists');
  const { addressSize } = unit;
  let base = Number.isNaN(unit.lowPc) ? 0 : unit.lowPc;
  reader.seek(offset);
  for (let i = 0; i < limit; i++) {
    const kind = reader.u8();
    switch (kind) {
      case dw.DW_RLE_end_of_list:
        return;
      case dw.DW_RLE_base_addressx:
        base = indexedAddress(unit, reader.uleb());
        break;
      case dw.DW_RLE_base_address:
        base = reader.address(addressSize);
        break;
      case dw.DW_RLE_startx_endx: {
        const start = indexedAddress(unit, reader.uleb());
        out.add(start, indexedAddress(unit, reader.uleb()));
        break;
      }
      case dw.DW_RLE_startx_length: {
        const start = indexedAddress(unit, reader.uleb());
        out.add(start, start + reader.uleb());
        break;
      }
      case dw.DW_RLE_offset_pair: {
        const start = reader.uleb();
        const end = reader.uleb();
        if (!isRemoved(base)) out.add(base + start, base + end);
        else if (base === 0) out.add(start, end);
        break;
      }
      case dw.DW_RLE_start_end: {
        const start = reader.address(addressSize);
        out.add(start, reader.address(addressSize));
        break;
      }
      case dw.DW_RLE_start_length: {
        const start = reader.address(addressSize);
        out.add(start, start + reader.uleb());
        break;
      }
      default:
        return;
    }
  }
}
