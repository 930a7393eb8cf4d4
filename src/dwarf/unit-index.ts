import { NONE } from '../base/brand.ts';
import type { Diagnostics } from '../base/diagnostics.ts';
import { sortedOrder } from '../base/sorted-order.ts';
import { AddressRanges, isRemoved, readRanges } from './address-ranges.ts';
import { DW_UT_split_type, DW_UT_type } from './constants.ts';
import { DwarfDamage } from './dwarf-reader.ts';
import { ValueKind } from './form-value.ts';
import { lastAtMost } from './line-table.ts';
import type { DwarfSections } from './sections.ts';
import { parseUnitHeader, Unit } from './unit.ts';

/** Chromium has 40 000. */
const MAX_UNITS = 1 << 20;
const MAX_RANGES = 1 << 24;
/** Units whose ranges overlap: one address may lie in so many. */
const MOST_CANDIDATES = 16;
const ARANGES_VERSION = 2;

/** All units of a file, and which of them have code at an address. */
export class UnitIndex {
  /** In the order of their offsets. */
  readonly units: readonly Unit[];
  readonly #offsets: Float64Array;
  readonly #start: Float64Array;
  readonly #end: Float64Array;
  /** The highest end up to this row: says how far back an address may still be covered. */
  readonly #highestEnd: Float64Array;
  readonly #unit: Int32Array;

  constructor(units: readonly Unit[], ranges: AddressRanges, unitOf: readonly number[]) {
    this.units = units;
    this.#offsets = Float64Array.from(units, ({ offset }) => offset);
    const starts = ranges.start.finish();
    const order = sortedOrder(starts);
    this.#start = Float64Array.from(order, (row) => starts[row] as number);
    this.#end = Float64Array.from(order, (row) => ranges.end.array[row] as number);
    this.#unit = Int32Array.from(order, (row) => unitOf[row] as number);
    let highest = Number.NEGATIVE_INFINITY;
    this.#highestEnd = this.#end.map((end) => {
      highest = Math.max(highest, end);
      return highest;
    });
  }

  /** The unit whose bytes hold `offset` of `.debug_info`; null if there is none. */
  unitAt(offset: number): Unit | null {
    const at = lastAtMost(this.#offsets, this.#offsets.length, offset);
    const unit = this.units[at];
    return unit !== undefined && offset < unit.end ? unit : null;
  }

  /** Writes into `out` the indexes of the units with code at `address`; returns how many. */
  // Hot: once per address.
  find(address: number, out: Int32Array): number {
    let count = 0;
    let row = lastAtMost(this.#start, this.#start.length, address);
    for (let looked = 0; row >= 0 && looked < MOST_CANDIDATES; row--, looked++) {
      if ((this.#highestEnd[row] as number) <= address) break;
      if (address >= (this.#end[row] as number)) continue;
      const unit = this.#unit[row] as number;
      if (count === 0 || out[count - 1] !== unit) out[count++] = unit;
    }
    return count;
  }
}

/** A buffer for `UnitIndex.find`. */
export function candidateBuffer(): Int32Array {
  return new Int32Array(MOST_CANDIDATES).fill(NONE);
}

/** Reads the header and root DIE of every unit; the trees below stay unread. */
export function buildUnitIndex(
  sections: DwarfSections,
  alternate: () => DwarfSections | null,
  diagnostics: Diagnostics,
): UnitIndex {
  const units = scanUnits(sections, alternate, diagnostics);
  const ranges = new AddressRanges();
  const unitOf: number[] = [];
  const without = new Map<number, number>();
  for (const [index, unit] of units.entries()) {
    try {
      addRootRanges(unit, ranges);
    } catch (error) {
      countDamage(error, 'DWARF range list damaged', unit, diagnostics);
    }
    if (ranges.length === unitOf.length) without.set(unit.offset, index);
    while (unitOf.length < ranges.length) unitOf.push(index);
    if (ranges.length > MAX_RANGES) break;
  }
  addAranges(sections, without, ranges, unitOf);
  return new UnitIndex(units, ranges, unitOf);
}

/** Units of `.debug_info`, roots read. */
export function scanUnits(
  sections: DwarfSections,
  alternate: () => DwarfSections | null,
  diagnostics: Diagnostics,
): Unit[] {
  const reader = sections.reader('info');
  const units: Unit[] = [];
  let offset = 0;
  while (offset < reader.size && units.length < MAX_UNITS) {
    try {
      const header = parseUnitHeader(reader, offset);
      const unit = new Unit(header, sections, alternate);
      units.push(unit);
      offset = header.end;
    } catch (error) {
      countDamage(error, 'DWARF unit header damaged', { offset }, diagnostics);
      break;
    }
    const unit = units[units.length - 1] as Unit;
    if (unit.rootOffset === 0) {
      diagnostics.count('DWARF of an unknown version', `version ${unit.version}`);
      continue;
    }
    if (unit.unitType === DW_UT_type || unit.unitType === DW_UT_split_type) continue;
    try {
      unit.readRoot();
    } catch (error) {
      countDamage(error, 'DWARF unit damaged', unit, diagnostics);
    }
  }
  return units;
}

function addRootRanges(unit: Unit, ranges: AddressRanges): void {
  if (unit.ranges.kind !== ValueKind.other) readRanges(unit, unit.ranges, MAX_RANGES, ranges);
  else if (!Number.isNaN(unit.highPc) && !isRemoved(unit.lowPc)) {
    ranges.add(unit.lowPc, unit.highPc);
  }
}

/**
 * `.debug_aranges`, for units whose root states no ranges, as old compilers left it.
 *
 *   length, u16 version, offset unit, u8 address size, u8 segment size, padding to twice the
 *   address size, { address start, address length } …, 0, 0
 */
function addAranges(
  sections: DwarfSections,
  indexOf: ReadonlyMap<number, number>,
  ranges: AddressRanges,
  unitOf: number[],
): void {
  if (indexOf.size === 0) return;
  const reader = sections.reader('aranges');
  const length = reader.size;
  let next = 0;
  try {
    while (next < length) {
      const start = next;
      reader.seek(start);
      let size = reader.u32();
      const is64 = size === 0xffffffff;
      if (is64) size = reader.u64();
      next = reader.at + size;
      if (reader.u16() !== ARANGES_VERSION) return;
      const unit = indexOf.get(reader.offset(is64));
      const addressSize = reader.u8();
      if (unit === undefined) continue;
      reader.u8();
      const headerSize = reader.at - start;
      const pair = 2 * addressSize;
      if (pair === 0) return;
      reader.seek(start + Math.ceil(headerSize / pair) * pair, Math.min(next, length));
      while (!reader.isAtEnd && ranges.length < MAX_RANGES) {
        const from = reader.address(addressSize);
        const bytes = reader.address(addressSize);
        if (from === 0 && bytes === 0) break;
        ranges.add(from, from + bytes);
        while (unitOf.length < ranges.length) unitOf.push(unit);
      }
    }
  } catch (error) {
    if (!(error instanceof DwarfDamage)) throw error;
  }
}

/** Counts damage under `reason`; what is no damage is thrown again. */
export function countDamage(
  error: unknown,
  reason: string,
  unit: { readonly offset: number },
  diagnostics: Diagnostics,
): void {
  if (!(error instanceof DwarfDamage)) throw error;
  diagnostics.count(reason, `unit at offset ${unit.offset}: ${error.message}`);
}
