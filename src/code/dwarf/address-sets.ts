import { GrowableFloat64 } from '../../base/growable-columns.ts';
import { AddressRanges } from './address-ranges.ts';
import { DwarfDamage, type DwarfReader } from './dwarf-reader.ts';

const ARANGES_VERSION = 2;
const LENGTH_64 = 0xffffffff;
const MAX_RANGES = 1 << 24;

/**
 * `.debug_aranges`: for each unit a set of the ranges of its code. Not every producer writes one:
 * gcc and as do, clang does not, so a file may have sets for some of its units only.
 */
export type AddressSets = {
  readonly ranges: AddressRanges;
  /** Offset in `.debug_info` of the unit of each range. */
  readonly unitOffsets: Float64Array;
  /**
   * The rows of each unit's ranges by the unit's offset, as pairs of first and behind last. Units with
   * empty sets are not among them.
   */
  readonly rowsOfUnit: ReadonlyMap<number, readonly number[]>;
};

/**
 * Reads all sets. What can't be read ends them, and the set that it is in is left out, as if the
 * unit had none.
 *
 *   set: length, u16 version, offset unit, u8 address size, u8 segment size, padding to twice the
 *        address size, { address start, address length } …, 0, 0
 */
export function readAddressSets(reader: DwarfReader): AddressSets {
  const ranges = new AddressRanges();
  const unitOffsets = new GrowableFloat64();
  const rowsOfUnit = new Map<number, number[]>();
  let next = 0;
  while (next < reader.size && ranges.length < MAX_RANGES) {
    const first = unitOffsets.length;
    try {
      const start = next;
      reader.seek(start);
      let size = reader.u32();
      const is64 = size === LENGTH_64;
      if (is64) size = reader.u64();
      next = reader.at + size;
      if (reader.u16() !== ARANGES_VERSION) break;
      const unit = reader.offset(is64);
      const addressSize = reader.u8();
      const segmentSize = reader.u8();
      const pair = 2 * addressSize;
      if (segmentSize !== 0 || pair === 0) break;
      const headerBytes = Math.ceil((reader.at - start) / pair) * pair;
      reader.seek(start + headerBytes, Math.min(next, reader.size));
      readPairs(reader, addressSize, ranges);
      const last = ranges.length;
      for (let row = first; row < last; row++) unitOffsets.push(unit);
      if (last === first) continue;
      const rows = rowsOfUnit.get(unit);
      if (rows === undefined) rowsOfUnit.set(unit, [first, last]);
      else rows.push(first, last);
    } catch (error) {
      if (!(error instanceof DwarfDamage)) throw error;
      ranges.start.length = first;
      ranges.end.length = first;
      break;
    }
  }
  return { ranges, unitOffsets: unitOffsets.finish(), rowsOfUnit };
}

function readPairs(reader: DwarfReader, addressSize: number, ranges: AddressRanges): void {
  while (!reader.isAtEnd) {
    const start = reader.address(addressSize);
    const length = reader.address(addressSize);
    if (start === 0 && length === 0) return;
    ranges.add(start, start + length);
  }
}
